"""What SQLite and the operating system say, in our words: one table each."""

import errno
import sqlite3
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ragstone.core.errors import Busy, Corrupt, RagstoneError, StoreError
from ragstone.stores import driver
from ragstone.stores.meanings import FULL, ODD, Meaning


class Moved(Busy):
    """A collection was put under another key meanwhile: what stood open was of the old files."""


LOCKED = (Busy, "{place} is locked by another process; wait for it and run again")
BROKEN = (Corrupt, "{place} is damaged ({error}); ingest anew with --recreate")
CLOSED = (StoreError, "{place} cannot be written or read ({error}); check the path, its owner and permissions")
MOVED = (Moved, "{place} was put under another key meanwhile; run again")
KEPT = (StoreError, "{place} may only be read here ({error}); write where it may be written, or name another --store")
BLOCKED = (Corrupt, "{place} is damaged: a folder stands where a file belongs ({error}); move it away")

SQLITE: Mapping[int, Meaning] = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CORRUPT: BROKEN,
    sqlite3.SQLITE_NOTADB: BROKEN,
    sqlite3.SQLITE_READONLY: KEPT,
    sqlite3.SQLITE_PERM: CLOSED,
    sqlite3.SQLITE_CANTOPEN: CLOSED,
}
SYSTEM: Mapping[int, Meaning] = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EACCES: CLOSED,
    errno.EPERM: CLOSED,
    errno.EROFS: KEPT,
    errno.ENOENT: CLOSED,
    errno.ENOTDIR: CLOSED,
    errno.EISDIR: BLOCKED,
}
# What bytes that make no sense make a reader raise; sqlite3 says so without a code of its own.
SENSELESS = (LookupError, TypeError, ValueError, ArithmeticError, struct.error, zlib.error)
ARGUMENTS = (UnicodeEncodeError, OverflowError)  # what was given does not fit, whatever the file holds
UNDECODED = "Could not decode to UTF-8"
RENAMED = ("no such table: meta", "no such table: main.meta")  # what makes the old files of a collection closed


def translated(error: Exception, place: Path, broken: str = BROKEN[1]) -> RagstoneError:
    """Our error for a foreign one; `broken` is the sentence for a damaged file."""
    said = str(error)
    if isinstance(error, driver.errors()):
        other = BROKEN if said.startswith(UNDECODED) else MOVED if said in RENAMED else ODD
        kind, words = SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, other)
    elif isinstance(error, SENSELESS) and not isinstance(error, ARGUMENTS):
        (kind, words), said = BROKEN, f"{type(error).__name__}: {error}"
    else:
        kind, words = SYSTEM.get(getattr(error, "errno", None) or 0, ODD)
    return kind((broken if words == BROKEN[1] else words).format(place=place, error=said))


@contextmanager
def mapped(place: Path, broken: str = BROKEN[1]) -> Iterator[None]:
    """Let no foreign error pass: `place` is what the sentence names, `broken` says what mends it when damaged."""
    try:
        yield
    except driver.errors(OSError, *SENSELESS) as error:
        raise translated(error, place, broken) from error
