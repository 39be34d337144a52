"""Vectors of summaries and questions give the same candidates with the same scores on every store that keeps them."""

import asyncio
from itertools import product
from pathlib import Path

from ragstone.core.filters import Where
from ragstone.stores import open_store
from ragstone.testing.stores import SCOPE, fill_written, make_revision, make_written, search_written, write_revisions
from tests.stores.test_congruence import in_postgres, in_qdrant

FILTERS = (Where(), Where(paths=("1*.md",)), Where(paths=("3.md", "7.md")), Where(paths=("none.md",)))


async def live(url: str) -> list[list[tuple[str, int, float]]]:
    """What is found after documents came, changed and went; many chunks share their questions."""
    store = open_store(url)
    try:
        for revision in (1, 2):
            for number in range(20):
                texts = {f"alpha {number} {n}": [f"why {(number * n) % 13}", f"who {n % 3}"][: n % 3] for n in range(9)}
                texts |= {f"omega {revision} {number}": [f"when {number % revision}"]}
                if number % revision == 0:
                    await write_revisions(store, make_written(f"{number}.md", texts, revision=revision))
            await fill_written(store, at_once=50)
        async with store.writer(SCOPE) as writer:
            await writer.remove([make_revision(f"{number}.md", []).document.id for number in (3, 4)])
            await writer.settle()
        asked = product(("why 5", "who 1", "x"), FILTERS, (1, 7, 1000))
        return [await search_written(store, text, where=where, limit=limit) for text, where, limit in asked]
    finally:
        await store.close()


def test_every_store_gives_the_same_order_and_scores(tmp_path: Path) -> None:
    here = asyncio.run(live(f"embedded:{tmp_path / 'store'}"))
    assert max(map(len, here)) > 100
    assert len({score for found in here for _, _, score in found}) < sum(map(len, here)) / 2  # there are ties
    with in_postgres() as url:
        assert asyncio.run(live(url)) == here
    with in_qdrant() as url:
        assert asyncio.run(live(url)) == here
