"""Collections of a tenant: made, listed, erased, looked after."""

import contextlib
import sqlite3
from collections.abc import Callable
from datetime import datetime

from ragstone.core.errors import Corrupt, NotBuilt, UsageError
from ragstone.core.records import Tenant
from ragstone.core.types import Scope
from ragstone.stores.durable_files import make_directory
from ragstone.stores.embedded import vector_files
from ragstone.stores.embedded.check import find_problems, purge_remains, repair_collection
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.collection_names import check_bound, read_collection_name
from ragstone.stores.embedded.database import create_database, open_database, read_transaction, write_transaction
from ragstone.stores.embedded.frozen_files import check_unchanged, is_writable
from ragstone.stores.embedded.mirror_updates import read_state
from ragstone.stores.embedded.paths import (
    REKEY_PREFIX,
    CollectionFiles,
    check_store,
    collection_directories,
    files_of_scope,
    is_collection_part,
    make_store,
    store_lock_path,
)
from ragstone.stores.embedded.rekey import recover_rekey
from ragstone.stores.embedded.safe_removal import check_no_link, erase_directory, move_aside, sweep_erasures
from ragstone.stores.embedded.small_files import check_record, repair_catalogue
from ragstone.stores.embedded.tenant_lifecycle import TenantLifecycle, lock_sources
from ragstone.stores.embedded.tenant_marks import check_not_rekeying
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.fault_points import reach_point
from ragstone.stores.file_locks import brief_lock
from ragstone.stores.file_names import decode_name
from ragstone.stores.model_checks import has_same_model


