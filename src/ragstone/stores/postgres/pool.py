"""Connections to one database: opened when first needed, kept for the next call, given up when they are lost."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ragstone.core.errors import RagstoneError, StoreError
from ragstone.core.waits import WaitCause, explain_wait, is_limited
from ragstone.stores.outage import Outage
from ragstone.stores.postgres import error_mapping
from ragstone.stores.postgres.connection import (
    BEGIN,
    CANCEL_SECONDS,
    SET_READ_ONLY,
    SET_SAVEPOINT,
    SET_TENANT,
    Connection,
    Cursor,
    DedicatedConnection,
    PooledConnection,
    Row,
    count_cancellations,
    make_options,
)
from ragstone.stores.postgres.server_check import ServerInfo, inspect_server, shares_sessions
from ragstone.stores.postgres.url import PostgresUrl

T = TypeVar("T")
PATIENCE = 30.0  # seconds for a server that no longer answers: as long as a restart takes
FIRST_PATIENCE = 1.0  # seconds for one that has not answered yet, unless it says that it starts: a wrong URL, mostly
RETRY_PAUSES = (0.1, 0.25, 0.5, 1.0, 2.0)  # seconds between tries; the last one again and again
SILENCE = 10.0  # seconds after which a server that did not answer is waited for again
KNOCK_SECONDS = 2  # for one address of a server that is asked whether it is there; libpq's least
MAX_IDLE = 300.0  # seconds after which a connection that nobody used is closed


class Pool:
    """The connections of one store, all of one event loop. `look` says what stands at the other end, or raises;
    `patience` is in seconds, by default `PATIENCE`."""

    def __init__(
        self,
        url: PostgresUrl,
        *,
        look: Callable[[Connection, str], Awaitable[ServerInfo]] = inspect_server,
        patience: float | None = None,
    ) -> None:
        self.url = url
        self._look = look
        self._patience = PATIENCE if patience is None else patience
        self._pool: AsyncConnectionPool[Connection] | None = None
        self._server: ServerInfo | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._closed = False
        self._silent = 0.0  # until when a server that has never answered is asked once only
        self._refused: psycopg.OperationalError | None = None  # why the last connection could not be opened
        self._lent = 0  # connections of the pool that calls have
        self._opening = 0  # connections that are asked for now
        self._outage = Outage(self._knock, lost=(psycopg.OperationalError,), explain=self._explain_silence)

    async def get_server(self) -> ServerInfo:
        """The server at the other end; the first call connects, and raises `UsageError` for what cannot serve."""
        self._check_open()
        with explain_wait(self._describe_wait):
            return await self._find_server()

    async def _find_server(self) -> ServerInfo:
        async with self._lock:
            if self._server is None or self._loop is not asyncio.get_running_loop():
                first = await self.open_dedicated()
                try:
                    with error_mapping.map_errors(self.url.shown):
                        found = await self._look(first, self.url.shown)
                        self._server = replace(found, pooled=await shares_sessions(first, self.open_dedicated))
                finally:
                    await first.close()
                self._pool = AsyncConnectionPool(
                    self.url.conninfo,
                    connection_class=PooledConnection,
                    kwargs={"open_dedicated": self.open_dedicated},
                    min_size=0,
                    max_size=self.url.pool,
                    max_idle=MAX_IDLE,
                    timeout=self._patience,
                    reconnect_timeout=self._patience,
                    open=False,
                )
                await self._pool.open()
                self._loop = asyncio.get_running_loop()
            return self._server

    @asynccontextmanager
    async def borrow_connection(self) -> AsyncIterator[Connection]:
        """A connection for a while; foreign errors inside come out as ours."""
        await self.get_server()
        async with self._take_connection(AsyncConnectionPool.check_connection) as (connection, _):
            yield connection

    @asynccontextmanager
    async def open_transaction(self, tenant: str) -> AsyncIterator[Cursor]:
        """One transaction as a tenant, committed when the block ends well; its cursor gives binary results."""
        server = await self.get_server()
        with error_mapping.map_read_only(server.read_only):
            async with (
                self.borrow_connection() as connection,
                connection.transaction(),
                connection.cursor(binary=True) as cursor,
            ):
                if server.read_only is not None:
                    await cursor.execute(SET_READ_ONLY)
                await cursor.execute(SET_TENANT, (server.path, tenant))
                yield cursor

    @asynccontextmanager
    async def open_view(
        self, tenant: str, look: str, given: Sequence[object]
    ) -> AsyncIterator[tuple[Connection, Row | None]]:
        """A connection within one transaction that reads a snapshot as a tenant, and the row that the statement
        `look` brings: begun, named and looked at in one round trip. It ends with the block."""
        path = (await self.get_server()).path

        async def begin_view(connection: Connection) -> Row | None:
            async with connection.pipeline():
                await connection.execute(BEGIN, prepare=False)
                await connection.execute(SET_TENANT, (path, tenant), prepare=False)
                await connection.execute(SET_SAVEPOINT, prepare=False)
                found = await connection.execute(look.encode(), given, prepare=False, binary=True)
            return await found.fetchone()  # not before: asked for within the pipeline, it were a round trip more

        async with self._take_connection(begin_view) as (connection, row):
            yield connection, row

    @asynccontextmanager
    async def _take_connection(
        self, first: Callable[[Connection], Awaitable[T]]
    ) -> AsyncIterator[tuple[Connection, T]]:
        """A connection that answers, and what it says `first`; given back without an open transaction."""
        pool = self._pool
        if pool is None:
            raise self._make_closed_error()
        with error_mapping.map_errors(self.url.shown):
            connection, said = await self._find_answering(pool, first)
            try:
                yield connection, said
            finally:
                await asyncio.shield(self._return_connection(pool, connection))

    async def _find_answering(
        self, pool: "AsyncConnectionPool[Connection]", first: Callable[[Connection], Awaitable[T]]
    ) -> tuple[Connection, T]:
        """Connections that a restart of the server left behind are noticed by what is asked first, and thrown away."""
        end, cancelled = time.monotonic() + self._patience, count_cancellations()
        while True:
            connection = await self._get_free_connection(pool, end)
            try:
                return connection, await first(connection)
            except BaseException as error:
                lost = connection.closed and isinstance(error, psycopg.OperationalError)
                await asyncio.shield(self._return_connection(pool, connection))
                if count_cancellations() > cancelled:  # a pipeline that is cut off says that its connection is lost
                    raise asyncio.CancelledError from error
                if not lost or time.monotonic() > end:
                    raise

    async def _get_free_connection(self, pool: "AsyncConnectionPool[Connection]", end: float) -> Connection:
        try:
            known = self._describe_use() if self._lent >= self.url.pool else None
            with explain_wait(self._describe_wait, known=known):
                async with self._outage.limit_wait() if is_limited() else nullcontext():
                    connection = await pool.getconn(timeout=max(end - time.monotonic(), 0.1))
        except PoolTimeout:
            raise StoreError(self._describe_wait().said) from self._refused
        self._lent += 1
        return connection

    def _describe_wait(self) -> WaitCause:
        """What a call waits for that has no connection yet."""
        if self._refused is not None:
            return WaitCause(str(error_mapping.explain_silence(self._refused, self.url.shown)))
        if self._opening and self._lent < self.url.pool:
            return WaitCause(f"{self.url.shown} does not answer; is the server running?")
        return self._describe_use()

    def _describe_use(self) -> WaitCause:
        said = f"all {self.url.pool} connections to {self.url.shown} are in use; write a larger pool= in its URL"
        return WaitCause(f"{said}, or let fewer questions work at once (serve.concurrency)", is_busy=True)

    async def _return_connection(self, pool: "AsyncConnectionPool[Connection]", connection: Connection) -> None:
        """Give a connection back without an open transaction; what cannot even end one is thrown away."""
        try:
            if connection.pgconn.transaction_status not in (0, 4):  # libpq's IDLE, UNKNOWN
                async with asyncio.timeout(CANCEL_SECONDS):
                    await connection.rollback()
        except (psycopg.Error, TimeoutError):
            await connection.close()
        finally:
            self._lent -= 1
            await pool.putconn(connection)

    async def open_dedicated(self) -> Connection:
        """A connection of its own, outside of the pool: waits for a server that starts, or that has answered before."""
        self._check_open()
        begun = time.monotonic()
        usual, first = begun + self._patience, max(begun, begun + FIRST_PATIENCE if begun > self._silent else 0.0)
        for tries in range(10_000):
            self._opening += 1
            asked, pooled = time.monotonic(), self._server is not None and self._server.pooled
            try:
                opened = await DedicatedConnection.connect(self.url.conninfo, **make_options(pooled=pooled))
            except psycopg.OperationalError as error:
                self._refused = error
                if self._server is not None and error_mapping.is_lost(error):
                    self._outage.note_failure(error, begun=asked)
                elif self._server is not None:
                    self._outage.note_answer()
                if mistake := error_mapping.explain_refusal(error, self.url.shown):
                    raise mistake from error
                pause = RETRY_PAUSES[min(tries, len(RETRY_PAUSES) - 1)]
                known = self._server is not None or error_mapping.is_starting(error)
                if time.monotonic() + pause > (usual if known else min(usual, first)):
                    self._silent = time.monotonic() + SILENCE
                    raise error_mapping.explain_silence(error, self.url.shown) from error
            else:
                self._refused = None
                self._outage.note_answer()
                opened.suspect = self._outage.suspect
                return opened
            finally:
                self._opening -= 1
            self._check_open()
            await asyncio.sleep(pause)
        raise self._make_closed_error()

    async def _knock(self) -> None:
        """Raise the error of the driver where no server takes a connection."""
        try:
            opened = await DedicatedConnection.connect(self.url.conninfo, connect_timeout=KNOCK_SECONDS)
        except psycopg.OperationalError as error:
            if error_mapping.is_lost(error):
                raise
        else:
            await opened.close()  # which waits for nothing, so that a connection that is cut off here stays not open

    def _explain_silence(self, error: Exception) -> RagstoneError:
        return error_mapping.explain_silence(error, self.url.shown)

    async def retry_work(self, work: Callable[[int], Awaitable[T]]) -> T:
        """Do idempotent work, again if the connection is lost meanwhile; it is given how often it was tried."""
        end, cancelled = time.monotonic() + self._patience, count_cancellations()
        tries = 0
        while True:
            try:
                return await work(tries)
            except StoreError as error:
                cause = error.__cause__
                # Who waited for a server as long as anybody does stopped within the last pause.
                if (
                    cause is None
                    or self._server is None  # it has never answered, and was waited for
                    or not error_mapping.is_connection_lost(cause)
                    or time.monotonic() + RETRY_PAUSES[-1] > end
                    or (is_limited() and self._outage.is_known)
                    or count_cancellations() > cancelled
                ):
                    raise
            await asyncio.sleep(RETRY_PAUSES[min(tries, len(RETRY_PAUSES) - 1)])
            tries += 1

    async def run_transaction(self, tenant: str, work: Callable[[Cursor, int], Awaitable[T]]) -> T:
        """Idempotent work in one transaction as a tenant; see `persistently`."""

        async def run_once(tries: int) -> T:
            async with self.open_transaction(tenant) as cursor:
                return await work(cursor, tries)

        return await self.retry_work(run_once)

    async def close(self) -> None:
        """Close them all; nothing can be asked after."""
        self._closed = True
        await self._outage.close()
        pool, self._pool = self._pool, None
        if pool is not None and self._loop is asyncio.get_running_loop():
            await pool.close()

    def _check_open(self) -> None:
        if self._closed:
            raise self._make_closed_error()

    def _make_closed_error(self) -> StoreError:
        return StoreError(f"{self.url.shown} is closed: open the store anew")
