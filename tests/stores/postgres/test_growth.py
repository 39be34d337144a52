"""What must not grow with a collection: its record of runs, and the look at what lies below a path."""

import psycopg
import pytest
from psycopg import sql

from ragstone.stores.postgres import PostgresStore, ledger
from ragstone.stores.postgres.ledger import HEAD
from ragstone.testing.stores import SCOPE, make_revision
from ragstone.testing.stores.actions import create_collection
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