class EmbeddedAdmin:
    """Creates, lists, checks and erases collections in a folder; implements `Admin`. `opened` gives a collection,
    `closed` forgets one that is erased, or all of a tenant."""

    def __init__(
        self,
        tenants: Tenants,
        threads: ThreadPool,
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
        self.tenant_lifecycle = TenantLifecycle(tenants, closed=closed, now=now)

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        await self._threads.run(lambda: self._create(scope, model, variant, dimension))

    async def exists(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._exists(scope))

    async def drop(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._drop(scope))

    async def collections(self, tenant: str) -> list[str]:
        return await self._threads.run(lambda: self._list_collections(tenant))

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        return await self._threads.run(lambda: self._check(scope, repair))

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        await self._threads.run(lambda: self._pin(tenant, model, dimension, without))

    async def tenants(self, own: str) -> list[Tenant]:  # noqa: ARG002  # anyone who can read the files sees everything
        return await self._threads.run(self._list_tenants)

    async def begin_erasing(self, tenant: str) -> bool:
        return await self._threads.run(lambda: self.tenant_lifecycle.begin_erasing(tenant))

    async def erase(self, tenant: str) -> bool:
        return await self._threads.run(lambda: self.tenant_lifecycle.erase(tenant))

    def _pin(self, tenant: str, model: str, dimension: int, without: str | None) -> None:
        with map_errors(self._root):
            make_store(self._root)
            self._tenants.check_usable(tenant)
            self._tenants.ensure_key(tenant)
            self._tenants.pin_model(tenant, model, dimension, without=without)

    def _list_tenants(self) -> list[Tenant]:
        with map_errors(self._root):
            if not check_store(self._root):
                return []
            sweep_erasures(self._root)
            return self._tenants.list_tenants()

    def _create(self, scope: Scope, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        with map_errors(self._root):
            make_store(self._root)
            sweep_erasures(self._root)
            recover_rekey(self._tenants, scope.tenant)
            self._tenants.ensure_key(scope.tenant)
        with map_errors(self._root), brief_lock(store_lock_path(self._root)):
            self._tenants.check_usable(scope.tenant)
            here = self._tenants.files_of(scope)
            check_not_rekeying(here, scope.collection, what="ingested into")
            make_directory(here.directory)
            self._tenants.mark_key(here, scope.tenant)
            make_directory(here.locks)
            create_database(here.database, here.key)
            connection = open_database(here.database, here.key)
            if connection is None:
                raise Corrupt(f"{here.database} vanished while it was made; run again")
            try:
                check_bound(connection, scope, here)
                self._store_names(connection, scope)
                _store_model(here, connection, scope, (model, variant, dimension))
            finally:
                connection.close()

    def _store_names(self, connection: sqlite3.Connection, scope: Scope) -> None:
        names = {"tenant": scope.tenant, "collection": scope.collection}
        known = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('tenant', 'collection')").fetchall())
        if known != names:
            with write_transaction(connection):
                connection.executemany("REPLACE INTO meta VALUES (?, ?)", names.items())

    def _exists(self, scope: Scope) -> bool:
        with map_errors(self._root):
            if not check_store(self._root):
                return False
            try:
                collection = self._opened(scope)
                collection.release(collection.take_connection())
            except NotBuilt:
                return False
            return True

    def _drop(self, scope: Scope) -> bool:
        """Renamed aside first: from then on it is gone for everyone, a crash leaves only what the next open removes."""
        with map_errors(self._root):
            here = files_of_scope(self._root, scope)
            if not check_store(self._root):
                return False
            self._tenants.read_keys(scope.tenant)  # who cannot open it may erase the tenant, and no part of it
            with brief_lock(store_lock_path(self._root)), contextlib.ExitStack() as locks:
                if not here.directory.is_dir() or (
                    any(here.directory.iterdir()) and not is_collection_part(here.directory)
                ):
                    return False
                check_no_link(here.directory)
                check_not_rekeying(here, scope.collection, what="erased")
                lock_sources(here, scope.collection, locks, since=self._now().isoformat(timespec="seconds"))
                erase_directory(here.directory.with_name(REKEY_PREFIX + here.directory.name))
                gone = move_aside(here.directory)
            self._closed(scope.tenant, scope.collection)  # not behind the gate: who opens one may wait for that
            reach_point("drop.renamed")
            erase_directory(gone)
            return True

    def _list_collections(self, tenant: str) -> list[str]:
        with map_errors(self._root):
            if not check_store(self._root):
                return []
            sweep_erasures(self._root)
            directories = collection_directories(self._root, tenant)
            return sorted(decode_name(d.name) or read_collection_name(self._tenants, tenant, d) for d in directories)

    def _check(self, scope: Scope, repair: bool) -> list[str]:
        with map_errors(self._root):
            if repair:
                repair_catalogue(self._root)
            if check_store(self._root) and not self._tenants.read_keys(scope.tenant):
                self._tenants.check_master()  # what the next new tenant would meet
            beside = check_record(self._tenants, scope.tenant, repair=repair)
        collection = self._opened(scope)
        connection = collection.take_connection(writing=repair)
        try:
            with map_errors(collection.place.directory):
                found = _find_problems(collection, connection)
                if repair and found and not is_writable(collection.place.database):
                    found.append(f"{collection.place.directory} may only be read here: nothing was repaired")
                elif repair and found:
                    taken_out = repair_collection(collection.place, connection, now=self._now())
                    found = [*taken_out, *_find_problems(collection, connection)]
                if repair and is_writable(collection.place.database):
                    purge_remains(connection)
                check_unchanged(connection)
                return [*beside, *found, *self._warn_unencrypted(collection)]
        finally:
            collection.release(connection)

    def _warn_unencrypted(self, collection: Collection) -> list[str]:
        if self._tenants.master is None or collection.place.key is not None:
            return []
        said = f"{collection.place.directory} is not encrypted, although encryption is configured"
        return [f"{said}; run: ragstone tenants encrypt --tenant {collection.scope.tenant}"]


def _find_problems(collection: Collection, connection: sqlite3.Connection) -> list[str]:
    with read_transaction(connection):
        return find_problems(collection, connection)


def _store_model(
    here: CollectionFiles,
    connection: sqlite3.Connection,
    scope: Scope,
    wanted: tuple[str | None, str | None, int | None],
) -> None:
    """Fill in what the vectors are of, once; a different wish later is the caller's mistake."""
    if wanted[2] is None or has_same_model(read_state(connection).model_identity, wanted, scope):
        return
    with write_transaction(connection):
        if has_same_model(read_state(connection).model_identity, wanted, scope):
            return
        vector_files.create_file(here.vector_file(1), wanted[2], here.key)
        values = {"model": wanted[0], "variant": wanted[1], "dimension": wanted[2], "vector_file": 1}
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())
