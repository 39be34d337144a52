"""Collections of a tenant: made, listed, erased, looked after."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import datetime

from ragstone.errors import Busy, Corrupt, RagstoneError, UsageError
from ragstone.stores import driver
from ragstone.stores.durable import make_directory, sync_directory
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.check import findings, mend
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import connect, make, reading, writing
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.frozen import confirm, writable
from ragstone.stores.embedded.paths import (
    GONE,
    KEYS,
    REKEY,
    Place,
    aside,
    check_store,
    collection_directories,
    collections_in,
    decoded,
    erase,
    gate_of,
    make_store,
    place,
    shred,
    sweep,
)
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.embedded.reseal import finish, recover, reseal, target
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.foreign import mapped
from ragstone.stores.held import agrees
from ragstone.stores.locks import gate, hold
from ragstone.types import Scope, Tenant


class EmbeddedAdmin:
    """See `ragstone.ports.Admin`. `opened` gives a collection, `closed` forgets one that is erased, or all of a
    tenant."""

    def __init__(
        self,
        tenants: Tenants,
        threads: Threads,
        *,
        opened: Callable[[Scope], Collection],
        closed: Callable[[str, str | None], None],
        now: Callable[[], datetime],
    ) -> None:
        self._tenants = tenants
        self._root = tenants.root
        self._threads = threads
        self._opened = opened
        self._closed = closed
        self._now = now

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        await self._threads.run(lambda: self._create(scope, model, variant, dimension))

    async def exists(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._exists(scope))

    async def drop(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._drop(scope))

    async def collections(self, tenant: str) -> list[str]:
        return await self._threads.run(lambda: self._collections(tenant))

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        return await self._threads.run(lambda: self._check(scope, repair))

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        await self._threads.run(lambda: self._pin(tenant, model, dimension, without))

    async def tenants(self, own: str) -> list[Tenant]:  # noqa: ARG002  # whoever can read the files sees all
        return await self._threads.run(self._listed)

    async def erase(self, tenant: str) -> bool:
        return await self._threads.run(lambda: self._erase(tenant))

    def _pin(self, tenant: str, model: str, dimension: int, without: str | None) -> None:
        with mapped(self._root):
            make_store(self._root)
            self._tenants.prepare(tenant)
            self._tenants.pin(tenant, model, dimension, without=without)

    def _listed(self) -> list[Tenant]:
        with mapped(self._root):
            if not check_store(self._root):
                return []
            sweep(self._root)
            return self._tenants.listed()

    def _erase(self, tenant: str) -> bool:
        """Renamed aside first, then without its keys: a crash leaves only what the next open removes."""
        with mapped(self._root):
            if not check_store(self._root):
                return False
            home = self._tenants.home(tenant)
            begun = any(self._root.glob(f"{GONE}*-{home.name}"))
            sweep(self._root)
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not home.is_dir():
                    return begun
                for directory in collections_in(home):
                    self._hold_all(Place(directory), Scope(tenant, decoded(directory.name) or "?"), locks)
                self._closed(tenant, None)
                gone = aside(home)
            reach("erase.renamed")
            shred(gone / KEYS)
            (gone / KEYS).unlink(missing_ok=True)
            sync_directory(gone)
            reach("erase.shredded")
            erase(gone)
            return True

    def rekey(self, tenant: str, *, fresh: bool) -> int:
        """See `ragstone.ports.Sealing`."""
        with mapped(self._root):
            recover(self._tenants, tenant)
            if not check_store(self._root) or not self._tenants.home(tenant).is_dir():
                raise UsageError(f"there is no tenant {tenant!r} in {self._root}")
            number, count = target(self._tenants, tenant, fresh=fresh), 0
            for here in self._tenants.places(tenant):
                if here.key_number != number:
                    with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                        name = decoded(here.directory.name) or "?"
                        self._hold_all(here, Scope(tenant, name), locks, what="encrypted anew")
                        self._closed(tenant, name)
                        reseal(self._tenants, tenant, here, number)
                    count += 1
            finish(self._tenants, tenant, number)
            return count

    def _create(self, scope: Scope, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        with mapped(self._root):
            make_store(self._root)
            sweep(self._root)
            recover(self._tenants, scope.tenant)
            self._tenants.prepare(scope.tenant)
        with mapped(self._root), gate(gate_of(self._root)):
            here = self._tenants.place(scope)
            make_directory(here.directory)
            self._tenants.mark(here, scope.tenant)
            make_directory(here.locks)
            make(here.database, here.key)
            connection = connect(here.database, here.key)
            if connection is None:
                raise Corrupt(f"{here.database} vanished while it was made; run again")
            try:
                self._name(connection, scope)
                _record_model(here, connection, scope, (model, variant, dimension))
            finally:
                connection.close()

    def _name(self, connection: sqlite3.Connection, scope: Scope) -> None:
        names = {"tenant": scope.tenant, "collection": scope.collection}
        known = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('tenant', 'collection')").fetchall())
        if known != names:
            with writing(connection):
                connection.executemany("REPLACE INTO meta VALUES (?, ?)", names.items())

    def _exists(self, scope: Scope) -> bool:
        with mapped(self._root):
            if not check_store(self._root):
                return False
            here = self._tenants.place(scope)
            connection = connect(here.database, here.key)
            if connection is not None:
                connection.close()
            return connection is not None

    def _drop(self, scope: Scope) -> bool:
        """Renamed aside first: from then on it is gone for everyone, a crash leaves only what the next open removes."""
        with mapped(self._root):
            here = place(self._root, scope)
            if not check_store(self._root):
                return False
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not here.directory.is_dir():
                    return False
                self._hold_all(here, scope, locks)
                self._closed(scope.tenant, scope.collection)
                erase(here.directory.with_name(REKEY + here.directory.name))
                gone = aside(here.directory)
            reach("drop.renamed")
            erase(gone)
            return True

    def _hold_all(self, here: Place, scope: Scope, locks: contextlib.ExitStack, *, what: str = "erased") -> None:
        since = self._now().isoformat(timespec="seconds")
        for path in sorted(here.locks.glob("*.lock")):
            name = decoded(path.stem) or "?"
            try:
                locks.callback(os.close, hold(path, source=name, since=since))
            except Busy as error:
                raise Busy(f"collection {scope.collection!r} cannot be {what} now: {error}") from error

    def _collections(self, tenant: str) -> list[str]:
        with mapped(self._root):
            if not check_store(self._root):
                return []
            sweep(self._root)
            names = {d: decoded(d.name) for d in collection_directories(self._root, tenant)}
            if None in names.values():
                long = (here for here in self._tenants.places(tenant) if names[here.directory] is None)
                names |= {here.directory: _name_of(here) for here in long}
            return sorted(name for name in names.values() if name is not None)

    def _check(self, scope: Scope, repair: bool) -> list[str]:
        collection = self._opened(scope)
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                found = _found(collection, connection)
                if repair and found and not writable(collection.place.database):
                    found.append(f"{collection.place.directory} may only be read here: nothing was mended")
                elif repair and found:
                    taken_out = mend(collection.place, connection, now=self._now())
                    found = [*taken_out, *_found(collection, connection)]
                confirm(connection)
                return [*found, *self._unencrypted(collection)]
        finally:
            collection.release(connection)

    def _unencrypted(self, collection: Collection) -> list[str]:
        if self._tenants.master is None or collection.place.key is not None:
            return []
        said = f"{collection.place.directory} is not encrypted, although encryption is configured"
        return [f"{said}; run: ragstone tenants encrypt --tenant {collection.scope.tenant}"]


def _found(collection: Collection, connection: sqlite3.Connection) -> list[str]:
    with reading(connection):
        return findings(collection, connection)


def _name_of(here: Place) -> str:
    """Of a long one only its digest is seen from outside: its name stands in the database, or, damaged, nowhere."""
    directory = here.directory
    try:
        connection = connect(here.database, here.key)
        if connection is not None:
            with contextlib.closing(connection):
                found = connection.execute("SELECT value FROM meta WHERE key = 'collection'").fetchone()
                return str(found[0]) if found else directory.name
    except driver.errors(RagstoneError):
        return directory.name
    return directory.name


def _record_model(
    here: Place, connection: sqlite3.Connection, scope: Scope, wanted: tuple[str | None, str | None, int | None]
) -> None:
    """Fill in what the vectors are of, once; a different wish later is the caller's mistake."""
    if wanted[2] is None or agrees(state_of(connection).held, wanted, scope):
        return
    with writing(connection):
        if agrees(state_of(connection).held, wanted, scope):
            return
        vectors.make(here.vectors(1), wanted[2], here.key)
        values = {"model": wanted[0], "variant": wanted[1], "dimension": wanted[2], "vector_file": 1}
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())
