"""The embedded store: a directory, no server. Opened without touching the disk."""

import logging
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ragstone.core.errors import StoreError
from ragstone.core.ports import CollectionModel
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import erasure_notice, not_built_error
from ragstone.stores.durable_files import file_identity
from ragstone.stores.embedded import revision_rows, second_model
from ragstone.stores.embedded.admin import EmbeddedAdmin
from ragstone.stores.embedded.api_keys import EmbeddedKeys
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compaction import remove_leftovers
from ragstone.stores.embedded.database import prepare_writing, write_transaction
from ragstone.stores.embedded.frozen_files import is_writable, lacks_room
from ragstone.stores.embedded.jobs import EmbeddedJobs
from ragstone.stores.embedded.key_verbs import KeyVerbs
from ragstone.stores.embedded.ledger import EmbeddedLedger, RunLocks
from ragstone.stores.embedded.paths import CollectionFiles, check_place, check_store, store_lock_path
from ragstone.stores.embedded.reader import PROVIDER, EmbeddedReader
from ragstone.stores.embedded.rekey import recover_rekey
from ragstone.stores.embedded.safe_removal import sweep_erasures
from ragstone.stores.embedded.search_cache import EmbeddedSearchCache
from ragstone.stores.embedded.sibling_vectors import SiblingVectors
from ragstone.stores.embedded.sparse_index import EmbeddedSparseIndex
from ragstone.stores.embedded.tenant_marks import is_rekeying, list_erasing
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.embedded.writer import EmbeddedWriter
from ragstone.stores.embedded.written_index import EmbeddedWrittenIndex
from ragstone.stores.error_mapping import CollectionMoved, map_errors
from ragstone.stores.file_locks import brief_lock
from ragstone.stores.master_key import MasterKey
from ragstone.stores.revision_status import utc_now

T = TypeVar("T")
S = TypeVar("S", EmbeddedReader, EmbeddedWriter, second_model.EmbeddedFiller, EmbeddedSparseIndex, EmbeddedWrittenIndex)
C = TypeVar("C", second_model.EmbeddedFiller, EmbeddedSparseIndex, EmbeddedWrittenIndex)
log = logging.getLogger("ragstone")
MAX_OPEN = 32  # collections that keep their index in memory; the one least recently used gives way


