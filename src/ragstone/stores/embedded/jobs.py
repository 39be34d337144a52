"""The queue of jobs: one small SQLite file at the root of the store, beside the tenants' directories."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from ragstone.core.errors import StoreTooNew
from ragstone.stores.durable_files import sync_directory
from ragstone.stores.embedded.database import MigrationStep, open_file, read_format, upgrade_file, write_transaction
from ragstone.stores.embedded.paths import check_store, make_store, store_lock_path
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.file_locks import brief_lock
from ragstone.stores.job_queue import SqlJobQueue
from ragstone.stores.job_statements import Work

T = TypeVar("T")
JOBS_DATABASE = "jobs.db"  # no tenant's directory has a dot in its name
DAMAGE_MESSAGE = (
    "{place} is damaged ({error}), and with it the queue of ingestion jobs: move it away, and upload what waited again"
)


def _create_jobs_table(connection: sqlite3.Connection) -> None:
    connection.execute(
        """CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL UNIQUE,
        tenant_id TEXT NOT NULL,
        collection TEXT NOT NULL,
        path TEXT,               -- of an uploaded document; NULL: the configured sources
        status TEXT NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        due REAL NOT NULL,       -- times in seconds since 1970
        lease REAL NOT NULL DEFAULT 0,
        created REAL NOT NULL,
        taken REAL,
        finished REAL,
        code TEXT,
        message TEXT
        )"""
    )
    connection.execute("CREATE INDEX jobs_of ON jobs (tenant_id, taken)")
    connection.execute("CREATE INDEX jobs_by_path ON jobs (tenant_id, collection, path)")
    connection.execute("CREATE INDEX jobs_by_status ON jobs (status, due)")


JOB_STEPS: tuple[MigrationStep, ...] = (_create_jobs_table,)

SAME_CLOCK = 0.0  # all workers are on this machine


class EmbeddedJobs(SqlJobQueue):
    """Keeps the jobs of all tenants in one database of the store; implements `JobQueue`."""

    def __init__(self, root: Path, threads: ThreadPool) -> None:
        self._root = root
        self._file = root / JOBS_DATABASE
        self._threads = threads

    async def _run(self, work: Callable[[float], Work[T]], *, make: bool = False) -> T:
        return await self._threads.run(lambda: self._run_here(work(SAME_CLOCK), make=make))

    def _run_here(self, work: Work[T], *, make: bool) -> T:
        with map_errors(self._file, DAMAGE_MESSAGE):
            if not make and not check_store(self._root):
                return _drive(work, None)
            connection = self._open_made()
            if connection is None and make:
                self._create_file()
                connection = self._open_made()
            if connection is None:
                return _drive(work, None)
            with closing(connection), write_transaction(connection):
                return _drive(work, connection)

    def _open_made(self) -> sqlite3.Connection | None:
        """A connection to the file; None where there is none, or a full disk or a crash left it without its table."""
        if not self._file.exists():
            return None
        connection = open_file(self._file)
        try:
            found = read_format(connection)
        except BaseException:
            connection.close()
            raise
        if 0 < found <= len(JOB_STEPS):
            return connection
        connection.close()
        if found:
            raise StoreTooNew(
                f"{self._file} has format {found}, this program reads up to {len(JOB_STEPS)}: upgrade ragstone"
            )
        return None

    def _create_file(self) -> None:
        """Make the file, readable by the owner alone; one that a crash left empty is made whole."""
        make_store(self._root)
        with brief_lock(store_lock_path(self._root)):
            with suppress(FileExistsError):
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                sync_directory(self._root)
            upgrade_file(self._file, JOB_STEPS)


def _drive(work: Work[T], connection: sqlite3.Connection | None) -> T:
    """Run the statements of an operation; without a connection each has no rows, as in an empty table."""
    rows = None
    while True:
        try:
            sql, values = work.send(rows) if rows is not None else next(work)
        except StopIteration as done:
            result: T = done.value
            return result
        rows = [] if connection is None else connection.execute(sql.replace("%s", "?"), tuple(values)).fetchall()
