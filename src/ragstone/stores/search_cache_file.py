"""Earlier searches in a small SQLite file of their own: it may be removed at any time, and is when it is damaged."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ragstone.core.ports import CachedSearch
from ragstone.stores import sqlite_driver

FORMAT = 1
BUSY_TIMEOUT = 2.0  # seconds to wait for another process: nobody waits longer for what is only to save time
CREATE_TABLE = """CREATE TABLE IF NOT EXISTS searches (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    at REAL NOT NULL,    -- seconds since 1970
    used REAL NOT NULL,
    vector BLOB NOT NULL,  -- float32, little-endian
    content BLOB NOT NULL
) WITHOUT ROWID"""
CREATE_INDEX = "CREATE INDEX IF NOT EXISTS searches_by_key ON searches (key)"
DELETE_LEAST_USED = (
    "DELETE FROM searches WHERE id IN (SELECT id FROM searches ORDER BY used DESC, id LIMIT -1 OFFSET ?)"
)
COLUMNS = "id, key, generation, at, vector, content"
# What a file says that is none of ours, of another key, or broken.
DAMAGE_CODES = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


@dataclass(frozen=True, slots=True)
class SearchCacheFile:
    """The file at `path`; `key` is what it is encrypted with. The verbs wait, and raise what SQLite raises."""

    path: Path
    key: bytes | None = field(default=None, repr=False)

    def find_by_key(self, key: str) -> list[CachedSearch]:
        """Lists the cached searches with this key, newest first."""
        sql = f"SELECT {COLUMNS} FROM searches WHERE key = ? ORDER BY at DESC, id"  # noqa: S608  # our own words
        with self._open() as connection:
            return [] if connection is None else [_decode_search(row) for row in connection.execute(sql, (key,))]

    def put_search(self, one: CachedSearch, *, most: int) -> None:
        """Stores one search, and removes the least used above `most`."""
        at = one.at.timestamp()
        row = (one.id, one.key, one.generation, at, at, one.vector, one.content)
        with self._open(make=True) as connection:
            assert connection is not None  # it is made
            with _write_transaction(connection):
                connection.execute("DELETE FROM searches WHERE generation < ?", (one.generation,))
                connection.execute("REPLACE INTO searches VALUES (?, ?, ?, ?, ?, ?, ?)", row)
                connection.execute(DELETE_LEAST_USED, (most,))

    def mark_used(self, identity: str, *, at: datetime) -> None:
        """Notes the time of a search's last use, if the file can be written."""
        with self._open() as connection:
            if connection is not None and os.access(self.path, os.W_OK):
                with _write_transaction(connection):
                    connection.execute("UPDATE searches SET used = ? WHERE id = ?", (at.timestamp(), identity))

    def remove_before(self, *, before: int) -> None:
        """Removes the searches of generations before `before`."""
        with self._open() as connection:
            if connection is not None and os.access(self.path, os.W_OK):
                with _write_transaction(connection):
                    connection.execute("DELETE FROM searches WHERE generation < ?", (before,))

    def delete_file(self) -> None:
        """Take the file away."""
        for ending in ("", "-journal"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    @contextmanager
    def _open(self, *, make: bool = False) -> Iterator[sqlite3.Connection | None]:
        """A connection to the file; None where there is none and none is to be made."""
        if make:
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        elif not self.path.is_file():
            yield None
            return
        try:
            connection = self._connect()
        except sqlite_driver.errors() as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in DAMAGE_CODES:
                raise
            self.delete_file()
            connection = self._connect() if make else None
        if connection is None:
            yield None
            return
        with closing(connection):
            if not make and not connection.execute("PRAGMA user_version").fetchone()[0]:
                yield None
                return
            yield connection

    def _connect(self) -> sqlite3.Connection | None:
        mode = "rwc" if os.access(self.path.parent, os.W_OK) else "ro"
        uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
        connection = sqlite_driver.open_connection(uri, key=self.key, timeout=BUSY_TIMEOUT, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            if mode == "rwc" and connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                with _write_transaction(connection):
                    connection.execute("DROP TABLE IF EXISTS searches")
                    connection.execute(CREATE_TABLE)
                    connection.execute(CREATE_INDEX)
                    connection.execute(f"PRAGMA user_version = {FORMAT}")
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def _write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(*sqlite_driver.errors()):
            connection.execute("ROLLBACK")
        raise


def _decode_search(row: tuple[Any, ...]) -> CachedSearch:
    identity, key, generation, at, vector, content = row
    known = datetime.fromtimestamp(at, UTC)
    return CachedSearch(identity, key, generation, known, bytes(vector), bytes(content))
