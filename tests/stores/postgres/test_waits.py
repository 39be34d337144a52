"""A deadline that passes while a call has no connection says what it waited for."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from ragstone.config.deadlines import Deadlines
from ragstone.core.errors import StoreError
from ragstone.core.waits import HAS_CLIENT
from ragstone.retrieval.store_timeout import limit_store_time
from ragstone.stores import outage
from ragstone.stores.postgres import PostgresStore, error_mapping
from ragstone.stores.postgres.connection import Connection, Cursor
from ragstone.testing.stores import SCOPE, create_collection
from tests.patience import HANG
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


def open_as_client(store: PostgresStore) -> "asyncio.Task[None]":
    """A search of a client of a server, without a deadline of its own."""

    async def ask() -> None:
        HAS_CLIENT.set(True)
        async with store.reader(SCOPE):
            pass

    return asyncio.create_task(ask())


async def test_clients_are_told_at_once_of_a_server_that_is_lost_until_it_is_back(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waited as long as a search may take, and a list of documents for half a minute."""
    monkeypatch.setattr(outage, "GRACE", 0.0)
    monkeypatch.setattr(outage, "PROBE_PAUSE", 0.001)
    store = PostgresStore(server.url(database))
    await create_collection(store)
    is_lost = True
    connect = psycopg.AsyncConnection.connect.__func__  # type: ignore[attr-defined]

    async def refuse(*given: Any, **more: Any) -> Connection:
        if is_lost:
            raise psycopg.OperationalError(REFUSED)
        return await connect(*given, **more)  # type: ignore[no-any-return]

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", classmethod(refuse))
    await asyncio.to_thread(server.run, CUT.format(USER, database))
    async with asyncio.timeout(HANG):
        for _ in range(3):
            with pytest.raises(StoreError, match=f"does not answer .{REFUSED}"):
                await open_as_client(store)
        HAS_CLIENT.set(True)
        with pytest.raises(StoreError, match="does not answer"):
            await store.ledger(SCOPE).documents("docs")
        is_lost = False
        HAS_CLIENT.set(False)
        async with store.reader(SCOPE):  # who has no client to tell waits for it
            pass
        await open_as_client(store)
    await store.close()


async def test_a_slow_statement_is_no_outage(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database))
    await create_collection(store)

    async def sleep(cursor: Cursor, _: int) -> None:
        await cursor.execute(f"SELECT pg_sleep({HANG})".encode())

    with pytest.raises(StoreError, match="within"):
        async with limit_store_time(SOON):
            await store._pool.run_transaction("t", sleep)
    await open_as_client(store)
    await store.close()


async def test_a_search_that_is_cut_off_ends_where_its_statements_never_do(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pooler without a server behind it takes connections and statements, and answers neither them nor their end: the
    driver says then that the connection is lost, in place of the cancellation, and the search began anew."""
    store = PostgresStore(server.url(database))
    await create_collection(store)
    begun = 0

    @asynccontextmanager
    async def lose(connection: Connection) -> AsyncIterator[None]:
        nonlocal begun
        begun += 1
        try:
            await asyncio.sleep(HANG)
        except asyncio.CancelledError:
            connection.pgconn.finish()
            raise psycopg.OperationalError("the connection is lost") from None
        yield

    monkeypatch.setattr(psycopg.AsyncConnection, "pipeline", lose)
    assert "within 0.05 s" in await read(store)
    assert begun == 1


@pytest.mark.parametrize(
    ("said", "is_lost"),
    [
        ("connection to server failed: Connection refused", True),
        ("connection timeout expired", True),
        ("FATAL:  the database system is starting up", True),
        ("FATAL:  sorry, too many clients already", False),
        ("FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute", False),
        ("FATAL:  no more connections allowed (max_client_conn)", False),
        ('FATAL:  password authentication failed for user "app"', False),
    ],
)
def test_a_server_that_says_no_is_there(said: str, is_lost: bool) -> None:
    assert error_mapping.is_lost(psycopg.OperationalError(said)) is is_lost
