"""The ledger: documents and runs. A running one holds a lock of its session: it goes with its process. Behind a pooler
in transaction mode it is the lock of a transaction, which is left open: only that keeps a session."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import psycopg
from psycopg.pq import TransactionStatus

from ragstone.core.errors import Busy, StoreError
from ragstone.core.records import KEPT_RUNS, Run
from ragstone.core.types import Document, Scope
from ragstone.stores.encoding import decode_document, decode_run, encode_value
from ragstone.stores.listed_documents import within_bounds
from ragstone.stores.postgres.catalogue import check_not_erasing, check_writable, read_collection
from ragstone.stores.postgres.connection import Connection, Cursor
from ragstone.stores.postgres.error_mapping import is_connection_lost, map_errors
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.rows import CollectionRow, replace_nul

Status = Literal["running", "succeeded", "failed", "interrupted"]
LOCK_PATIENCE = 0.25  # seconds: the server may not have noticed yet that a process is gone
LOST = 10.0  # seconds in which the server frees a lock whose connection was lost: a busy one takes a while
LOCK_PAUSE = 0.05
DOCUMENTS = """SELECT DISTINCT ON (d.source, d.path, d.doc_id) v.facts
    FROM documents d JOIN document_versions v ON v.collection_id = d.collection_id AND v.doc_id = d.doc_id
    WHERE d.tenant_id = %s AND d.collection_id = %s {which}
    ORDER BY d.source, d.path, d.doc_id, v.revision DESC"""
OF_SOURCE, OF_IDENTITY = " AND d.source = %s", " AND d.doc_id = %s"
# By the index over beginnings of paths; then the paths themselves.
WITHIN = " AND d.path_head BETWEEN %s AND %s AND (d.path = %s OR d.path > %s AND d.path < %s)"
HEAD = 400  # characters of a path in the index
AT_PATHS = """SELECT DISTINCT ON (d.path) v.facts
    FROM documents d JOIN document_versions v ON v.collection_id = d.collection_id AND v.doc_id = d.doc_id
    WHERE d.tenant_id = %s AND d.collection_id = %s AND d.source = %s AND d.path = ANY(%s)
    ORDER BY d.path, v.revision DESC"""
# The server sorts once and keeps the rest; a page of its own each would sort all documents again.
SCAN_DOCUMENTS = """DECLARE stored NO SCROLL CURSOR FOR
    SELECT v.facts FROM documents d CROSS JOIN LATERAL (SELECT facts FROM document_versions
        WHERE collection_id = d.collection_id AND doc_id = d.doc_id ORDER BY revision DESC LIMIT 1) v
    WHERE d.tenant_id = %s AND d.collection_id = %s AND (d.path, d.source) > (%s, %s) ORDER BY d.path, d.source"""
NEXT_DOCUMENTS = "FETCH 512 FROM stored"
MOST_SCANS = 3  # begun where the last one got to, when a connection is lost
ALL_REVISIONS = """SELECT facts FROM document_versions WHERE tenant_id = %s AND collection_id = %s
    ORDER BY doc_id, revision"""
# So that nobody erases the collection between the look at it and the run.
LOCK_COLLECTION_KEY = "SELECT FROM collections WHERE tenant_id = %s AND collection_id = %s FOR KEY SHARE"
MARK_INTERRUPTED = """UPDATE ingestion_runs SET status = 'interrupted'
    WHERE tenant_id = %s AND collection_id = %s AND source = %s AND status = 'running' AND run_id <> %s"""
FORGET_OLD = """DELETE FROM ingestion_runs WHERE tenant_id = %s AND collection_id = %s AND source = %s AND run_number <=
    (SELECT run_number FROM ingestion_runs WHERE collection_id = %s AND source = %s
        ORDER BY run_number DESC OFFSET %s LIMIT 1)"""
WRITE = """INSERT INTO ingestion_runs (tenant_id, collection_id, run_id, source, status, started_at, finished_at,
        config, stats, error, run)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s::text::jsonb, %s::text::jsonb, %s, %s)
    ON CONFLICT (collection_id, run_id) DO UPDATE SET status = excluded.status, finished_at = excluded.finished_at,
        config = excluded.config, stats = excluded.stats, error = excluded.error, run = excluded.run"""
RUNS = """SELECT status, source, run FROM ingestion_runs WHERE tenant_id = %s AND collection_id = %s
    ORDER BY run_number DESC LIMIT %s"""
# objsubid 1: locks of one 64-bit number. A standby does not know who holds what on its primary.
HELD_LOCKS = """SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


