"""The ledger: documents and runs."""

import os
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ragstone.core.records import KEPT_RUNS, Run
from ragstone.core.types import Document
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import encode_list, write_transaction
from ragstone.stores.embedded.file_stamps import read_stamps, write_stamps
from ragstone.stores.embedded.frozen_files import check_unchanged
from ragstone.stores.embedded.paths import CollectionFiles, store_lock_path
from ragstone.stores.embedded.tenant_marks import check_not_erasing, check_not_rekeying
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.encoding import decode_document, decode_run, encode_value
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.file_locks import acquire_lock, brief_lock, describe_ingestion, is_locked
from ragstone.stores.listed_documents import within_bounds

DOCUMENTS = """SELECT r.facts FROM documents d JOIN revisions r ON r.document = d.id
    WHERE ({which}) AND r.revision = (SELECT max(revision) FROM revisions WHERE document = d.id)
    ORDER BY {order} LIMIT {limit}"""
# The paths first: SQLite would go through all documents of the source else.
AT_PATHS = """SELECT r.facts FROM (SELECT DISTINCT value AS path FROM json_each(?)) p
    CROSS JOIN documents d ON d.path = p.path AND d.source = ? CROSS JOIN revisions r ON r.document = d.id
    WHERE r.revision = (SELECT max(revision) FROM revisions WHERE document = d.id) ORDER BY d.path"""
# The last run of the source: it alone can still say so, and all runs are never gone through for it.
MARK_INTERRUPTED = """UPDATE runs SET status = 'interrupted' WHERE status = 'running'
    AND number = (SELECT number FROM runs WHERE source = ? ORDER BY number DESC LIMIT 1)"""
FORGET_OLD = """DELETE FROM runs WHERE source = ? AND number <=
    (SELECT number FROM runs WHERE source = ? ORDER BY number DESC LIMIT 1 OFFSET ?)"""
FORGET_EVERY = 16  # runs: no index leads to those of a source
PAGE = 512  # documents that are in memory at once where all are gone through


