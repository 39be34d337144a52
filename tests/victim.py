"""A process that ingests a folder with the deterministic embedder: `python -m tests.victim FOLDER STORE [POINT NTH]`.

Prints `ready` before it begins; with a fault point it kills itself when it reaches it for the nth time. With
`workers` as the last argument documents are made in processes of their own, however few there are, as on two cores.
"""

import os
import sys

import ragstone
from ragstone.ingestion import workers
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at


def ingest(folder: str, store: str) -> None:
    """One run, as the command does it."""
    print("ready", flush=True)
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        kb.ingest(folder, allow_removals=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[-1] == "workers":
        workers.MIN_POOL_BYTES = 0
        os.sched_getaffinity = lambda _pid: {0, 1}
        del arguments[-1]
    if len(arguments) > 2:
        kill_at(arguments[2], int(arguments[3]))
    ingest(arguments[0], arguments[1])
