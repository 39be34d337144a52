"""A deadline that passes while a call has no connection says what it waited for."""

import asyncio
import re
from collections.abc import Callable

import psycopg
import pytest

from ragstone.config.deadlines import Deadlines
from ragstone.core.errors import StoreError
from ragstone.retrieval.store_timeout import limit_store_time
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import SCOPE, create_collection
from tests.stores.postgres.server import USER, Server

SOON = Deadlines(search=0.05)
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{}' AND datname = '{}'"
REFUSED = "connection failed: Connection refused"


async def read(store: PostgresStore, *, then: Callable[[], None] = lambda: None) -> str:
    """The error of a search that has no time; `then` happens before the store is closed."""
    with pytest.raises(StoreError) as error:
        async with limit_store_time(SOON), store.reader(SCOPE):
            pass
    then()
    await store.close()
    assert "within 0.05 s (deadlines.search): " in str(error.value)
    assert "p@ss" not in str(error.value)
    return str(error.value)


async def test_all_connections_are_taken(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database, pool="1"))
    await create_collection(store)
    async with store.reader(SCOPE):
        said = await read(store)
    assert re.search(r"all 1 connections to postgresql://\S+ are in use; write a larger pool= in its URL", said)


async def test_the_server_is_gone(server: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore(server.url(database))
    await create_collection(store)

    async def refuse(*_: object, **__: object) -> None:
        raise psycopg.OperationalError(REFUSED)

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", refuse)
    await asyncio.to_thread(server.run, CUT.format(USER, database))
    assert f"does not answer ({REFUSED}); is the server running?" in await read(store)


async def test_the_server_does_not_even_refuse(server: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is cut takes connections and says nothing: that is not a server that is busy."""
    store = PostgresStore(server.url(database, pool="1"))
    await create_collection(store)

    ended = asyncio.Event()

    async def say_nothing(*_: object, **__: object) -> None:
        await ended.wait()
        raise psycopg.OperationalError(REFUSED)

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", say_nothing)
    await asyncio.to_thread(server.run, CUT.format(USER, database))
    assert "does not answer; is the server running?" in await read(store, then=ended.set)


async def test_the_server_was_never_there() -> None:
    assert "does not answer" in await read(PostgresStore("postgresql://app:p%40ss@127.0.0.1:1/x"))