class RunLocks:
    """The locks of the runs that this store started, by file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._descriptors: dict[Path, int] = {}

    def acquire(self, path: Path, *, source: str, since: str) -> None:
        """Take a lock; raises `Busy`, also when this store itself holds it."""
        descriptor = acquire_lock(path, what=describe_ingestion(source), since=since)
        with self._lock:
            self._descriptors[path] = descriptor

    def release(self, path: Path) -> None:
        """Let a lock go; nothing happens when it is not ours."""
        with self._lock:
            descriptor = self._descriptors.pop(path, None)
        if descriptor is not None:
            os.close(descriptor)

    def close(self) -> None:
        """Let all go."""
        for path in list(self._descriptors):
            self.release(path)


class EmbeddedLedger:
    """Keeps runs and documents in the collection's database; implements `Ledger`. `collection` opens it; `locks` are
    those of this store's runs."""

    def __init__(self, root: Path, collection: Callable[[], Collection], threads: ThreadPool, locks: RunLocks) -> None:
        self._root = root
        self._collection = collection
        self._threads = threads
        self._locks = locks

    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        which, given = "(? IS NULL OR d.source = ?)", [source, source]
        if within is not None:  # by the index over paths; `0` follows `/`
            which, given = f"{which} AND (d.path = ? OR d.path > ? AND d.path < ?)", [*given, *within_bounds(within)]
        if identity is not None:
            which, given = f"{which} AND d.id = ?", [*given, identity]
        sql = DOCUMENTS.format(which=which, order="d.source, d.path", limit=-1)
        return await self._threads.run(lambda: self._list_documents(sql, *given))

    async def find_documents(self, source: str, paths: Sequence[str]) -> list[Document]:
        listed = encode_list(list(paths))
        return await self._threads.run(lambda: self._list_documents(AT_PATHS, listed, source))

    async def list_all_revisions(self) -> list[Document]:
        sql = "SELECT facts FROM revisions ORDER BY document, revision"
        return await self._threads.run(lambda: self._list_documents(sql))

    async def start(self, run: Run) -> None:
        await self._threads.run(lambda: self._start(run))

    async def update(self, run: Run) -> None:
        await self._threads.run(lambda: self._update(run))

    async def finish(self, run: Run) -> None:
        await self._threads.run(lambda: self._finish(run))

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._threads.run(lambda: self._list_runs(limit))

    async def scan_documents(self) -> AsyncGenerator[list[Document]]:
        sql = DOCUMENTS.format(which="(d.path, d.source) > (?, ?)", order="d.path, d.source", limit=PAGE)
        after = ("", "")
        while page := await self._threads.run(partial(self._list_documents, sql, *after)):
            yield page
            after = (page[-1].path, page[-1].source)

    async def recall_files(self, source: str) -> bytes:
        return await self._threads.run(lambda: read_stamps(self._collection().place, source))

    async def remember_files(self, source: str, notes: bytes) -> None:
        await self._threads.run(lambda: write_stamps(self._collection().place, source, notes))

    def _list_documents(self, sql: str, *parameters: object) -> list[Document]:
        return [decode_document(facts) for (facts,) in self._fetch_rows(sql, *parameters)]

    def _start(self, run: Run) -> None:
        path = self._lock_source(run)
        with map_errors(self._root):
            try:
                self._write_run(run, MARK_INTERRUPTED)
            except BaseException:
                self._locks.release(path)
                raise

    def _lock_source(self, run: Run) -> Path:
        """The lock of the run's source, taken. Under the store's lock, or the collection might be erased, or put
        under another key, between the look at it and the lock."""
        while True:
            collection = self._collection()  # raises `NotBuilt` before anything is made
            with map_errors(self._root), brief_lock(store_lock_path(self._root), shared=True):
                check_not_erasing(self._root, collection.scope.tenant)
                check_not_rekeying(collection.place, collection.scope.collection, what="ingested into")
                if collection.is_current:
                    path = collection.place.lock_file(run.source)
                    self._locks.acquire(path, source=run.source, since=run.started_at)
                    return path

    def _update(self, run: Run) -> None:
        with map_errors(self._collection().place.directory):
            self._write_run(run)

    def _finish(self, run: Run) -> None:
        collection = self._collection()
        with map_errors(collection.place.directory):
            try:
                self._write_run(run)
            finally:
                self._locks.release(collection.place.lock_file(run.source))

    def _list_runs(self, limit: int) -> list[Run]:
        place = self._collection().place
        found = self._fetch_rows("SELECT status, run FROM runs ORDER BY number DESC LIMIT ?", max(limit, 0))
        with map_errors(place.directory):
            runs = [replace(decode_run(data), status=status) for status, data in found]
            return [replace(run, status="interrupted") if _has_died(run, place) else run for run in runs]

    def _fetch_rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        collection = self._collection()
        connection = collection.take_connection()
        try:
            with map_errors(collection.place.directory):
                try:
                    return connection.execute(sql, parameters).fetchall()
                finally:
                    check_unchanged(connection)
        finally:
            collection.release(connection)

    def _write_run(self, run: Run, before: str | None = None) -> None:
        data = encode_value(run, place=f"run {run.id}")
        collection = self._collection()
        connection = collection.take_connection(writing=True)
        try:
            with write_transaction(connection):
                if before is not None:
                    connection.execute(before, (run.source,))
                written = connection.execute(
                    """INSERT INTO runs (id, source, status, run) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET status = excluded.status, run = excluded.run""",
                    (run.id, run.source, run.status, data),
                )
                if before is not None and (written.lastrowid or 0) % FORGET_EVERY == 0:
                    connection.execute(FORGET_OLD, (run.source, run.source, KEPT_RUNS))
        finally:
            collection.release(connection)


def _has_died(run: Run, place: CollectionFiles) -> bool:
    """Whether a run that says it is running has lost its process."""
    return run.status == "running" and not is_locked(place.lock_file(run.source))
