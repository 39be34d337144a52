"""Connections to a collection's SQLite file: how they are opened, migrated, used for one transaction."""

import contextlib
import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from ragstone.core.errors import Corrupt, StoreTooNew
from ragstone.stores import sqlite_driver
from ragstone.stores.embedded.frozen_files import LOG_REFUSED, NO_ROOM_FOR_LOG, check_room, is_writable, open_frozen
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.encryption import SecretKey
from ragstone.stores.error_mapping import CollectionMoved
from ragstone.stores.fault_points import reach_point

BUSY_TIMEOUT = 10.0  # seconds to wait for another writer
MigrationStep = Callable[[sqlite3.Connection], None]
FORMAT_HEADING = re.compile(r"^-- Format \d+.*\n", re.MULTILINE)
CONNECTION_OPTIONS: Mapping[str, Any] = {"timeout": BUSY_TIMEOUT, "isolation_level": None, "check_same_thread": False}
LOG_TIMEOUT = 0.2  # seconds to wait for readers of the log: it can also be cut another time
log = logging.getLogger("ragstone")
FREE_SHARE = 4  # a file is written anew when over a quarter of its pages are free


def encode_list(values: Sequence[str] | Sequence[int]) -> str:
    """A list as one parameter of a statement, which reads it with `json_each`."""
    return msgspec.json.encode(values).decode()


def _apply_schema(connection: sqlite3.Connection, number: int) -> None:
    """What a format adds to the one before."""
    schema = files(__package__).joinpath("schema.sql").read_text("utf-8")
    for statement in FORMAT_HEADING.split(schema)[number].split(";\n"):
        connection.execute(statement)


def _create_tables(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 1)
    meta = {"generation": 0, "log_from": 0, "vector_file": 0, "next_slot": 0}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _add_proofs(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 2)


def _add_layouts(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 3)


def _add_second_model(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 4)


def _add_sparse_vectors(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 5)


def _add_written_vectors(connection: sqlite3.Connection) -> None:
    _apply_schema(connection, 6)


# Step i takes a collection from format i to i + 1; a new format appends a function.
STEPS: tuple[MigrationStep, ...] = (
    *(_create_tables, _add_proofs, _add_layouts),
    *(_add_second_model, _add_sparse_vectors, _add_written_vectors),
)


def create_database(path: Path, key: SecretKey | None = None) -> None:
    """Make the file, readable by the owner alone, and bring it to the newest format."""
    # Only ever opened here while it is new: closing any descriptor of a database file drops the locks that
    # SQLite holds on it in this process, and another process may then take the log away under a reader.
    CollectionFiles(path.parent).check_whole()
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = _open_connection(path, key)
    try:
        _enable_wal(connection)
        prepare_writing(path, connection)
    finally:
        connection.close()


def open_database(path: Path, key: SecretKey | None = None) -> sqlite3.Connection | None:
    """A connection to a collection, None when there is none; `key` is what it is encrypted with.

    An older format stays as it is until `prepare_writing`: earlier versions go on reading and writing beside this one.
    Where this user may only read, the connection is `Frozen` or read-only by itself.
    """
    if not path.is_file() or not path.stat().st_size:
        CollectionFiles(path.parent).check_whole()
        return None
    connection = _open_readable(path, key)
    try:
        if not _check_format(path, connection):
            _check_empty(path, connection)
            connection.close()
            return None
    except BaseException:
        connection.close()
        raise
    return connection


def _check_format(path: Path, connection: sqlite3.Connection) -> int:
    """The format; raises `StoreTooNew`."""
    found = read_format(connection)
    if found > len(STEPS):
        raise StoreTooNew(
            f"{path} has format {found}, this program reads up to {len(STEPS)}: "
            "upgrade ragstone (pip install -U ragstone)"
        )
    return found


def prepare_writing(path: Path, connection: sqlite3.Connection) -> None:
    """Bring a collection to the newest format; raises `StoreTooNew` where another version has taken it further since
    the connection was opened. Nothing happens where this user may only read."""
    found = _check_format(path, connection)
    if found == len(STEPS) or not is_writable(path):
        return
    migrate_format(connection)
    if found:
        log.warning("%s: format %d is now %d; earlier versions cannot open it any more", path, found, len(STEPS))


