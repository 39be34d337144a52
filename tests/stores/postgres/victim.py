"""Writes documents again and again until it is killed: `python -m tests.stores.postgres.victim URL SOURCE START`."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from ragstone.core.records import Run
from ragstone.core.types import Revision
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import SCOPE, fill_vectors, make_revision

DOCUMENTS = 4
ROUNDS = 1_000


def state(number: int, revision: int, source: str) -> Revision:
    """A document all of whose chunks name its revision; how many it has depends on it."""
    texts = [f"apple {source} {number} revision{revision} part {part}" for part in range(1 + revision % 4)]
    return make_revision(f"{number}.md", texts, source=source, revision=revision)


async def at_once(_: int) -> None:
    """Nothing stands before a round."""


async def ingest(
    url: str, source: str, start: int, rounds: int = ROUNDS, *, before: Callable[[int], Awaitable[None]] = at_once
) -> None:
    """What a run does: replace in batches, vectors, now and then a removal and the end of a run.

    `before` is called at the beginning of each round.
    """
    store = PostgresStore(url)
    try:
        ledger = store.ledger(SCOPE)
        run = Run(f"{source}-{start}", source, "running", "2026-01-01T00:00:00")
        await ledger.start(run)
        async with store.writer(SCOPE) as writer:
            for revision in range(start, start + rounds):
                await before(revision)
                batch = [state(number, revision, source) for number in range(DOCUMENTS)]
                await writer.replace(batch[:2])
                await writer.replace(batch[2:])
                await fill_vectors(writer)
                if revision % 3 == 0:
                    await writer.remove([batch[0].document.id])
                if revision % 5 == 0:
                    await writer.settle()
                await ledger.update(run)
        await ledger.finish(Run(run.id, source, "succeeded", run.started_at))
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(ingest(sys.argv[1], sys.argv[2], int(sys.argv[3])))
