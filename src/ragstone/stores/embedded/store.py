"""The embedded store: a directory, no server. Opened without touching the disk."""

import logging
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ragstone.core.errors import StoreError
from ragstone.core.ports import HeldModel, Sealer
from ragstone.core.types import Scope
from ragstone.stores.absent import not_built, unfinished
from ragstone.stores.durable import inode
from ragstone.stores.effective import utc_now
from ragstone.stores.embedded import beside, revisions
from ragstone.stores.embedded.admin import EmbeddedAdmin
from ragstone.stores.embedded.borrow import Lenders
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compact import remove_leftovers
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.frozen import writable
from ragstone.stores.embedded.keys import EmbeddedKeys
from ragstone.stores.embedded.ledger import EmbeddedLedger, Held
from ragstone.stores.embedded.memory import EmbeddedMemory
from ragstone.stores.embedded.paths import Place, check_store, gate_of, make_store, sweep
from ragstone.stores.embedded.reader import PROVIDER, EmbeddedReader
from ragstone.stores.embedded.reseal import recover
from ragstone.stores.embedded.sealer import KeySealer
from ragstone.stores.embedded.tables import ACTIVE, BESIDE, Tables
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.embedded.turns import all_doomed, copied
from ragstone.stores.embedded.writer import EmbeddedWriter
from ragstone.stores.foreign import Moved, mapped
from ragstone.stores.locks import gate
from ragstone.stores.master import Master

T = TypeVar("T")
log = logging.getLogger("ragstone")
OPEN = 32  # collections that keep their index in memory; the one least recently used gives way