def open_file(path: Path) -> sqlite3.Connection:
    """A connection to any file of ours that is there; `Frozen` where this user may only read it."""
    return _open_readable(path, None)


def upgrade_file(path: Path, steps: Sequence[MigrationStep]) -> None:
    """Bring another file than a collection's to the newest format, also one that a crash left empty."""
    connection = _open_connection(path, None)
    try:
        _enable_wal(connection)
        migrate_format(connection, steps)
    finally:
        connection.close()


def read_format(connection: sqlite3.Connection) -> int:
    """The format of a collection, 0 before it was made."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_empty(path: Path, connection: sqlite3.Connection) -> None:
    """Raises `Corrupt` when there are tables without a format: both are made in one transaction."""
    with read_transaction(connection):
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and not read_format(connection):
            raise Corrupt(f"{path} is damaged (it does not say its format); ingest anew with --recreate")


def migrate_format(connection: sqlite3.Connection, steps: Sequence[MigrationStep] = STEPS) -> None:
    """Take the missing steps, all or none."""
    with write_transaction(connection):
        for step in range(read_format(connection), len(steps)):
            steps[step](connection)
            connection.execute(f"PRAGMA user_version = {step + 1}")


def _open_readable(path: Path, key: SecretKey | None) -> sqlite3.Connection:
    try:
        return _open_connection(path, key)
    except sqlite_driver.errors() as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code == NO_ROOM_FOR_LOG or (code in LOG_REFUSED and not is_writable(path)):
            return open_frozen(path, key=database_key(key), **CONNECTION_OPTIONS)
        raise


def database_key(key: SecretKey | None) -> bytes | None:
    """The key of a database file."""
    return None if key is None else key.derive_key("sqlite")


def _open_connection(path: Path, key: SecretKey | None) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    connection = sqlite_driver.open_connection(uri, key=database_key(key), **CONNECTION_OPTIONS)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is deleted is overwritten. FAST would leave it on the pages that become free as a whole.
        connection.execute("PRAGMA secure_delete = ON")
        read_format(connection)  # the first look into the file
    except BaseException:
        connection.close()
        raise
    return connection


def _enable_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite does not wait here when another process does the same."""
    for wait in (0.05, 0.1, 0.2, 0.5, 1.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite_driver.errors():
            time.sleep(wait)
    connection.execute("PRAGMA journal_mode = WAL")


def vacuum_if_worth(connection: sqlite3.Connection) -> bool:
    """Rewrite the file when over a quarter of its pages are free; whether that was done."""
    pages, free = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])  # SQLCipher says some of them as texts
        for name in ("page_count", "freelist_count")
    )
    if FREE_SHARE * free <= pages:
        return False
    connection.execute("VACUUM")
    return True


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the database and cut it to nothing, unless a reader still needs it.

    Whether that was done: then no reader sees an older state any more.
    """
    connection.execute(f"PRAGMA busy_timeout = {int(LOG_TIMEOUT * 1000)}")
    try:
        stopped: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not stopped
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT * 1000)}")


def has_moved(connection: sqlite3.Connection) -> bool:
    """Whether a file is the old one of a collection that was put under another key: no process may write to it."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'moved'").fetchone() is not None


def _check_not_moved(connection: sqlite3.Connection) -> None:
    if has_moved(connection):
        raise CollectionMoved("the collection was encrypted with another key meanwhile; run again")


@contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One read transaction: what it sees does not change inside the block."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with contextlib.suppress(*sqlite_driver.errors()):
            connection.execute("ROLLBACK")


@contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: everything or nothing, durable when the block is left.

    Raises `CollectionMoved` for a file whose collection was put under another key while this waited.
    """
    check_room(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check_not_moved(connection)
        yield
        reach_point("commit.before")
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back by itself (a full disk); nothing must stay open either way.
        with contextlib.suppress(*sqlite_driver.errors()):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise
    reach_point("commit.after")
