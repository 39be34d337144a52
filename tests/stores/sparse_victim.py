"""A process that writes documents and sparse vectors until it is killed: `python sparse_victim.py ROOT POINT NTH`."""

import asyncio
import sys
from pathlib import Path

from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import SCOPE, create_collection, fill_sparse
from tests.stores.victim import kill_at, state


async def write(root: Path) -> None:
    store = EmbeddedStore(root)
    await create_collection(store)
    for number in range(1, 1000):
        async with store.writer(SCOPE) as writer:
            await writer.replace(state(number))
            await fill_sparse(store, at_once=1)
            await writer.settle()


if __name__ == "__main__":
    kill_at(sys.argv[2], int(sys.argv[3]))
    asyncio.run(write(Path(sys.argv[1])))
