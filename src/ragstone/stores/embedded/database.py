"""Connections to a collection's SQLite file: how they are opened, migrated, used for one transaction."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from ragstone.errors import StoreTooNew
from ragstone.stores.embedded.faults import reach

PATIENCE = 10.0  # seconds to wait for another writer
LOG_PATIENCE = 0.2  # seconds to wait for readers of the log: it can also be cut another time
WIPED = 128 << 20  # bytes of content; writing them anew takes 10 ms a MB, and other writers wait for it
FREE = 4  # a larger file is written anew when over a quarter of its pages are free


def _first(connection: sqlite3.Connection) -> None:
    schema = files(__package__).joinpath("schema.sql").read_text("utf-8")
    for statement in schema.split(";\n"):
        connection.execute(statement)
    meta = {"generation": 0, "log_from": 0, "vector_file": 0, "next_slot": 0}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


# Step i takes a collection from format i to i + 1; a new format appends a function.
STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first,)


def make(path: Path) -> None:
    """Make the file, readable by the owner alone, and bring it to the newest format."""
    # Only ever opened here while it is new: closing any descriptor of a database file drops the locks that
    # SQLite holds on it in this process, and another process may then take the log away under a reader.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = _connection(path)
    try:
        _to_wal(connection)
        migrate(connection)
    finally:
        connection.close()


def connect(path: Path) -> sqlite3.Connection | None:
    """A connection to a collection of the newest format, None when there is none."""
    if not path.is_file():
        return None
    connection = _connection(path)
    try:
        found = version(connection)
        if found > len(STEPS):
            raise StoreTooNew(
                f"{path} has format {found}, this program reads up to {len(STEPS)}: "
                "upgrade ragstone (pip install -U ragstone)"
            )
        if found == 0:
            connection.close()
            return None
        if found < len(STEPS):
            migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def version(connection: sqlite3.Connection) -> int:
    """The format of a collection, 0 before it was made."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Take the missing steps, all or none."""
    with writing(connection):
        for step in range(version(connection), len(STEPS)):
            STEPS[step](connection)
            connection.execute(f"PRAGMA user_version = {step + 1}")


def _connection(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is deleted is overwritten. FAST would leave it on the pages that become free as a whole.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _to_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite does not wait here when another process does the same."""
    for wait in (0.05, 0.1, 0.2, 0.5, 1.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            time.sleep(wait)
    connection.execute("PRAGMA journal_mode = WAL")


def wipe(connection: sqlite3.Connection) -> None:
    """Write the file anew, so that nothing deleted stands in it, and its dead space is given back.

    `secure_delete` overwrites what is deleted, but not the copies that moving rows between pages leaves in
    their gaps. A file of over 128 MiB keeps those until it is worth the time.
    """
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    if (pages - free) * size <= WIPED or FREE * free > pages:
        connection.execute("VACUUM")


def cut_log(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the database and cut it to nothing, unless a reader still needs it."""
    connection.execute(f"PRAGMA busy_timeout = {int(LOG_PATIENCE * 1000)}")
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: everything or nothing, durable when the block is left."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        reach("commit.before")
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back by itself (a full disk); nothing must stay open either way.
        with contextlib.suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise
    reach("commit.after")
