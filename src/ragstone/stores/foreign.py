"""What SQLite and the operating system say, in our words: one table each."""

import errno
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ragstone.errors import Busy, Corrupt, DiskFull, StoreError

FULL = (DiskFull, "no room left on the disk of {place}; free some space and run again (what was committed is safe)")
LOCKED = (Busy, "{place} is locked by another process; wait for it and run again")
BROKEN = (Corrupt, "{place} is damaged ({error}); run: ragstone doctor, or ingest anew with --recreate")
CLOSED = (StoreError, "{place} cannot be written or read ({error}); check the path, its owner and permissions")
ODD = (StoreError, "{place}: {error}")

Meaning = tuple[type[StoreError], str]

SQLITE: Mapping[int, Meaning] = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CORRUPT: BROKEN,
    sqlite3.SQLITE_NOTADB: BROKEN,
    sqlite3.SQLITE_READONLY: CLOSED,
    sqlite3.SQLITE_PERM: CLOSED,
    sqlite3.SQLITE_CANTOPEN: CLOSED,
}
SYSTEM: Mapping[int, Meaning] = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EACCES: CLOSED,
    errno.EPERM: CLOSED,
    errno.EROFS: CLOSED,
    errno.ENOENT: CLOSED,
    errno.ENOTDIR: CLOSED,
}


def translated(error: Exception, place: Path) -> StoreError:
    """Our error for a foreign one."""
    if isinstance(error, sqlite3.Error):
        kind, words = SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, ODD)
    else:
        kind, words = SYSTEM.get(getattr(error, "errno", None) or 0, ODD)
    return kind(words.format(place=place, error=error))


@contextmanager
def mapped(place: Path) -> Iterator[None]:
    """Let no foreign error pass: `place` is what the sentence names."""
    try:
        yield
    except (sqlite3.Error, OSError, OverflowError, UnicodeError) as error:
        raise translated(error, place) from error
