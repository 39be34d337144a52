"""What is known about documents and runs. A running one holds a lock of its session: it goes with its process."""

import asyncio
import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import psycopg

from ragstone.core.errors import Busy, StoreError
from ragstone.core.types import Document, Run, Scope
from ragstone.stores.packing import document_of, packed, run_of
from ragstone.stores.postgres.catalogue import check_staying, found
from ragstone.stores.postgres.foreign import mapped
from ragstone.stores.postgres.pool import Connection, Cursor, Pool
from ragstone.stores.postgres.rows import CollectionRow, shown

Status = Literal["running", "succeeded", "failed", "interrupted"]
GLANCE = 0.25  # seconds: the server may not have noticed yet that a process is gone
LOST = 10.0  # seconds in which the server frees a lock whose connection was lost: a busy one takes a while
STEP = 0.05
DOCUMENTS = """SELECT DISTINCT ON (d.source, d.path, d.doc_id) v.facts
    FROM documents d JOIN document_versions v ON v.collection_id = d.collection_id AND v.doc_id = d.doc_id
    WHERE d.tenant_id = %s AND d.collection_id = %s AND (%s::text IS NULL OR d.source = %s)
    ORDER BY d.source, d.path, d.doc_id, v.revision DESC"""
EVERY = """SELECT facts FROM document_versions WHERE tenant_id = %s AND collection_id = %s
    ORDER BY doc_id, revision"""
# So that nobody erases the collection between the look at it and the run.
KEPT = "SELECT FROM collections WHERE tenant_id = %s AND collection_id = %s FOR KEY SHARE"
DIED = """UPDATE ingestion_runs SET status = 'interrupted'
    WHERE tenant_id = %s AND collection_id = %s AND source = %s AND status = 'running' AND run_id <> %s"""
WRITE = """INSERT INTO ingestion_runs (tenant_id, collection_id, run_id, source, status, started_at, finished_at,
        config, stats, error, run)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s::text::jsonb, %s::text::jsonb, %s, %s)
    ON CONFLICT (collection_id, run_id) DO UPDATE SET status = excluded.status, finished_at = excluded.finished_at,
        config = excluded.config, stats = excluded.stats, error = excluded.error, run = excluded.run"""
RUNS = """SELECT status, source, run FROM ingestion_runs WHERE tenant_id = %s AND collection_id = %s
    ORDER BY run_number DESC LIMIT %s"""
