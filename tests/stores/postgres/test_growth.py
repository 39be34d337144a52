"""What must not grow with a collection: its record of runs, and the look at what lies below a path."""

from collections.abc import Iterable

import psycopg
import pytest
from psycopg import sql

from ragstone.stores.postgres import PostgresStore, ledger, vectors
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.ledger import HEAD
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_revision, make_vector
from tests.stores.old_runs import check_old_runs
from tests.stores.postgres.server import Server


async def test_only_the_last_runs_of_a_source_are_kept(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "KEPT_RUNS", 2)
    store = PostgresStore(server.url(database))
    try:
        await check_old_runs(store)
    finally:
        await store.close()


async def test_what_lies_below_a_path_is_found_by_an_index(server: Server, database: str) -> None:
    """Also by a role under row-level security, and below a path that is longer than an entry of a tree."""
    long = "x" * (HEAD - 1)
    below = ["a.zip", "a.zip/1.md", f"{long}/y", f"{long}/y/1.md"]
    beside = ["a.zip-1", "a.zip.md", "a.zip0", "a", f"{long}/yz", f"{long}/x/1.md"]
    store = PostgresStore(server.url(database))
    try:
        await create_collection(store)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision(path, ["The pump runs."]) for path in (*below, *beside)])
        found = [await store.ledger(SCOPE).documents("docs", within=within) for within in ("a.zip", f"{long}/y")]
    finally:
        await store.close()
    assert [one.path for documents in found for one in documents] == below
    with psycopg.connect(server.url(database)) as connection:
        connection.execute("SET search_path = ragstone; SET enable_seqscan = off; SET enable_bitmapscan = off")
        connection.execute(sql.SQL("SET ragstone.tenant = {}").format(SCOPE.tenant))
        plan = connection.execute(
            b"EXPLAIN SELECT FROM documents WHERE collection_id = 1 AND path_head BETWEEN 'a' AND 'b'"
        ).fetchall()
    [condition] = [line for (line,) in plan if "Index Cond" in line]
    assert "path_head" in condition


async def test_new_chunks_without_vectors_are_found_from_the_last_one_down(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call that handed over a text went through all chunks, twice."""
    looked_at = list[int]()
    read_known_keys = vectors.read_known_keys

    async def note(cursor: Cursor, collection: CollectionRow, keys: Iterable[bytes]) -> set[bytes]:
        asked = list(keys)
        looked_at.append(len(asked))
        return await read_known_keys(cursor, collection, asked)

    store = PostgresStore(server.url(database))
    try:
        await create_collection(store)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision(f"{n:02}.md", [f"The pump {n} runs."]) for n in range(40)])
            await fill_vectors(writer)
        monkeypatch.setattr(vectors, "read_known_keys", note)
        async with store.writer(SCOPE) as writer:
            assert await writer.find_unembedded(10) == []
            assert looked_at == []
            await writer.replace([make_revision("new.md", ["The lamp is lit.", "The gate is shut."])])
            found = await writer.find_unembedded(10)
            assert [chunk.document.path for chunk in found] == ["new.md", "new.md"]
            await writer.put({found[0].vector_key: make_vector(found[0].text)})
        async with store.writer(SCOPE) as writer:  # another run goes on with one that was left
            await writer.replace([make_revision(f"more{n}.md", [f"The bell {n} rings."]) for n in range(3)])
            found = await writer.find_unembedded(10)
            paths = sorted(chunk.document.path for chunk in found)
            assert paths == ["more0.md", "more1.md", "more2.md", "new.md"]
            assert max(looked_at) < 10
    finally:
        await store.close()