def run_lock_number(collection: int, source: str) -> int:
    """The number of the lock of a source."""
    digest = hashlib.sha256(f"ragstone run\0{collection}\0{source}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


class RunLocks:
    """The locks of the runs that this store started: a connection each, by collection and source."""

    def __init__(self) -> None:
        self._connections: dict[tuple[int, str], Connection] = {}

    async def acquire(self, pool: Pool, collection: int, source: str, *, seconds: float = LOCK_PATIENCE) -> None:
        """Take a lock; raises `Busy` when it is not free within `seconds`, also when this store itself holds it."""
        self._connections[collection, source] = await pool.retry_work(
            lambda _: _open_locked(pool, collection, source, seconds)
        )

    async def renew(self, pool: Pool, collection: int, source: str) -> None:
        """Take a lock again that was lost with its connection; raises `Busy` when another was quicker."""
        connection = self._connections.get((collection, source))
        if connection is None:
            return
        try:
            await connection.execute("SELECT 1")
        except psycopg.Error:
            await self.release(collection, source)
            await self.acquire(pool, collection, source, seconds=LOST)

    async def release(self, collection: int, source: str) -> None:
        """Let a lock go; nothing happens when it is not ours."""
        connection = self._connections.pop((collection, source), None)
        if connection is not None:
            await connection.close()

    async def close(self) -> None:
        """Let all go."""
        for collection, source in list(self._connections):
            await self.release(collection, source)


async def _open_locked(pool: Pool, collection: int, source: str, seconds: float) -> Connection:
    """A connection that holds the lock."""
    connection = await pool.open_dedicated()
    try:
        with map_errors(pool.url.shown):
            if (await pool.get_server()).pooled:
                await connection.execute("BEGIN")
            if not await _try_lock(connection, run_lock_number(collection, source), seconds):
                raise Busy(f"another ingestion of source {source!r} is running; wait for it or stop it")
    except BaseException:
        await connection.close()
        raise
    return connection


async def _try_lock(connection: Connection, number: int, seconds: float) -> bool:
    """Of the transaction where one is open, else of the session."""
    within = connection.info.transaction_status != TransactionStatus.IDLE
    statement = f"SELECT pg_try_advisory_{'xact_' if within else ''}lock(%s::bigint)".encode()
    for _ in range(int(seconds / LOCK_PAUSE) + 1):
        row = await (await connection.execute(statement, (number,))).fetchone()
        if row is not None and row[0]:
            return True
        await asyncio.sleep(LOCK_PAUSE)
    return False


class PostgresLedger:
    """Keeps runs and documents in tables; implements `Ledger`. `locks` are those of this store's runs."""

    def __init__(self, pool: Pool, scope: Scope, locks: RunLocks) -> None:
        self._pool = pool
        self._scope = scope
        self._locks = locks

    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        which, given = "", list[str]()
        if source is not None:
            which, given = which + OF_SOURCE, [*given, source]
        if within is not None:
            bounds = within_bounds(within)
            which, given = which + WITHIN, [*given, within[:HEAD], bounds[-1][:HEAD], *bounds]
        if identity is not None:
            which, given = which + OF_IDENTITY, [*given, identity]
        statement = DOCUMENTS.format(which=which)

        async def read_documents(cursor: Cursor, _: int) -> list[Document]:
            collection = await read_collection(cursor, self._scope)
            await cursor.execute(statement, (collection.tenant, collection.collection_id, *given))
            return [decode_document(bytes(facts)) for (facts,) in await cursor.fetchall()]

        return await self._pool.run_transaction(self._scope.tenant, read_documents)

    async def find_documents(self, source: str, paths: Sequence[str]) -> list[Document]:
        async def read_documents(cursor: Cursor, _: int) -> list[Document]:
            collection = await read_collection(cursor, self._scope)
            await cursor.execute(AT_PATHS, (collection.tenant, collection.collection_id, source, list(paths)))
            return [decode_document(bytes(facts)) for (facts,) in await cursor.fetchall()]

        return await self._pool.run_transaction(self._scope.tenant, read_documents)

    async def scan_documents(self) -> AsyncGenerator[list[Document]]:
        after, left = ("", ""), MOST_SCANS
        while left:
            left -= 1
            try:
                async with self._pool.open_transaction(self._scope.tenant) as cursor:
                    collection = await read_collection(cursor, self._scope)
                    await cursor.execute(SCAN_DOCUMENTS, (collection.tenant, collection.collection_id, *after))
                    while found := await (await cursor.execute(NEXT_DOCUMENTS)).fetchall():
                        page = [decode_document(bytes(facts)) for (facts,) in found]
                        yield page
                        after = (page[-1].path, page[-1].source)
                    return
            except StoreError as error:
                if not left or error.__cause__ is None or not is_connection_lost(error.__cause__):
                    raise

    async def list_all_revisions(self) -> list[Document]:
        async def read_revisions(cursor: Cursor, _: int) -> list[Document]:
            collection = await read_collection(cursor, self._scope)
            await cursor.execute(ALL_REVISIONS, (collection.tenant, collection.collection_id))
            return [decode_document(bytes(facts)) for (facts,) in await cursor.fetchall()]

        return await self._pool.run_transaction(self._scope.tenant, read_revisions)

    async def start(self, run: Run) -> None:
        collection = await self._read_collection()
        await self._locks.acquire(self._pool, collection.collection_id, run.source)
        try:
            await self._write(run, begins=True)
        except BaseException:
            await self._locks.release(collection.collection_id, run.source)
            raise

    async def update(self, run: Run) -> None:
        collection = await self._read_collection()
        await self._locks.renew(self._pool, collection.collection_id, run.source)
        await self._write(run)

    async def finish(self, run: Run) -> None:
        collection = await self._read_collection()
        try:
            await self._write(run)
        finally:
            await self._locks.release(collection.collection_id, run.source)

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._pool.run_transaction(self._scope.tenant, lambda cursor, _: self._read_runs(cursor, limit))

    async def _read_runs(self, cursor: Cursor, limit: int) -> list[Run]:
        collection = await read_collection(cursor, self._scope)
        await cursor.execute(RUNS, (collection.tenant, collection.collection_id, max(limit, 0)))
        rows: list[tuple[Status, str, Run]] = [
            (status, source, decode_run(bytes(data))) for status, source, data in await cursor.fetchall()
        ]
        running = {source for status, source, _ in rows if status == "running"}
        lost = await find_dead_sources(cursor, collection.collection_id, running)
        return [
            replace(run, status="interrupted" if status == "running" and source in lost else status)
            for status, source, run in rows
        ]

    async def _read_collection(self) -> CollectionRow:
        return await self._pool.run_transaction(
            self._scope.tenant, lambda cursor, _: read_collection(cursor, self._scope)
        )

    async def _write(self, run: Run, *, begins: bool = False) -> None:
        data = encode_value(run, place=f"run {run.id}")
        plain = [encode_value(dict(value), place=f"run {run.id}").decode() for value in (run.config, run.stats)]

        async def write_once(cursor: Cursor, _: int) -> None:
            collection = await read_collection(cursor, self._scope)
            scope = (collection.tenant, collection.collection_id)
            if begins:
                await check_writable(cursor)
                await check_not_erasing(cursor, collection.tenant)
                await cursor.execute(LOCK_COLLECTION_KEY, scope)
                if not cursor.rowcount:
                    raise StoreError(f"collection {self._scope.collection!r} was erased meanwhile; run again")
                await cursor.execute(MARK_INTERRUPTED, (*scope, run.source, run.id))
            error = None if run.error is None else replace_nul(run.error)
            times = (run.started_at, run.finished_at)
            about = (run.id, run.source, run.status, *times, *plain, error, data)
            await cursor.execute(WRITE, (*scope, *about))
            if begins:
                of = (collection.collection_id, run.source)
                await cursor.execute(FORGET_OLD, (collection.tenant, *of, *of, KEPT_RUNS))

        await self._pool.run_transaction(self._scope.tenant, write_once)


async def find_dead_sources(cursor: Cursor, collection: int, sources: Iterable[str]) -> set[str]:
    """Those of the sources whose lock is free; none on a standby, which cannot know."""
    wanted = {run_lock_number(collection, source) & (2**64 - 1): source for source in sources}
    if not wanted:
        return set()
    await cursor.execute("SELECT pg_is_in_recovery()")
    row = await cursor.fetchone()
    if row is not None and row[0]:
        return set()
    await cursor.execute(HELD_LOCKS)
    held = {number & (2**64 - 1) for (number,) in await cursor.fetchall()}
    return {source for number, source in wanted.items() if number not in held}
