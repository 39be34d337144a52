"""A collection under another key, or under its first: written beside the old one, then put in its place.

While it is copied the old one's write lock is held; who reads goes on. Then, under the store's lock, its table `meta`
is renamed in one transaction: from then on no process can write to it, and the copy counts. An interruption before it
discards the new files, one after it is completed by the next open.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from ragstone.core.errors import Corrupt
from ragstone.core.ports import Vectors
from ragstone.stores import sqlite_driver
from ragstone.stores.cosine import Rows
from ragstone.stores.durable_files import make_directory, sync_directory
from ragstone.stores.embedded import vector_files
from ragstone.stores.embedded.database import (
    create_database,
    database_key,
    has_moved,
    open_database,
    read_format,
    write_transaction,
)
from ragstone.stores.embedded.key_marks import write_key_mark
from ragstone.stores.embedded.mirror_updates import read_state
from ragstone.stores.embedded.paths import REKEY_LOCK, REKEY_PREFIX, CollectionFiles, collections_under, store_lock_path
from ragstone.stores.embedded.safe_removal import erase_directory, move_aside
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND
from ragstone.stores.encryption import SecretKey
from ragstone.stores.fault_points import reach_point
from ragstone.stores.file_locks import brief_lock, is_locked

PLAIN_COPY = "plain.aside"  # what a plain database is copied to before it is encrypted; it goes with its directory


def choose_key_number(tenants: Tenants, tenant: str, *, fresh: bool) -> int:
    """The number of the key that all is to be under: a new one with `fresh`, unless one was begun with before."""
    with brief_lock(store_lock_path(tenants.root)):
        keys = tenants.read_keys(tenant)
        if not keys or (fresh and len(keys) == 1):
            if not keys:
                return max(tenants.create_first_key(tenant))
            keys = {**keys, max(keys) + 1: SecretKey.generate()}
            tenants.write_keys(tenant, keys)
        return max(keys)


def renew_record(tenants: Tenants, tenant: str) -> None:
    """Bring the record of a tenant under its newest key."""
    with brief_lock(store_lock_path(tenants.root)):
        if known := tenants.read_record(tenant):
            tenants.write_record(tenant, known["model"], known["dimension"])


def forget_former_keys(tenants: Tenants, tenant: str) -> None:
    """Forget all keys but the newest, unless a collection is under one: copies of what they opened are closed too."""
    with brief_lock(store_lock_path(tenants.root)):
        keys = tenants.read_keys(tenant)
        newest = max(keys, default=None)
        home = tenants.tenant_directory(tenant)
        if newest is None or any(CollectionFiles(d).key_number != newest for d in collections_under(home)):
            return
        tenants.write_keys(tenant, {newest: keys[newest]})
    reach_point("rekey.finished")


def begin_copy(old: CollectionFiles) -> Path:
    """The empty directory of a copy; the caller holds the store's lock. From then on no run begins in the
    collection."""
    made = old.directory.with_name(REKEY_PREFIX + old.directory.name)
    erase_directory(made)
    make_directory(made)
    return made


def rekey_collection(tenants: Tenants, tenant: str, old: CollectionFiles, number: int) -> None:
    """Put a collection under a key; the caller holds the turn of the tenant and the locks of the sources."""
    made = old.directory.with_name(REKEY_PREFIX + old.directory.name)
    new = CollectionFiles(made, tenants.read_keys(tenant)[number])
    write_key_mark(new, number, tenants.read_keys(tenant)[number])
    with contextlib.ExitStack() as switch:
        _copy_collection(old, new, lambda: switch.enter_context(brief_lock(store_lock_path(tenants.root))))
        _put_in_place(old, made)


def _copy_collection(old: CollectionFiles, new: CollectionFiles, close: Callable[[], object]) -> None:
    """Make the copy, then lock the collection and make the copy count."""
    connection = open_database(old.database, old.key)
    if connection is None:
        raise Corrupt(f"{old.database} is gone; ingest anew with --recreate")
    with contextlib.closing(connection):
        with write_transaction(connection):
            _copy_database(old, new, read_format(connection))
            for state in (read_state(connection, tables) for tables in (ACTIVE, SECOND)):
                if state.dimension is not None:
                    rows = _map_rows(old, state.vector_file, state.next_slot, state.dimension)
                    path = new.vector_file(state.vector_file)
                    vector_files.write_file(path, _iter_blocks(rows), dimension=state.dimension, key=new.key)
            create_database(new.database, new.key)
            make_directory(new.locks)
            sync_directory(new.directory)
            reach_point("rekey.written")
            close()
            connection.execute("ALTER TABLE meta RENAME TO moved")
        reach_point("rekey.moved")


def recover_rekey(tenants: Tenants, tenant: str) -> None:
    """Finish, or throw away, what was being put under another key when its process died; of a live one nothing is
    touched, and when this returns it is not in the middle of a switch."""
    home = tenants.tenant_directory(tenant)
    if not home.is_dir() or not any(home.glob(REKEY_PREFIX + "*")) or not os.access(home, os.W_OK):
        return
    with brief_lock(store_lock_path(tenants.root)):
        if is_locked(home / REKEY_LOCK):
            return
        recover_rekey_locked(tenants, tenant)


def recover_rekey_locked(tenants: Tenants, tenant: str) -> None:
    """Recover an interrupted re-encryption; the caller holds the store's lock, and no other process works on it."""
    home = tenants.tenant_directory(tenant)
    if home.is_dir():
        for made in sorted(home.glob(REKEY_PREFIX + "*")):
            directory = home / made.name.removeprefix(REKEY_PREFIX)
            if not directory.is_dir():
                made.rename(directory)
                sync_directory(home)
            elif _was_replaced(tenants.with_key(CollectionFiles(directory), tenant)):
                _put_in_place(CollectionFiles(directory), made)
            else:
                erase_directory(made)