class EmbeddedStore:
    """See `ragstone.core.ports.Store`, `Reembedding`. `keep_versions` revisions of a document stay; `now` is the
    clock; the keys of new tenants are wrapped by `master`, None leaves them plain."""

    def __init__(
        self,
        root: Path,
        *,
        keep_versions: int = 1,
        now: Callable[[], datetime] = utc_now,
        master: Master | None = None,
    ) -> None:
        self._root = root
        self._tenants = Tenants(root, master)
        self._keep = keep_versions
        self._now = now
        self._threads = Threads("ragstone-store")
        self._lock = threading.Lock()
        self._open: OrderedDict[Scope, Collection] = OrderedDict()
        self._runs = Held()
        self._swept = False
        self._admin = EmbeddedAdmin(self._tenants, self._threads, opened=self._collection, closed=self._forget, now=now)
        self._keys = EmbeddedKeys(root, self._threads)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"dense", "keyword", "filter", "versions", "snapshot", "export", "models"})

    @property
    def admin(self) -> EmbeddedAdmin:
        return self._admin

    @property
    def keys(self) -> EmbeddedKeys:
        return self._keys

    def ledger(self, scope: Scope) -> EmbeddedLedger:
        return EmbeddedLedger(self._root, lambda: self._collection(scope), self._threads, self._runs)

    def memory(self, scope: Scope) -> EmbeddedMemory:
        """See `ragstone.core.ports.Remembering`."""
        return EmbeddedMemory(lambda: self._collection(scope), self._threads)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[EmbeddedReader]:
        reader = await self._threads.run(lambda: self._on(scope, self._reader), undo=EmbeddedReader.close)
        try:
            yield reader
        finally:
            await self._threads.end(reader.close)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[EmbeddedWriter]:
        writer = await self._threads.run(lambda: self._on(scope, self._writer), undo=EmbeddedWriter.close)
        try:
            yield writer
        finally:
            await self._threads.end(writer.close)

    @asynccontextmanager
    async def second(self, scope: Scope) -> AsyncIterator[EmbeddedReader]:
        reader = await self._threads.run(
            lambda: self._on(scope, lambda one: self._reader(one, BESIDE)), undo=EmbeddedReader.close
        )
        try:
            yield reader
        finally:
            await self._threads.end(reader.close)

    @asynccontextmanager
    async def filler(self, scope: Scope) -> AsyncIterator[beside.EmbeddedFiller]:
        filler = await self._threads.run(lambda: self._on(scope, self._filler), undo=beside.EmbeddedFiller.close)
        try:
            yield filler
        finally:
            await self._threads.end(filler.close)

    async def models(self, scope: Scope) -> list[HeldModel]:
        return await self._change(scope, lambda _, connection: beside.models(connection))

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        wanted = (model, variant, dimension)
        await self._change(scope, lambda place, one: beside.begin(place, one, wanted, scope, now=self._now()))

    async def switch(self, scope: Scope, *, to: HeldModel | None = None, elsewhere: bool = False) -> None:
        now = self._now()
        await self._change(scope, lambda _, one: beside.switch(one, scope, to=to, now=now, elsewhere=elsewhere))

    async def forget(self, scope: Scope) -> None:
        await self._change(scope, lambda place, one: beside.forget(place, one, scope, now=self._now()))

    async def _change(self, scope: Scope, work: Callable[[Place, sqlite3.Connection], T]) -> T:
        return await self._threads.run(lambda: self._on(scope, lambda collection: self._done(collection, work)))

    def _on(self, scope: Scope, work: Callable[[Collection], T]) -> T:
        """Work on a collection, once more where it was put under another key meanwhile."""
        collection = self._collection(scope)
        try:
            return work(collection)
        except StoreError as error:
            if collection.current and not isinstance(error, Moved):
                raise
            self._forget(scope.tenant, scope.collection)
        return work(self._collection(scope))

    def _done(self, collection: Collection, work: Callable[[Place, sqlite3.Connection], T]) -> T:
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                return work(collection.place, connection)
        finally:
            collection.release(connection)

    def _filler(self, collection: Collection) -> beside.EmbeddedFiller:
        connection = collection.connection()
        try:
            return beside.EmbeddedFiller(collection, connection, self._threads, now=self._now)
        except BaseException:
            collection.release(connection)
            raise

    async def identity(self) -> str | None:
        return await self._threads.run(lambda: inode(self._root))

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

    def _reader(self, collection: Collection, tables: Tables = ACTIVE) -> EmbeddedReader:
        self._activate_due(collection)
        return EmbeddedReader(collection, collection.view(tables), self._threads)

    def _writer(self, collection: Collection) -> EmbeddedWriter:
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                remove_leftovers(collection.place, connection)
        except BaseException:
            collection.release(connection)
            raise
        lenders = Lenders(self._tenants, collection.scope.tenant, collection.place)
        return EmbeddedWriter(collection, connection, self._threads, lenders=lenders, keep=self._keep, now=self._now)

    def _activate_due(self, collection: Collection) -> None:
        """Make revisions active whose time has come: looked at when a view is opened, written only then.

        Where this user may only read, they wait for somebody who may write; and while the collection is being put under
        another key, for that.
        """
        if not writable(collection.place.database) or copied(collection.place):
            return
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                now = self._now()
                if not revisions.due(connection, now=now):
                    return
                with writing(connection):
                    for document in revisions.due(connection, now=now):
                        revisions.settle(connection, document, now=now, keep=self._keep)
                    revisions.touch(connection, now=now)
        finally:
            collection.release(connection)

    def _collection(self, scope: Scope) -> Collection:
        """The open collection of a scope; raises `NotBuilt`, or `StoreTooNew` for a newer format."""
        with mapped(self._root):
            if (found := self._standing(scope)) is not None:
                return found
            if not check_store(self._root):
                raise not_built(scope)
            self._sweep_once()
            made = self._made(scope)  # not behind our lock: it may wait for whoever is behind the gate
            with self._lock:
                before = self._open.get(scope)
                if before is not None and before.current:
                    return before
                if before is not None:
                    before.close()
                self._open[scope] = made
                self._open.move_to_end(scope)
                while len(self._open) > OPEN:
                    self._open.popitem(last=False)[1].close()
                return made

    def _standing(self, scope: Scope) -> Collection | None:
        with self._lock:
            found = self._open.get(scope)
            if found is None or not found.current:
                return None
            self._open.move_to_end(scope)
            return found

    def _made(self, scope: Scope) -> Collection:
        """A collection with the key that its files are under: looked at twice, for they may be changed meanwhile."""
        here = self._found(scope)
        while True:
            if not here.database.is_file():
                here.check_whole()
                raise not_built(scope)
            made, again = Collection(scope, here), self._found(scope)
            if again.key == here.key:
                return made
            here = again

    def _sweep_once(self) -> None:
        if not self._swept:
            sweep(self._root)
            for tenant in all_doomed(self._root):
                log.warning(unfinished(tenant))
            self._swept = True

    def _found(self, scope: Scope) -> Place:
        """Where a collection is. Looked at behind the gate where nothing is seen: it may just be put in its place."""
        recover(self._tenants, scope.tenant)
        here = self._tenants.place(scope)
        if not here.database.is_file() and here.directory.parent.is_dir() and os.access(self._root, os.W_OK):
            with gate(gate_of(self._root), shared=True):
                return self._tenants.place(scope)
        return here

    def _forget(self, tenant: str, collection: str | None) -> None:
        with self._lock:
            gone = [s for s in self._open if s.tenant == tenant and collection in (None, s.collection)]
            closing = [self._open.pop(scope) for scope in gone]
        for found in closing:
            found.close()

    async def sealer(self, tenant: str) -> Sealer | None:
        """See `ragstone.core.ports.Sealing`."""
        return await self._threads.run(lambda: self._sealer(tenant))

    def _sealer(self, tenant: str) -> Sealer | None:
        with mapped(self._root):
            if self._tenants.master is not None:
                make_store(self._root)
                self._tenants.prepare(tenant)
            keys = self._tenants.keys(tenant)
            return KeySealer(keys) if keys else None

    async def rotate(self, tenant: str) -> bool:
        """See `ragstone.core.ports.Sealing`."""
        return await self._threads.run(lambda: self._rotate(tenant))

    def _rotate(self, tenant: str) -> bool:
        with mapped(self._root):
            if not check_store(self._root):
                return False
            with gate(gate_of(self._root)):
                if keys := self._tenants.keys(tenant):
                    self._tenants.keep(tenant, keys)
                return bool(keys)

    async def rekey(self, tenant: str, *, fresh: bool) -> int:
        """See `ragstone.core.ports.Sealing`."""
        return await self._threads.run(lambda: self._admin.whole.rekey(tenant, fresh=fresh))
