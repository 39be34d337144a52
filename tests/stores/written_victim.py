"""A process that writes documents and vectors of their questions until it is killed: `python written_victim.py ROOT
POINT NTH`."""

import asyncio
import sys
from pathlib import Path

from ragstone.core.types import Revision
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import SCOPE, create_collection, fill_written, make_written
from tests.stores.victim import kill_at


def state(number: int) -> list[Revision]:
    """Both documents at a number; every third chunk has no questions, and some chunks share theirs."""
    asked = [["who", "what"], [f"why {number}"], []]
    texts = {f"alpha {number} {n}": asked[n % 3] for n in range(1 + number % 5)}
    return [make_written(path, texts, revision=number) for path in ("a.md", "b.md")]


async def write(root: Path) -> None:
    store = EmbeddedStore(root)
    await create_collection(store)
    for number in range(1, 1000):
        async with store.writer(SCOPE) as writer:
            await writer.replace(state(number))
            await fill_written(store, at_once=1)
            await writer.settle()


if __name__ == "__main__":
    kill_at(sys.argv[2], int(sys.argv[3]))
    asyncio.run(write(Path(sys.argv[1])))
