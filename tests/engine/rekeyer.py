"""A process that changes a tenant's keys until it is killed: python rekeyer.py STORE PLACE VERB [POINT NTH]."""

import base64
import sys

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.victim import kill_at

KEY = base64.b64encode(bytes(range(32))).decode()


def change(store: str, place: str, verb: str) -> None:
    """Encrypt the default tenant, or give it a new key."""
    with ragstone.open(store, artifacts=place, embedder=BagOfWords(), encryption__key=KEY) as kb:
        if verb == "encrypt":
            kb.encrypt()
        else:
            kb.rotate("default", rekey=True)


if __name__ == "__main__":
    if len(sys.argv) > 4:
        kill_at(sys.argv[4], int(sys.argv[5]))
    change(*sys.argv[1:4])
