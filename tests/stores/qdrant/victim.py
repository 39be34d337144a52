"""A process that writes until it is killed: `python -m tests.stores.qdrant.victim URL [POINT NTH]`.

Both documents are always replaced together; each number that was committed is printed.
"""

import asyncio
import sys

from ragstone.core.ports import Store
from ragstone.stores import open_store
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_revision, write_revisions
from tests.stores.victim import PASSING, kill_at, state


async def step(store: Store, number: int) -> None:
    """A run: replace, vectors, settle; now and then a document or a collection that comes and goes."""
    async with store.writer(SCOPE) as writer:
        await writer.replace(state(number))
        print(number, flush=True)
        await fill_vectors(writer)
        if number % 2 == 0:
            passing = make_revision("x.md", [f"beta {number}"], revision=number)
            await writer.replace([passing])
            await writer.remove([passing.document.id])
            await writer.settle()
    if number % 3 == 0:
        await write_revisions(store, make_revision("x.md", ["alpha"], scope=PASSING), scope=PASSING)
        await store.admin.drop(PASSING)


async def write(url: str) -> None:
    store = open_store(url)
    await create_collection(store)
    number = max((d.revision for d in await store.ledger(SCOPE).documents("docs")), default=0)
    while True:
        number += 1
        await step(store, number)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        kill_at(sys.argv[2], int(sys.argv[3]))
    asyncio.run(write(sys.argv[1]))
