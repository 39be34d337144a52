"""What is known about documents and runs."""

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.core.types import Document, Run
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.frozen import confirm
from ragstone.stores.embedded.paths import Place, gate_of
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.embedded.turns import check_not_copied, check_not_doomed
from ragstone.stores.foreign import mapped
from ragstone.stores.locks import gate, held, hold, ingestion
from ragstone.stores.packing import document_of, packed, run_of


class Held:
    """The locks of the runs that this store started, by file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._descriptors: dict[Path, int] = {}

    def take(self, path: Path, *, source: str, since: str) -> None:
        """Take a lock; raises `Busy`, also when this store itself holds it."""
        descriptor = hold(path, what=ingestion(source), since=since)
        with self._lock:
            self._descriptors[path] = descriptor

    def drop(self, path: Path) -> None:
        """Let a lock go; nothing happens when it is not ours."""
        with self._lock:
            descriptor = self._descriptors.pop(path, None)
        if descriptor is not None:
            os.close(descriptor)

    def close(self) -> None:
        """Let all go."""
        for path in list(self._descriptors):
            self.drop(path)


class EmbeddedLedger:
    """See `ragstone.core.ports.Ledger`. `collection` opens it; `locks` are those of this store's runs."""

    def __init__(self, root: Path, collection: Callable[[], Collection], threads: Threads, locks: Held) -> None:
        self._root = root
        self._collection = collection
        self._threads = threads
        self._locks = locks

    async def documents(self, source: str | None = None) -> list[Document]:
        return await self._threads.run(lambda: self._documents(source))

    async def kept(self) -> list[Document]:
        sql = "SELECT facts FROM revisions ORDER BY document, revision"
        return await self._threads.run(lambda: [document_of(facts) for (facts,) in self._read(sql)])

    async def start(self, run: Run) -> None:
        await self._threads.run(lambda: self._start(run))

    async def update(self, run: Run) -> None:
        await self._threads.run(lambda: self._update(run))

    async def finish(self, run: Run) -> None:
        await self._threads.run(lambda: self._finish(run))

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._threads.run(lambda: self._runs(limit))

    def _documents(self, source: str | None) -> list[Document]:
        sql = """SELECT r.facts FROM documents d JOIN revisions r ON r.document = d.id
            WHERE (? IS NULL OR d.source = ?)
            AND r.revision = (SELECT max(revision) FROM revisions WHERE document = d.id)
            ORDER BY d.source, d.path"""
        return [document_of(facts) for (facts,) in self._read(sql, source, source)]

    def _start(self, run: Run) -> None:
        path = self._locked(run)
        with mapped(self._root):
            try:
                self._write(run, "UPDATE runs SET status = 'interrupted' WHERE source = ? AND status = 'running'")
            except BaseException:
                self._locks.drop(path)
                raise

    def _locked(self, run: Run) -> Path:
        """The lock of the run's source, taken. Behind the gate, or the collection might be erased, or put under another
        key, between the look at it and the lock."""
        while True:
            collection = self._collection()  # raises `NotBuilt` before anything is made
            with mapped(self._root), gate(gate_of(self._root), shared=True):
                check_not_doomed(self._root, collection.scope.tenant)
                check_not_copied(collection.place, collection.scope.collection, what="ingested into")
                if collection.current:
                    path = collection.place.lock(run.source)
                    self._locks.take(path, source=run.source, since=run.started_at)
                    return path

    def _update(self, run: Run) -> None:
        with mapped(self._collection().place.directory):
            self._write(run)

    def _finish(self, run: Run) -> None:
        collection = self._collection()
        with mapped(collection.place.directory):
            try:
                self._write(run)
            finally:
                self._locks.drop(collection.place.lock(run.source))

    def _runs(self, limit: int) -> list[Run]:
        place = self._collection().place
        found = self._read("SELECT status, run FROM runs ORDER BY number DESC LIMIT ?", max(limit, 0))
        with mapped(place.directory):
            runs = [replace(run_of(data), status=status) for status, data in found]
            return [replace(run, status="interrupted") if _died(run, place) else run for run in runs]

    def _read(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        collection = self._collection()
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                try:
                    return connection.execute(sql, parameters).fetchall()
                finally:
                    confirm(connection)
        finally:
            collection.release(connection)

    def _write(self, run: Run, before: str | None = None) -> None:
        data = packed(run, place=f"run {run.id}")
        collection = self._collection()
        connection = collection.connection()
        try:
            with writing(connection):
                if before is not None:
                    connection.execute(before, (run.source,))
                connection.execute(
                    """INSERT INTO runs (id, source, status, run) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET status = excluded.status, run = excluded.run""",
                    (run.id, run.source, run.status, data),
                )
        finally:
            collection.release(connection)


def _died(run: Run, place: Place) -> bool:
    """Whether a run that says it is running has lost its process."""
    return run.status == "running" and not held(place.lock(run.source))
