"""A collection under another key, or under its first: written anew beside the old one, then put in its place.

While it is copied the old one's write lock is held; who reads goes on. Then, behind the gate, its table `meta` is
renamed in one transaction: from that moment on nobody can write to it, and the copy counts. What is killed before is
thrown away, what is killed after is finished.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from ragstone.core.errors import Corrupt
from ragstone.core.ports import Vectors
from ragstone.stores import driver
from ragstone.stores.cosine import Rows
from ragstone.stores.crypt import Secret
from ragstone.stores.durable import make_directory, sync_directory
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.database import connect, make, moved, raw, version, writing
from ragstone.stores.embedded.evidence import write_mark
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.paths import REKEY, TURN, Place, aside, collections_in, erase, gate_of
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.embedded.tables import ACTIVE, BESIDE
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.locks import gate, held

PLAIN = "plain.aside"  # what a plain database is copied to before it is encrypted; it goes with its directory


def target(tenants: Tenants, tenant: str, *, fresh: bool) -> int:
    """The number of the key that all is to be under: a new one with `fresh`, unless one was begun with before."""
    with gate(gate_of(tenants.root)):
        keys = tenants.keys(tenant)
        if not keys or (fresh and len(keys) == 1):
            if not keys:
                return max(tenants.first(tenant))
            keys = {**keys, max(keys) + 1: Secret.random()}
            tenants.keep(tenant, keys)
        return max(keys)


def finish(tenants: Tenants, tenant: str, number: int) -> None:
    """Bring the record under the key, then forget all others: copies of what they opened are closed with them."""
    with gate(gate_of(tenants.root)):
        if any(Place(d).key_number != number for d in collections_in(tenants.home(tenant))):
            return
        if known := tenants.record(tenant):
            tenants.write_record(tenant, known["model"], known["dimension"])
        tenants.keep(tenant, {number: tenants.keys(tenant)[number]})
    reach("rekey.finished")


def begun(old: Place) -> Path:
    """The empty directory of a copy; the caller holds the gate. From then on nobody begins a run in the collection."""
    made = old.directory.with_name(REKEY + old.directory.name)
    erase(made)
    make_directory(made)
    return made


def reseal(tenants: Tenants, tenant: str, old: Place, number: int) -> None:
    """Put a collection under a key; the caller holds the turn of the tenant and the locks of the sources."""
    made = old.directory.with_name(REKEY + old.directory.name)
    new = Place(made, tenants.keys(tenant)[number])
    write_mark(new, number, tenants.keys(tenant)[number])
    with contextlib.ExitStack() as switch:
        _copy(old, new, lambda: switch.enter_context(gate(gate_of(tenants.root))))
        _put_in_place(old, made)


def _copy(old: Place, new: Place, close: Callable[[], object]) -> None:
    """Make the copy, then let nobody in and make the copy count."""
    connection = connect(old.database, old.key)
    if connection is None:
        raise Corrupt(f"{old.database} is gone; ingest anew with --recreate")
    with contextlib.closing(connection):
        with writing(connection):
            _copy_database(old, new, version(connection))
            for state in (state_of(connection, tables) for tables in (ACTIVE, BESIDE)):
                if state.dimension is not None:
                    rows = _rows(old, state.vector_file, state.next_slot, state.dimension)
                    path = new.vectors(state.vector_file)
                    vectors.write_new(path, _pieces(rows), dimension=state.dimension, key=new.key)
            make(new.database, new.key)
            make_directory(new.locks)
            sync_directory(new.directory)
            reach("rekey.written")
            close()
            connection.execute("ALTER TABLE meta RENAME TO moved")
        reach("rekey.moved")


def recover(tenants: Tenants, tenant: str) -> None:
    """Finish, or throw away, what was being put under another key when its process died; of a live one nothing is
    touched, and when this returns it is not in the middle of a switch."""
    home = tenants.home(tenant)
    if not home.is_dir() or not any(home.glob(REKEY + "*")) or not os.access(home, os.W_OK):
        return
    with gate(gate_of(tenants.root)):
        if held(home / TURN):
            return
        recover_mine(tenants, tenant)


def recover_mine(tenants: Tenants, tenant: str) -> None:
    """The same for who holds the gate and knows that nobody else is at it."""
    home = tenants.home(tenant)
    if home.is_dir():
        for made in sorted(home.glob(REKEY + "*")):
            directory = home / made.name.removeprefix(REKEY)
            if not directory.is_dir():
                made.rename(directory)
                sync_directory(home)
            elif _moved(tenants.keyed(Place(directory), tenant)):
                _put_in_place(Place(directory), made)
            else:
                erase(made)


def _put_in_place(old: Place, made: Path) -> None:
    gone = aside(old.directory)
    reach("rekey.aside")
    made.rename(old.directory)
    sync_directory(made.parent)
    shutil.rmtree(gone, ignore_errors=True)


def _moved(old: Place) -> bool:
    """Whether the copy counts and no longer the old one."""
    connection = connect(old.database, old.key)
    if connection is None:
        return False
    with contextlib.closing(connection):
        return moved(connection)


def _copy_database(old: Place, new: Place, format_: int) -> None:
    """By SQLCipher's own copy. A plain file is copied by its own driver first: no file is opened by both."""
    source, key = old.database, raw(old.key)
    if key is None:
        source = new.directory / PLAIN
        with contextlib.closing(driver.connected(old.database.absolute().as_uri(), isolation_level=None)) as plain:
            plain.execute("VACUUM INTO ?", (str(source),))
    os.close(os.open(new.database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    uri = source.absolute().as_uri()
    with contextlib.closing(driver.connected(uri, key=key or b"", isolation_level=None)) as connection:
        ours = raw(new.key) or b""
        connection.execute(f"ATTACH DATABASE ? AS made KEY \"x'{ours.hex()}'\"", (str(new.database),))
        connection.execute("SELECT sqlcipher_export('made')").fetchall()
        connection.execute(f"PRAGMA made.user_version = {format_}")
        connection.execute("DETACH DATABASE made")
    (new.directory / PLAIN).unlink(missing_ok=True)


def _rows(old: Place, number: int, count: int, dimension: int) -> Rows:
    return vectors.mapped_rows(old.vectors(number), dimension=dimension, rows=count, key=old.key)


def _pieces(rows: Rows) -> Iterator[Vectors]:
    for start in range(0, len(rows), vectors.BLOCK):
        yield rows[start : start + vectors.BLOCK]
