"""A collection that this user may only read: how it is opened, and what makes sure that nobody wrote meanwhile.

SQLite needs two files beside a database with a write-ahead log. Where they are, it reads with them. Where they are
not and cannot be made, the database is opened as one that never changes, which takes no lock. That is as good as a
lock while it stands there untouched: whoever writes makes a log first, and only then changes the file. So it is
looked at after each read, and what was read while somebody wrote is not given out.
"""

import os
import sqlite3
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import quote

from ragstone.core.errors import Busy, StoreError
from ragstone.stores import driver

Stamp = tuple[int, int, int]
# What SQLite says when it may not make the files of the log: another answer on another kind of file system.
UNMADE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY_DIRECTORY}


class Frozen(Protocol):
    """A connection to a file that does not change; `stamp` is what it was like when it was opened."""

    path: Path
    stamp: Stamp


def writable(path: Path) -> bool:
    """Whether this user may write a file and make others beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def frozen(path: Path, *, key: bytes | None = None, **options: Any) -> sqlite3.Connection:
    """The database as it lies there; raises `StoreError` when a part of it is still in its log."""
    stamp, log = _stamp(path), _log(path)
    if _size(log):
        raise StoreError(
            f"{path} has a log ({log.name}) that can only be read where it may be written: open it there once"
        )
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = driver.connected(uri, key=key, noting=True, **options)
    noted = cast(Frozen, connection)
    noted.path, noted.stamp = path, stamp
    return connection


def _noted(connection: sqlite3.Connection) -> Frozen | None:
    return cast(Frozen, connection) if hasattr(connection, "stamp") else None


def unchanged(connection: sqlite3.Connection) -> bool:
    """Whether all that was read over a connection was of one state: always so where locks are taken."""
    noted = _noted(connection)
    return noted is None or _stamp(noted.path, noted.stamp) == noted.stamp


def confirm(connection: sqlite3.Connection) -> None:
    """Raises `Busy` for what was read from a file that somebody wrote to at the same time."""
    noted = _noted(connection)
    if noted is not None and not unchanged(connection):
        raise Busy(f"{noted.path} was written to while it was read; ask again")


def _stamp(path: Path, gone: Stamp = (0, 0, 0)) -> Stamp:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return gone  # erased: what is open stays as it was
    return stat.st_ino, stat.st_mtime_ns, _size(_log(path))


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
