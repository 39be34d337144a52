"""A pooler in transaction mode: connections take turns with the sessions of the server."""

import asyncio
import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragstone.core.errors import Busy, UsageError
from ragstone.core.records import Run
from ragstone.stores.postgres import PostgresStore, migrate, server_check
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.url import parse_postgres_url
from ragstone.testing.stores import SCOPE, make_revision, write_revisions
from tests.stores.postgres.server import Server

OWN = 7  # the number that a pooler gives a connection itself


class Connection:
    """A connection that says which session of the server serves its next statement."""

    def __init__(self, sessions: Iterator[int | None], number: int = OWN) -> None:
        self.info = SimpleNamespace(backend_pid=number)
        self._sessions = sessions
        self.closed = False

    async def execute(self, _statement: str, *, prepare: bool) -> Any:
        assert not prepare
        if (found := next(self._sessions)) is None:
            await asyncio.Event().wait()

        async def fetch() -> tuple[int | None]:
            return (found,)

        return SimpleNamespace(fetchone=fetch)

    async def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        pytest.param([OWN], [], False, id="no pooler"),
        pytest.param([1, 1, 1, 1], [2, 2, 2], False, id="in session mode"),
        pytest.param([1, 1, 1, 1], [1, 1, 1], True, id="one session for both"),
        pytest.param([1, 1, 2, 3], [4, 5, 6], True, id="another session each time"),
        pytest.param([1, 1, 1, 1], [None], False, id="no session is left for the second"),
    ],
)
async def test_a_pooler_is_known_by_the_sessions_behind_two_connections(
    first: list[int | None], second: list[int | None], shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_check, "LOOK_TIME", 0.01 if None in second else 60.0)
    other = Connection(iter(second))

    async def connect() -> Any:
        return other

    assert await server_check.shares_sessions(cast(Any, Connection(iter(first))), connect) is shared
    assert other.closed is bool(second)


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    async def shares_sessions(*_: object) -> bool:
        return True

    monkeypatch.setattr("ragstone.stores.postgres.pool.shares_sessions", shares_sessions)
    module = importlib.import_module("ragstone.stores.postgres.migrate")  # the package has a function of this name
    monkeypatch.setattr(module, "shares_sessions", shares_sessions)


@pytest.mark.usefixtures("pooled")
async def test_a_run_holds_its_lock_by_an_open_transaction(server: Server, database: str) -> None:
    """PgBouncer kept the lock of a session for the next client: a second ingestion ran beside the first, and after
    both every other was told to wait for one."""
    stores = [PostgresStore(server.url(database)) for _ in range(2)]
    await write_revisions(stores[0], make_revision("a.md", ["apple tart"]))
    run = Run("1", "docs", "running", "2026-01-01T00:00:00+00:00")
    await stores[0].ledger(SCOPE).start(run)
    await stores[0].ledger(SCOPE).update(run)
    held = "SELECT state FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory'"
    free = "SELECT backend_xmin IS NULL FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory'"
    assert server.run(held, database) == [("idle in transaction",)]
    assert server.run(free, database) == [(True,)], "VACUUM waits for nothing of it"
    with pytest.raises(Busy, match="another ingestion of source 'docs' is running"):
        await stores[1].ledger(SCOPE).start(Run("2", "docs", "running", "2026-01-01T00:00:00+00:00"))
    assert [one.status for one in await stores[1].ledger(SCOPE).runs()] == ["running"]
    await stores[0].ledger(SCOPE).finish(Run("1", "docs", "succeeded", "2026-01-01T00:00:00+00:00"))
    assert server.run(held, database) == []
    for store in stores:
        await store.close()


@pytest.mark.usefixtures("pooled")
async def test_statements_are_not_prepared_in_a_session_of_others(server: Server, database: str) -> None:
    pool = Pool(parse_postgres_url(server.url(database)))
    async with pool.borrow_connection() as connection:
        assert connection.prepare_threshold is None
    dedicated = await pool.open_dedicated()
    assert dedicated.prepare_threshold is None
    await dedicated.close()
    await pool.close()


@pytest.mark.usefixtures("pooled")
async def test_a_migration_asks_for_a_direct_connection(server: Server, database: str) -> None:
    with pytest.raises(UsageError, match=r"a pooler in transaction mode.*migrate over a direct connection"):
        await migrate(server.owner(database))
