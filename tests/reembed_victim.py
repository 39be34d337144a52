"""A process that goes over to another model: `python -m tests.reembed_victim STORE POINT NTH`.

It kills itself when it reaches a fault point for the nth time.
"""

import sys

import ragstone
from ragstone import fill
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at

NEW = 32  # the new model's dimension


def go_over(store: str) -> None:
    """Fill, switch, go back, give the new one up."""
    with ragstone.open(store, embedder=BagOfWords(NEW)) as kb:
        kb.reembed()
        kb.switch_model()
        kb.switch_model()
        kb.drop_model()


if __name__ == "__main__":
    fill.EMBED_AT_ONCE = 8
    kill_at(sys.argv[2], int(sys.argv[3]))
    go_over(sys.argv[1])
