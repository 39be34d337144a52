"""A process that watches a folder and kills itself: `python -m tests.watching_victim FOLDER STORE POINT NTH`."""

import sys

import ragstone
from ragstone.core.answers import Event
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at


def watch(folder: str, store: str, point: str, nth: int) -> None:
    """Watch, and after the first run die at the nth of these points."""

    def prepare_end(event: Event) -> None:
        if event.name == "indexed":
            kill_at(point, nth)
            print("indexed", flush=True)

    with ragstone.open(store, embedder=BagOfWords()) as kb:
        kb.watch(folder, reindex_after=0.05, flush_after=0.2, tell=prepare_end)


if __name__ == "__main__":
    watch(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
