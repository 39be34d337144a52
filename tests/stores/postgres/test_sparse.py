"""Sparse vectors in PostgreSQL: memory of a question, traces of removed chunks, locks of a merge."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragstone.core.filters import Where
from ragstone.stores.postgres import PostgresStore, sparse_search
from ragstone.stores.postgres.view import CollectionView
from ragstone.testing.stores import EVERYTHING, fill_sparse, make_revision, search_sparse, write_revisions
from tests.stores.postgres.server import Server

QUERY = "alpha beta delta"


@pytest.fixture
async def store(server: Server, database: str) -> AsyncIterator[PostgresStore]:
    made = PostgresStore(server.url(database))
    yield made
    await made.close()


async def test_a_question_holds_the_postings_of_some_segments_at_a_time(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["alpha", "alpha beta", "gamma", "beta delta", "delta alpha beta", "omega", "alpha"]
    await write_revisions(store, *(make_revision(f"{n}.md", texts[n % 3 :]) for n in range(30)))
    await fill_sparse(store, at_once=2, settle=False)
    asked = [(where, limit) for where in (EVERYTHING, Where(paths=("2?.md",))) for limit in (1, 7, 30, 100, 1_000)]
    whole = [await search_sparse(store, QUERY, where=where, limit=limit) for where, limit in asked]
    assert [len(found) for found in whole] == [1, 7, 30, 100, 120, 1, 7, 30, 39, 39]
    plain, held = CollectionView.fetch_rows, list[int]()

    async def weigh_rows(view: CollectionView, sql: str, more: Any = None, *, after: str | None = None) -> Any:
        rows = await plain(view, sql, more, after=after)
        if "FROM sparse_postings" in sql:
            held.append(sum(len(keys or b"") // 8 for _, keys, *_ in rows))
        return rows

    monkeypatch.setattr(CollectionView, "fetch_rows", weigh_rows)
    monkeypatch.setattr(sparse_search, "CHUNKS_AT_ONCE", 5)
    assert [await search_sparse(store, QUERY, where=where, limit=limit) for where, limit in asked] == whole
    assert 0 < max(held) <= 3 * 6  # three terms, three segments of two chunks
