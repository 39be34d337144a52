"""Which SQLite a file is opened with: Python's own, or SQLCipher's where there is a key; and what either raises.

One file is never opened with both in a process: each keeps its own book of locks, and closing a file drops them all.
"""

import sqlite3
import sys
from functools import cache
from typing import Any, cast

from ragstone.core.errors import UsageError


def open_connection(uri: str, *, key: bytes | None = None, noting: bool = False, **options: Any) -> sqlite3.Connection:
    """A connection by a `file:` URI; with a key of 32 bytes to a file that is encrypted as a whole, log included.

    An empty key opens a plain file with SQLCipher, to copy it. With `noting`
    attributes may be set on it. Nothing is read yet: a wrong key shows with the first statement.
    """
    if noting:
        options["factory"] = _annotatable_class(sealed=key is not None)
    if key is None:
        return cast(sqlite3.Connection, sqlite3.connect(uri, uri=True, **options))
    connection = cast(sqlite3.Connection, _import_sqlcipher().connect(uri, uri=True, **options))
    try:
        connection.execute("PRAGMA cipher_log_level = NONE")  # its log is stderr, where people read ours
        if key:
            connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
        connection.execute("PRAGMA temp_store = MEMORY")  # no sorted rows in a plain file of the system
    except BaseException:
        connection.close()
        raise
    return connection


def errors(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """The errors of a connection, and others. SQLCipher has its own, which nothing can raise before it is loaded."""
    loaded = sys.modules.get("sqlcipher3.dbapi2")
    ours = () if loaded is None else (cast(type[Exception], loaded.Error),)
    return (sqlite3.Error, *ours, *others)


def _import_sqlcipher() -> Any:
    try:
        from sqlcipher3 import dbapi2
    except ImportError as error:
        raise UsageError(f"encryption needs a package: pip install 'ragstone[encryption]' ({error})") from error
    return dbapi2


@cache
def _annotatable_class(*, sealed: bool) -> type[sqlite3.Connection]:
    return type("Noted", (_import_sqlcipher().Connection if sealed else sqlite3.Connection,), {})
