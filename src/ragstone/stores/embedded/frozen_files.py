"""A collection that may only be read, by this user or on a full disk: how it is opened, and the check that it was not
written to meanwhile.

SQLite needs two files beside a database with a write-ahead log. Where they are, it reads with them. Where they are not
and cannot be made, the database is opened as one that never changes, which takes no lock. That is as good as a lock
while it stands there untouched: a writer makes a log first, and only then changes the file. So it is looked at after
each read, and data read during a write is not given out.
"""

import os
import sqlite3
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import quote

from ragstone.core.errors import Busy, StoreError
from ragstone.stores import sqlite_driver
from ragstone.stores.error_meanings import NO_DISK_SPACE

FileStamp = tuple[int, int, int]
# What SQLite says when it may not make the files of the log: another answer on another kind of file system.
LOG_REFUSED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY_DIRECTORY}

NO_ROOM_FOR_LOG = sqlite3.SQLITE_IOERR_SHMSIZE  # on a full disk


class FrozenConnection(Protocol):
    """A connection to a file that does not change; `stamp` is what it was like when it was opened."""

    path: Path
    stamp: FileStamp


def is_writable(path: Path) -> bool:
    """Whether this user may write a file and make others beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def open_frozen(path: Path, *, key: bytes | None = None, **options: Any) -> sqlite3.Connection:
    """The database as it lies there; raises `StoreError` when a part of it is still in its log."""
    stamp, log = _take_stamp(path), _log_path(path)
    if _file_size(log):
        raise StoreError(
            f"{path} has a log ({log.name}) that can only be read where it may be written: open it there once"
        )
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite_driver.open_connection(uri, key=key, noting=True, **options)
    noted = cast(FrozenConnection, connection)
    noted.path, noted.stamp = path, stamp
    return connection


def _as_frozen(connection: sqlite3.Connection) -> FrozenConnection | None:
    return cast(FrozenConnection, connection) if hasattr(connection, "stamp") else None


def lacks_room(connection: sqlite3.Connection) -> bool:
    """Whether a connection only reads because the disk is full: once there is room, another one may write."""
    noted = _as_frozen(connection)
    return noted is not None and is_writable(noted.path)


def check_room(connection: sqlite3.Connection) -> None:
    """Raises `DiskFull` for such a connection, which cannot write."""
    noted = _as_frozen(connection)
    if noted is not None and lacks_room(connection):
        kind, words = NO_DISK_SPACE
        raise kind(words.format(place=noted.path))


def is_unchanged(connection: sqlite3.Connection) -> bool:
    """Whether all that was read over a connection was of one state: always so where locks are taken."""
    noted = _as_frozen(connection)
    return noted is None or _take_stamp(noted.path, noted.stamp) == noted.stamp


def check_unchanged(connection: sqlite3.Connection) -> None:
    """Raises `Busy` if the file was written to while it was read."""
    noted = _as_frozen(connection)
    if noted is not None and not is_unchanged(connection):
        raise Busy(f"{noted.path} was written to while it was read; ask again")


def _take_stamp(path: Path, gone: FileStamp = (0, 0, 0)) -> FileStamp:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return gone  # erased: what is open stays as it was
    return stat.st_ino, stat.st_mtime_ns, _file_size(_log_path(path))


def _log_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
