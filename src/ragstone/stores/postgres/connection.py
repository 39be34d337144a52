"""Connections to PostgreSQL: those that the store opens, and the form in which its pool opens them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import psycopg
from psycopg import AsyncConnection, AsyncCursor

Row = tuple[Any, ...]
Connection = AsyncConnection[Row]
Cursor = AsyncCursor[Row]
SET_READ_ONLY = "SET TRANSACTION READ ONLY"
SET_TENANT = "SELECT set_config('search_path', %s, true), set_config('ragstone.tenant', %s, true)"
BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
SET_SAVEPOINT = (
    "SAVEPOINT safe"  # where a view goes back to when a statement of it failed: same snapshot, same settings
)
ROLL_BACK = "ROLLBACK TO SAVEPOINT safe"
CANCEL_SECONDS = 2.0  # for a server to take the request that ends a statement


class DedicatedConnection(AsyncConnection[Row]):
    """A connection whose statements end soon after they are cut off, also where the server says nothing more: psycopg
    itself waits ten seconds. `suspect` is called then."""

    suspect: Callable[[], None] | None = None

    async def cancel_safe(self, *, timeout: float = CANCEL_SECONDS) -> None:  # noqa: ASYNC109  # as psycopg calls it
        """Ask the server to end a statement; where it does not take the request the connection is given up."""
        try:
            await super().cancel_safe(timeout=min(timeout, CANCEL_SECONDS))
        except psycopg.Error:
            self.pgconn.finish()
            if self.suspect is not None:
                self.suspect()
            raise


class PooledConnection(AsyncConnection[Row]):
    """A connection that the pool opens as the store opens its own: its pauses are short, so that a server which is back
    is noticed within two seconds. The pool's own grow to half a minute."""

    @classmethod
    async def connect(  # type: ignore[override]  # the pool hands on what it was given
        cls, _conninfo: str = "", *, open_dedicated: Callable[[], Awaitable[Connection]], **_: Any
    ) -> "PooledConnection":
        """Open one; raises what `open_dedicated` raises."""
        return cast("PooledConnection", await open_dedicated())


def make_options(*, pooled: bool) -> dict[str, Any]:
    """Of every connection: what one prepares in a session that it shares, another would prepare again."""
    return {"autocommit": True, **({"prepare_threshold": None} if pooled else {})}


def count_cancellations() -> int:
    """How often the task that runs was cancelled, and goes on: more than before means that an error took the place of a
    cancellation."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