def _put_in_place(old: CollectionFiles, made: Path) -> None:
    gone = move_aside(old.directory)
    reach_point("rekey.aside")
    made.rename(old.directory)
    sync_directory(made.parent)
    shutil.rmtree(gone, ignore_errors=True)


def _was_replaced(old: CollectionFiles) -> bool:
    """Whether the copy counts and no longer the old one."""
    connection = open_database(old.database, old.key)
    if connection is None:
        return False
    with contextlib.closing(connection):
        return has_moved(connection)


def _copy_database(old: CollectionFiles, new: CollectionFiles, format_: int) -> None:
    """By SQLCipher's own copy. A plain file is copied by its own driver first: no file is opened by both."""
    source, key = old.database, database_key(old.key)
    if key is None:
        source = new.directory / PLAIN_COPY
        with contextlib.closing(
            sqlite_driver.open_connection(old.database.absolute().as_uri(), isolation_level=None)
        ) as plain:
            plain.execute("VACUUM INTO ?", (str(source),))
    os.close(os.open(new.database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    uri = source.absolute().as_uri()
    with contextlib.closing(sqlite_driver.open_connection(uri, key=key or b"", isolation_level=None)) as connection:
        ours = database_key(new.key) or b""
        connection.execute(f"ATTACH DATABASE ? AS made KEY \"x'{ours.hex()}'\"", (str(new.database),))
        connection.execute("SELECT sqlcipher_export('made')").fetchall()
        connection.execute(f"PRAGMA made.user_version = {format_}")
        connection.execute("DETACH DATABASE made")
    (new.directory / PLAIN_COPY).unlink(missing_ok=True)


def _map_rows(old: CollectionFiles, number: int, count: int, dimension: int) -> Rows:
    return vector_files.map_rows(old.vector_file(number), dimension=dimension, rows=count, key=old.key)


def _iter_blocks(rows: Rows) -> Iterator[Vectors]:
    for start in range(0, len(rows), vector_files.BLOCK_ROWS):
        yield rows[start : start + vector_files.BLOCK_ROWS]