# objsubid 1: locks of one 64-bit number. A standby does not know who holds what on its primary.
HELD = """SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


def lock_number(collection: int, source: str) -> int:
    """The number of the lock of a source."""
    digest = hashlib.sha256(f"ragstone run\0{collection}\0{source}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


class Held:
    """The locks of the runs that this store started: a connection each, by collection and source."""

    def __init__(self) -> None:
        self._connections: dict[tuple[int, str], Connection] = {}

    async def take(self, pool: Pool, collection: int, source: str, *, seconds: float = GLANCE) -> None:
        """Take a lock; raises `Busy` when it is not free within `seconds`, also when this store itself holds it."""
        self._connections[collection, source] = await pool.persistently(
            lambda _: _locked(pool, collection, source, seconds)
        )

    async def keep(self, pool: Pool, collection: int, source: str) -> None:
        """Take a lock anew that was lost with its connection; raises `Busy` when another was quicker."""
        connection = self._connections.get((collection, source))
        if connection is None:
            return
        try:
            await connection.execute("SELECT 1")
        except psycopg.Error:
            await self.drop(collection, source)
            await self.take(pool, collection, source, seconds=LOST)

    async def drop(self, collection: int, source: str) -> None:
        """Let a lock go; nothing happens when it is not ours."""
        connection = self._connections.pop((collection, source), None)
        if connection is not None:
            await connection.close()

    async def close(self) -> None:
        """Let all go."""
        for collection, source in list(self._connections):
            await self.drop(collection, source)


async def _locked(pool: Pool, collection: int, source: str, seconds: float) -> Connection:
    """A connection that holds the lock."""
    connection = await pool.apart()
    try:
        with mapped(pool.url.shown):
            if not await _taken(connection, lock_number(collection, source), seconds):
                raise Busy(f"another ingestion of source {source!r} is running; wait for it or stop it")
    except BaseException:
        await connection.close()
        raise
    return connection


async def _taken(connection: Connection, number: int, seconds: float) -> bool:
    for _ in range(int(seconds / STEP) + 1):
        row = await (await connection.execute("SELECT pg_try_advisory_lock(%s::bigint)", (number,))).fetchone()
        if row is not None and row[0]:
            return True
        await asyncio.sleep(STEP)
    return False


class PostgresLedger:
    """See `ragstone.core.ports.Ledger`. `locks` are those of this store's runs."""

    def __init__(self, pool: Pool, scope: Scope, locks: Held) -> None:
        self._pool = pool
        self._scope = scope
        self._locks = locks

    async def documents(self, source: str | None = None) -> list[Document]:
        async def look(cursor: Cursor, _: int) -> list[Document]:
            collection = await found(cursor, self._scope)
            await cursor.execute(DOCUMENTS, (collection.tenant, collection.collection_id, source, source))
            return [document_of(bytes(facts)) for (facts,) in await cursor.fetchall()]

        return await self._pool.done(self._scope.tenant, look)

    async def kept(self) -> list[Document]:
        async def look(cursor: Cursor, _: int) -> list[Document]:
            collection = await found(cursor, self._scope)
            await cursor.execute(EVERY, (collection.tenant, collection.collection_id))
            return [document_of(bytes(facts)) for (facts,) in await cursor.fetchall()]

        return await self._pool.done(self._scope.tenant, look)

    async def start(self, run: Run) -> None:
        collection = await self._collection()
        await self._locks.take(self._pool, collection.collection_id, run.source)
        try:
            await self._write(run, begins=True)
        except BaseException:
            await self._locks.drop(collection.collection_id, run.source)
            raise

    async def update(self, run: Run) -> None:
        collection = await self._collection()
        await self._locks.keep(self._pool, collection.collection_id, run.source)
        await self._write(run)

    async def finish(self, run: Run) -> None:
        collection = await self._collection()
        try:
            await self._write(run)
        finally:
            await self._locks.drop(collection.collection_id, run.source)

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._pool.done(self._scope.tenant, lambda cursor, _: self._runs(cursor, limit))

    async def _runs(self, cursor: Cursor, limit: int) -> list[Run]:
        collection = await found(cursor, self._scope)
        await cursor.execute(RUNS, (collection.tenant, collection.collection_id, max(limit, 0)))
        rows: list[tuple[Status, str, Run]] = [
            (status, source, run_of(bytes(data))) for status, source, data in await cursor.fetchall()
        ]
        running = {source for status, source, _ in rows if status == "running"}
        lost = await died(cursor, collection.collection_id, running)
        return [
            replace(run, status="interrupted" if status == "running" and source in lost else status)
            for status, source, run in rows
        ]

    async def _collection(self) -> CollectionRow:
        return await self._pool.done(self._scope.tenant, lambda cursor, _: found(cursor, self._scope))

    async def _write(self, run: Run, *, begins: bool = False) -> None:
        data = packed(run, place=f"run {run.id}")
        plain = [packed(dict(value), place=f"run {run.id}").decode() for value in (run.config, run.stats)]

        async def once(cursor: Cursor, _: int) -> None:
            collection = await found(cursor, self._scope)
            scope = (collection.tenant, collection.collection_id)
            if begins:
                await check_staying(cursor, collection.tenant)
                await cursor.execute(KEPT, scope)
                if not cursor.rowcount:
                    raise StoreError(f"collection {self._scope.collection!r} was erased meanwhile; run again")
                await cursor.execute(DIED, (*scope, run.source, run.id))
            error = None if run.error is None else shown(run.error)
            times = (run.started_at, run.finished_at)
            about = (run.id, run.source, run.status, *times, *plain, error, data)
            await cursor.execute(WRITE, (*scope, *about))

        await self._pool.done(self._scope.tenant, once)


async def died(cursor: Cursor, collection: int, sources: Iterable[str]) -> set[str]:
    """Those of the sources whose lock nobody holds; none on a standby, which cannot know."""
    wanted = {lock_number(collection, source) & (2**64 - 1): source for source in sources}
    if not wanted:
        return set()
    await cursor.execute("SELECT pg_is_in_recovery()")
    row = await cursor.fetchone()
    if row is not None and row[0]:
        return set()
    await cursor.execute(HELD)
    held = {number & (2**64 - 1) for (number,) in await cursor.fetchall()}
    return {source for number, source in wanted.items() if number not in held}