class EmbeddedStore(KeyVerbs):
    """Keeps collections in a folder: `Store`, `ReembeddingStore`, `SealingStore`. `keep_versions` is per document,
    `now` is the clock; `master` wraps the keys of new tenants, and None stores them unencrypted."""

    provider = PROVIDER
    capabilities = frozenset("dense keyword filter versions snapshot export models sparse written".split())

    def __init__(
        self,
        root: Path,
        *,
        keep_versions: int = 1,
        now: Callable[[], datetime] = utc_now,
        master: MasterKey | None = None,
    ) -> None:
        self._root = root
        self._tenants = Tenants(root, master)
        self._keep = keep_versions
        self._now = now
        self._threads = ThreadPool("ragstone-store")
        self._lock = threading.Lock()
        self._open: OrderedDict[Scope, Collection] = OrderedDict()
        self._runs = RunLocks()
        self._swept = False
        self.admin = EmbeddedAdmin(
            self._tenants, self._threads, opened=self._open_collection, closed=self._close_collections, now=now
        )
        self.keys = EmbeddedKeys(root, self._threads)
        self.jobs = EmbeddedJobs(root, self._threads)

    async def check_place(self) -> None:
        with map_errors(self._root):
            await self._threads.run(lambda: check_place(self._root))

    def ledger(self, scope: Scope) -> EmbeddedLedger:
        return EmbeddedLedger(self._root, lambda: self._open_collection(scope), self._threads, self._runs)

    def search_cache(self, scope: Scope) -> EmbeddedSearchCache:
        return EmbeddedSearchCache(lambda: self._open_collection(scope), self._threads)

    def reader(self, scope: Scope) -> AbstractAsyncContextManager[EmbeddedReader]:
        return self._serve(scope, self._open_reader)

    def writer(self, scope: Scope) -> AbstractAsyncContextManager[EmbeddedWriter]:
        return self._serve(scope, self._open_writer)

    def second(self, scope: Scope) -> AbstractAsyncContextManager[EmbeddedReader]:
        return self._serve(scope, lambda one: self._open_reader(one, SECOND))

    def filler(self, scope: Scope) -> AbstractAsyncContextManager[second_model.EmbeddedFiller]:
        return self._serve(scope, lambda one: self._open_changer(second_model.EmbeddedFiller, one))

    def sparse_index(self, scope: Scope) -> AbstractAsyncContextManager[EmbeddedSparseIndex]:
        """The sparse vectors of a collection; implements `SparseIndexingStore`."""
        return self._serve(scope, lambda one: self._open_changer(EmbeddedSparseIndex, one))

    def written_index(self, scope: Scope) -> AbstractAsyncContextManager[EmbeddedWrittenIndex]:
        """The vectors of a collection's summaries and questions; implements `WrittenIndexingStore`."""
        return self._serve(scope, lambda one: self._open_changer(EmbeddedWrittenIndex, one))

    @asynccontextmanager
    async def _serve(self, scope: Scope, make: Callable[[Collection], S]) -> AsyncIterator[S]:
        """What `make` opens, closed after the block."""
        served = await self._threads.run(lambda: self._run_on(scope, make), undo=lambda one: one.close())
        try:
            yield served
        finally:
            await self._threads.release(served.close)

    async def models(self, scope: Scope) -> list[CollectionModel]:
        return await self._run_change(scope, lambda _, one: second_model.list_models(one), writing=False)

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        wanted = (model, variant, dimension)
        await self._run_change(
            scope, lambda place, one: second_model.begin_second_model(place, one, wanted, scope, now=self._now())
        )

    async def switch(self, scope: Scope, *, to: CollectionModel | None = None, elsewhere: bool = False) -> None:
        now = self._now()
        await self._run_change(
            scope, lambda _, one: second_model.switch_models(one, scope, to=to, now=now, elsewhere=elsewhere)
        )

    async def forget(self, scope: Scope) -> None:
        await self._run_change(
            scope, lambda place, one: second_model.drop_second_model(place, one, scope, now=self._now())
        )

    async def invalidate(self, scope: Scope) -> None:
        await self._threads.run(lambda: self._close_collections(scope.tenant, scope.collection))

    async def _run_change(
        self, scope: Scope, work: Callable[[CollectionFiles, sqlite3.Connection], T], *, writing: bool = True
    ) -> T:
        def run(collection: Collection) -> T:
            connection = collection.take_connection(writing=writing)
            try:
                with map_errors(collection.place.directory):
                    return work(collection.place, connection)
            finally:
                collection.release(connection)

        return await self._threads.run(lambda: self._run_on(scope, run))

    def _run_on(self, scope: Scope, work: Callable[[Collection], T]) -> T:
        """Work on a collection, once more where it was encrypted with another key meanwhile."""
        collection = self._open_collection(scope)
        try:
            return work(collection)
        except StoreError as error:
            if collection.is_current and not isinstance(error, CollectionMoved):
                raise
            self._close_collections(scope.tenant, scope.collection)
        return work(self._open_collection(scope))

    def _open_changer(self, kind: type[C], collection: Collection) -> C:
        connection = collection.take_connection(writing=True)
        try:
            return kind(collection, connection, self._threads, now=self._now)
        except BaseException:
            collection.release(connection)
            raise

    async def identity(self) -> str | None:
        return await self._threads.run(lambda: file_identity(self._root))

    async def close(self) -> None:
        """Close connections and let the locks of unfinished runs go. The store cannot be used after."""
        if not self._threads.closed:
            await self._threads.run(self._close_all)
            self._threads.close()

    def _close_all(self) -> None:
        with self._lock:
            collections = list(self._open.values())
            self._open.clear()
        for collection in collections:
            collection.close()
        self._runs.close()

    def _open_reader(self, collection: Collection, tables: VectorTables = ACTIVE) -> EmbeddedReader:
        self._activate_due(collection)
        reader = EmbeddedReader(collection, collection.open_view(tables), self._threads)
        reader.prepare_info()
        return reader

    def _open_writer(self, collection: Collection) -> EmbeddedWriter:
        connection = collection.take_connection(writing=True)
        try:
            with map_errors(collection.place.directory):
                remove_leftovers(collection.place, connection)
        except BaseException:
            collection.release(connection)
            raise
        lenders = SiblingVectors(self._tenants, collection.scope.tenant, collection.place)
        return EmbeddedWriter(collection, connection, self._threads, lenders=lenders, keep=self._keep, now=self._now)

    def _activate_due(self, collection: Collection) -> None:
        """Make revisions active whose time has come: looked at when a view is opened, written only then.

        Where this user may only read, they wait for somebody who may write; and while the collection is being put under
        another key, for that.
        """
        if not is_writable(collection.place.database) or is_rekeying(collection.place):
            return
        connection = collection.take_connection()
        try:
            with map_errors(collection.place.directory):
                now = self._now()
                if lacks_room(connection) or not revision_rows.find_due_documents(connection, now=now):
                    return
                prepare_writing(collection.place.database, connection)
                with write_transaction(connection):
                    for document in revision_rows.find_due_documents(connection, now=now):
                        revision_rows.activate_newest(connection, document, now=now, keep=self._keep)
                    revision_rows.advance_generation(connection, now=now)
        finally:
            collection.release(connection)

    def _open_collection(self, scope: Scope) -> Collection:
        """The open collection of a scope; raises `NotBuilt`, or `StoreTooNew` for a newer format."""
        with map_errors(self._root):
            if (found := self._find_open(scope)) is not None:
                return found
            if not check_store(self._root):
                raise not_built_error(scope)
            self._sweep_once()
            made = self._make_collection(scope)  # not behind our lock: it may wait for whoever is behind the gate
            with self._lock:
                before = self._open.get(scope)
                if before is not None and before.is_current:
                    return before
                if before is not None:
                    before.close()
                self._open[scope] = made
                self._open.move_to_end(scope)
                while len(self._open) > MAX_OPEN:
                    self._open.popitem(last=False)[1].close()
                return made

    def _find_open(self, scope: Scope) -> Collection | None:
        with self._lock:
            found = self._open.get(scope)
            if found is None or not found.is_current:
                return None
            self._open.move_to_end(scope)
            return found

    def _make_collection(self, scope: Scope) -> Collection:
        """A collection with the key that its files are under: looked at twice, for they may be changed meanwhile."""
        here = self._locate_files(scope)
        while True:
            if not here.database.is_file():
                here.check_whole()
                raise not_built_error(scope)
            made, again = Collection(scope, here), self._locate_files(scope)
            if made.is_current and again.key == here.key:
                return made
            here = again

    def _sweep_once(self) -> None:
        if not self._swept:
            sweep_erasures(self._root)
            for tenant in list_erasing(self._root):
                log.warning(erasure_notice(tenant))
            self._swept = True

    def _locate_files(self, scope: Scope) -> CollectionFiles:
        """Where a collection is. Checked under the store's lock if nothing is seen: it may just be put in its place."""
        recover_rekey(self._tenants, scope.tenant)
        here = self._tenants.files_of(scope)
        if not here.database.is_file() and here.directory.parent.is_dir() and os.access(self._root, os.W_OK):
            with brief_lock(store_lock_path(self._root), shared=True):
                return self._tenants.files_of(scope)
        return here

    def _close_collections(self, tenant: str, collection: str | None) -> None:
        with self._lock:
            gone = [s for s in self._open if s.tenant == tenant and collection in (None, s.collection)]
            closing = [self._open.pop(scope) for scope in gone]
        for found in closing:
            found.close()
