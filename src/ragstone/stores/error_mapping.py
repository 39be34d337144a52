"""Errors of SQLite and the operating system as Ragstone's: one table each."""

import errno
import sqlite3
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ragstone.core.errors import Busy, Corrupt, RagstoneError, StoreError
from ragstone.stores import sqlite_driver
from ragstone.stores.error_meanings import NO_DISK_SPACE, UNEXPECTED, Meaning


class CollectionMoved(Busy):
    """A collection was encrypted with another key meanwhile: what stood open was of the old files."""

    disclosure = Busy.disclosure


LOCKED = (Busy, "{place} is locked by another process; wait for it and run again")
DAMAGED = (Corrupt, "{place} is damaged ({error}); ingest anew with --recreate")
INACCESSIBLE = (StoreError, "{place} cannot be written or read ({error}); check the path, its owner and permissions")
KEY_CHANGED = (CollectionMoved, "{place} was encrypted with another key meanwhile; run again")
READ_ONLY = (
    StoreError,
    "{place} may only be read here ({error}); write where it may be written, or name another --store",
)
FOLDER_IN_PLACE = (Corrupt, "{place} is damaged: a folder stands where a file belongs ({error}); move it away")

SQLITE: Mapping[int, Meaning] = {
    sqlite3.SQLITE_FULL: NO_DISK_SPACE,
    sqlite3.SQLITE_IOERR_SHMSIZE: NO_DISK_SPACE,  # of the index of its log
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: INACCESSIBLE,
    sqlite3.SQLITE_CANTOPEN: INACCESSIBLE,
}
SYSTEM: Mapping[int, Meaning] = {
    errno.ENOSPC: NO_DISK_SPACE,
    errno.EDQUOT: NO_DISK_SPACE,
    errno.EFBIG: NO_DISK_SPACE,
    errno.EACCES: INACCESSIBLE,
    errno.EPERM: INACCESSIBLE,
    errno.EROFS: READ_ONLY,
    errno.ENOENT: INACCESSIBLE,
    errno.ENOTDIR: INACCESSIBLE,
    errno.EISDIR: FOLDER_IN_PLACE,
}
# What bytes that make no sense make a reader raise; sqlite3 says so without a code of its own.
DECODING_ERRORS = (LookupError, TypeError, ValueError, ArithmeticError, struct.error, zlib.error)
ARGUMENT_ERRORS = (UnicodeEncodeError, OverflowError)  # what was given does not fit, whatever the file holds
UNDECODED = "Could not decode to UTF-8"
RENAMED = ("no such table: meta", "no such table: main.meta")  # what makes the old files of a collection closed


def translate_error(error: Exception, place: Path, broken: str = DAMAGED[1]) -> RagstoneError:
    """Our error for a foreign one; `broken` is the sentence for a damaged file."""
    said = str(error)
    if isinstance(error, sqlite_driver.errors()):
        other = DAMAGED if said.startswith(UNDECODED) else KEY_CHANGED if said in RENAMED else UNEXPECTED
        code = getattr(error, "sqlite_errorcode", 0)
        kind, words = SQLITE.get(code) or SQLITE.get(code & 0xFF, other)
    elif isinstance(error, DECODING_ERRORS) and not isinstance(error, ARGUMENT_ERRORS):
        (kind, words), said = DAMAGED, f"{type(error).__name__}: {error}"
    else:
        kind, words = SYSTEM.get(getattr(error, "errno", None) or 0, UNEXPECTED)
    return kind((broken if words == DAMAGED[1] else words).format(place=place, error=said))


@contextmanager
def map_errors(place: Path, broken: str = DAMAGED[1]) -> Iterator[None]:
    """Let no foreign error pass: the message names `place`; `broken` is the remedy for damage."""
    try:
        yield
    except sqlite_driver.errors(OSError, *DECODING_ERRORS) as error:
        raise translate_error(error, place, broken) from error
