"""What an ingestion changes: each call is one transaction, durable when it returns."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import numpy as np

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores.cosine import checked
from ragstone.stores.embedded import revisions, vectors
from ragstone.stores.embedded.borrow import Lenders
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compact import compact_if_worth, remove_leftovers
from ragstone.stores.embedded.database import cut_log, wipe, writing
from ragstone.stores.embedded.missing import Missing
from ragstone.stores.embedded.paths import discard
from ragstone.stores.embedded.purge import forget_dead, overwrite_dead
from ragstone.stores.embedded.reflect import state_of, write_index
from ragstone.stores.embedded.rows import chunk_of
from ragstone.stores.embedded.serial import Serial
from ragstone.stores.embedded.threads import Threads

T = TypeVar("T")


class EmbeddedWriter(Serial):
    """See `ragstone.core.ports.Writer`."""

    def __init__(
        self,
        collection: Collection,
        connection: sqlite3.Connection,
        threads: Threads,
        *,
        lenders: Lenders,
        keep: int,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(collection, connection, threads)
        self._lenders = lenders
        self._keep = keep
        self._now = now
        self._missing = Missing(connection)
        self._held = state_of(connection).held

    async def replace(self, revisions: Sequence[Revision]) -> None:
        await self._call(lambda: self._replace(revisions))

    async def renew(self, revisions: Sequence[Revision]) -> None:
        await self._call(lambda: self._replace(revisions, anew=True))

    async def remove(self, documents: Sequence[str]) -> None:
        await self._call(lambda: self._remove(documents))

    async def wanted(self, limit: int) -> list[Chunk]:
        return await self._call(lambda: self._wanted(limit))

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._call(lambda: self._put(vectors))

    async def settle(self) -> None:
        await self._call(self._settle)

    def _replace(self, states: Sequence[Revision], *, anew: bool = False) -> None:
        if not states:
            return
        ready = [revisions.prepared(state) for state in states]
        words = {term for state in ready for chunk in state.chunks for term in chunk.frequencies}
        now = self._now()
        with writing(self._connection):
            if anew:
                revisions.remove(self._connection, [state.document.id for state in ready])
            terms = revisions.term_ids(self._connection, words)
            for state in ready:
                revisions.insert(self._connection, state, terms)
                revisions.settle(self._connection, state.document.id, now=now, keep=self._keep)
            revisions.touch(self._connection, now=now)

    def _remove(self, documents: Sequence[str]) -> None:
        with writing(self._connection):
            if revisions.remove(self._connection, documents):
                revisions.touch(self._connection, now=self._now())

    def _wanted(self, limit: int) -> list[Chunk]:
        """Vectors that a sibling collection has are taken from there first."""
        while True:
            found = self._missing.find(limit)
            lent = self._lenders.lend([row[2] for row in found], state_of(self._connection))
            if not lent:
                shared: dict[bytes, Document] = {}
                return [chunk_of(row, shared) for row in found]
            self._put(lent)

    def _put(self, given: Mapping[str, Vectors]) -> None:
        dimension = state_of(self._connection).dimension
        if dimension is None:
            raise StoreError("the collection was made without an embedding model: ingest again to name one")
        rows_of = {key: checked(key, vector, dimension) for key, vector in given.items()}
        if not rows_of:
            return
        with writing(self._connection):
            state = state_of(self._connection)
            if self._held[2] is not None and state.held != self._held:
                raise StoreError("the collection was switched to another model meanwhile; run again with that model")
            fresh = [key for key in rows_of if not self._has(key)]
            if fresh:
                rows = np.stack([rows_of[key] for key in fresh])
                path = self._place.vectors(state.vector_file)
                vectors.append(path, rows, first=state.next_slot, key=self._place.key)
                self._register(fresh, rows, state.next_slot)

    def _has(self, key: str) -> bool:
        return self._connection.execute("SELECT 1 FROM vectors WHERE key = ?", (key,)).fetchone() is not None

    def _register(self, keys: Sequence[str], rows: Vectors, first: int) -> None:
        vectors.extend_blocks(self._connection, rows, first=first)
        slots = ((key, first + i) for i, key in enumerate(keys))
        self._connection.executemany("INSERT INTO vectors VALUES (?, ?)", slots)
        self._connection.execute("UPDATE meta SET value = ? WHERE key = 'next_slot'", (first + len(keys),))
        revisions.touch(self._connection, now=self._now())

    def _settle(self) -> None:
        remove_leftovers(self._place, self._connection)
        if not compact_if_worth(self._place, self._connection, now=self._now()):
            forget_dead(self._place, self._connection)
        if erased := self._seal():
            wipe(self._connection)
            with writing(self._connection):
                revisions.wiped(self._connection, erased)
        if cut_log(self._connection):
            overwrite_dead(self._place, self._connection)

    def _seal(self) -> int:
        """Write the index file of this generation; forget the changes that it covers, and words that are gone.

        Returns the number of the last erasure that is in it, 0 when nothing was erased.

        Under the write lock, so that the generation stands still and no other process tidies up meanwhile.
        """
        with writing(self._connection):
            generation = state_of(self._connection).generation
            present = self._place.numbered("index")
            erased = revisions.unwiped(self._connection)
            if generation not in present or not present[generation].is_file() or erased:
                view = self._collection.view()
                try:
                    sealed = write_index(self._place, view.mirror)
                finally:
                    self._collection.release(view.connection)
                if erased:
                    revisions.forget_terms(self._connection, sealed.base.terms)
            self._connection.execute("DELETE FROM changes WHERE generation <= ?", (generation,))
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'log_from'", (generation,))
        for path in (path for other, path in present.items() if other < generation):
            discard(path)
        return erased
