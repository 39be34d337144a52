"""The embedded store: a directory, no server. Opened without touching the disk."""

import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from ragstone.stores.absent import not_built
from ragstone.stores.effective import utc_now
from ragstone.stores.embedded import revisions
from ragstone.stores.embedded.admin import EmbeddedAdmin
from ragstone.stores.embedded.borrow import Lenders
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compact import remove_leftovers
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.frozen import writable
from ragstone.stores.embedded.keys import EmbeddedKeys
from ragstone.stores.embedded.ledger import EmbeddedLedger, Held
from ragstone.stores.embedded.paths import check_store, place, sweep
from ragstone.stores.embedded.reader import PROVIDER, EmbeddedReader
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.embedded.writer import EmbeddedWriter
from ragstone.stores.foreign import mapped
from ragstone.types import Scope

OPEN = 32  # collections that keep their index in memory; the one least recently used gives way


class EmbeddedStore:
    """See `ragstone.ports.Store`. `keep_versions` revisions of a document stay; `now` is the clock."""

    def __init__(self, root: Path, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._root = root
        self._keep = keep_versions
        self._now = now
        self._threads = Threads("ragstone-store")
        self._lock = threading.Lock()
        self._open: OrderedDict[Scope, Collection] = OrderedDict()
        self._runs = Held()
        self._swept = False
        self._keys = EmbeddedKeys(root, self._threads)
        self._admin = EmbeddedAdmin(root, self._threads, opened=self._collection, closed=self._forget, now=now)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"dense", "keyword", "filter", "versions", "snapshot"})

    @property
    def admin(self) -> EmbeddedAdmin:
        return self._admin

    @property
    def keys(self) -> EmbeddedKeys:
        return self._keys

    def ledger(self, scope: Scope) -> EmbeddedLedger:
        return EmbeddedLedger(self._root, lambda: self._collection(scope), self._threads, self._runs)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[EmbeddedReader]:
        reader = await self._threads.run(lambda: self._reader(scope), undo=EmbeddedReader.close)
        try:
            yield reader
        finally:
            await self._threads.end(reader.close)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[EmbeddedWriter]:
        writer = await self._threads.run(lambda: self._writer(scope), undo=EmbeddedWriter.close)
        try:
            yield writer
        finally:
            await self._threads.end(writer.close)

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

    def _reader(self, scope: Scope) -> EmbeddedReader:
        collection = self._collection(scope)
        self._activate_due(collection)
        return EmbeddedReader(collection, collection.view(), self._threads)

    def _writer(self, scope: Scope) -> EmbeddedWriter:
        collection = self._collection(scope)
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                remove_leftovers(collection.place, connection)
        except BaseException:
            collection.release(connection)
            raise
        lenders = Lenders(self._root, scope.tenant, collection.place)
        return EmbeddedWriter(collection, connection, self._threads, lenders=lenders, keep=self._keep, now=self._now)

    def _activate_due(self, collection: Collection) -> None:
        """Make revisions active whose time has come: looked at when a view is opened, written only then.

        Where this user may only read, they wait for somebody who may write.
        """
        if not writable(collection.place.database):
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
        with self._lock, mapped(self._root):
            found = self._open.get(scope)
            if found is not None and found.current:
                self._open.move_to_end(scope)
                return found
            if not check_store(self._root):
                raise not_built(scope)
            if not self._swept:
                sweep(self._root)
                self._swept = True
            here = place(self._root, scope)
            if not here.database.is_file():
                here.check_whole()
                raise not_built(scope)
            if found is not None:
                found.close()
            self._open[scope] = Collection(scope, here)
            self._open.move_to_end(scope)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)[1].close()
            return self._open[scope]

    def _forget(self, scope: Scope) -> None:
        with self._lock:
            found = self._open.pop(scope, None)
        if found is not None:
            found.close()
