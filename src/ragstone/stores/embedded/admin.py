"""Collections of a tenant: made, listed, erased, looked after."""

import contextlib
import sqlite3
from collections.abc import Callable
from datetime import datetime

from ragstone.core.errors import Corrupt, NotBuilt, UsageError
from ragstone.core.types import Scope, Tenant
from ragstone.stores.durable import make_directory
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.check import findings, mend
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import connect, make, reading, writing
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.frozen import confirm, writable
from ragstone.stores.embedded.names import long_name
from ragstone.stores.embedded.paths import (
    REKEY,
    Place,
    aside,
    check_no_link,
    check_store,
    collection_directories,
    decoded,
    erase,
    gate_of,
    is_part,
    make_store,
    place,
    sweep,
)
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.embedded.reseal import recover
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.embedded.turns import (
    check_not_copied,
)
from ragstone.stores.embedded.whole import Whole, hold_all
from ragstone.stores.foreign import mapped
from ragstone.stores.held import agrees
from ragstone.stores.locks import gate


class EmbeddedAdmin:
    """See `ragstone.core.ports.Admin`. `opened` gives a collection, `closed` forgets one that is erased, or all of a
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
        self.whole = Whole(tenants, closed=closed, now=now)

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

    async def begin_erasing(self, tenant: str) -> bool:
        return await self._threads.run(lambda: self.whole.begin_erasing(tenant))

    async def erase(self, tenant: str) -> bool:
        return await self._threads.run(lambda: self.whole.erase(tenant))

    def _pin(self, tenant: str, model: str, dimension: int, without: str | None) -> None:
        with mapped(self._root):
            make_store(self._root)
            self._tenants.check_open(tenant)
            self._tenants.prepare(tenant)
            self._tenants.pin(tenant, model, dimension, without=without)

    def _listed(self) -> list[Tenant]:
        with mapped(self._root):
            if not check_store(self._root):
                return []
            sweep(self._root)
            return self._tenants.listed()

    def _create(self, scope: Scope, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        with mapped(self._root):
            make_store(self._root)
            sweep(self._root)
            recover(self._tenants, scope.tenant)
            self._tenants.prepare(scope.tenant)
        with mapped(self._root), gate(gate_of(self._root)):
            self._tenants.check_open(scope.tenant)
            here = self._tenants.place(scope)
            check_not_copied(here, scope.collection, what="ingested into")
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
            try:
                collection = self._opened(scope)
                collection.release(collection.connection())
            except NotBuilt:
                return False
            return True

    def _drop(self, scope: Scope) -> bool:
        """Renamed aside first: from then on it is gone for everyone, a crash leaves only what the next open removes."""
        with mapped(self._root):
            here = place(self._root, scope)
            if not check_store(self._root):
                return False
            self._tenants.keys(scope.tenant)  # who cannot open it may erase the tenant, and no part of it
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not here.directory.is_dir() or (any(here.directory.iterdir()) and not is_part(here.directory)):
                    return False
                check_no_link(here.directory)
                check_not_copied(here, scope.collection, what="erased")
                hold_all(here, scope.collection, locks, since=self._now().isoformat(timespec="seconds"))
                erase(here.directory.with_name(REKEY + here.directory.name))
                gone = aside(here.directory)
            self._closed(scope.tenant, scope.collection)  # not behind the gate: who opens one may wait for that
            reach("drop.renamed")
            erase(gone)
            return True

    def _collections(self, tenant: str) -> list[str]:
        with mapped(self._root):
            if not check_store(self._root):
                return []
            sweep(self._root)
            directories = collection_directories(self._root, tenant)
            return sorted(decoded(d.name) or long_name(self._tenants, tenant, d) for d in directories)

    def _check(self, scope: Scope, repair: bool) -> list[str]:
        with mapped(self._root):
            if check_store(self._root) and not self._tenants.keys(scope.tenant):
                self._tenants.check_master()  # what the next new tenant would meet
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
