"""Vectors beside those of chunks while other writers take the chunks away."""

import asyncio
from typing import Any

import pytest

from ragstone.stores.postgres import PostgresStore, error_mapping, sparse_index, written_index
from ragstone.testing.stores import (
    SCOPE,
    create_collection,
    fill_sparse,
    fill_written,
    make_revision,
    make_written,
    write_revisions,
)
from tests.patience import until_async
from tests.stores.postgres.server import Server

WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.mark.parametrize("way", ["remove", "replace"])
@pytest.mark.parametrize("kind", ["sparse", "written"])
async def test_no_deadlock_where_chunks_go_meanwhile(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, kind: str, way: str
) -> None:
    """A deadlock would be tried again, a second later."""
    monkeypatch.setattr(error_mapping, "is_connection_lost", lambda _: False)
    module: Any = {"sparse": sparse_index, "written": written_index}[kind]
    lock, locks, changes = module.lock_collection, 0, list[asyncio.Task[None]]()
    store, other = PostgresStore(server.url(database)), PostgresStore(server.url(database))
    await create_collection(store)
    await write_revisions(store, make_written("a.md", {"alpha": ["who"], "beta": ["why"]}))

    async def change() -> None:
        async with other.writer(SCOPE) as writer:
            if way == "remove":
                await writer.remove([make_revision("a.md", []).document.id])
            else:
                await writer.replace([make_written("a.md", {"gamma": ["who"]}, revision=2)])

    async def is_waiting() -> bool:
        return changes[0].done() or await asyncio.to_thread(server.run, WAITS, database) != [(0,)]

    async def lock_later(*given: Any) -> Any:
        nonlocal locks
        locks += 1
        if locks == 2:  # the first is that of the model
            changes.append(asyncio.create_task(change()))
            await until_async(is_waiting)
        return await lock(*given)

    monkeypatch.setattr(module, "lock_collection", lock_later)
    await (fill_sparse if kind == "sparse" else fill_written)(store, at_once=10)
    await changes[0]
    assert await store.admin.check(SCOPE) == []
    await store.close()
    await other.close()
