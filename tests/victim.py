"""A process that ingests a folder with the deterministic embedder: `python -m tests.victim FOLDER STORE [POINT NTH]`.

Prints `ready` before it begins; with a fault point it kills itself when it reaches it for the nth time.
"""

import sys

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at


def ingest(folder: str, store: str) -> None:
    """One run, as the command does it."""
    print("ready", flush=True)
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        kb.ingest(folder, allow_removals=True)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        kill_at(sys.argv[3], int(sys.argv[4]))
    ingest(sys.argv[1], sys.argv[2])
