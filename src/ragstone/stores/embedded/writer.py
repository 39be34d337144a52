"""The writer of an ingestion: each call is one transaction, durable when it returns."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.embedded import revision_rows, sparse_rows, vector_files, written_rows
from ragstone.stores.embedded.chunk_rows import decode_chunk
from ragstone.stores.embedded.collection import Collection, SerialConnection
from ragstone.stores.embedded.compaction import compact_if_worth, remove_leftovers
from ragstone.stores.embedded.database import truncate_log, vacuum_if_worth, write_transaction
from ragstone.stores.embedded.mirror_updates import is_short_way, read_state, record_index, write_index
from ragstone.stores.embedded.missing_vectors import MissingVectors
from ragstone.stores.embedded.purge import forget_dead_vectors, list_dead_slots, overwrite_dead_vectors, wipe_gaps
from ragstone.stores.embedded.safe_removal import remove_path
from ragstone.stores.embedded.sibling_vectors import SiblingVectors
from ragstone.stores.embedded.thread_pool import ThreadPool

T = TypeVar("T")


class EmbeddedWriter(SerialConnection):
    """Writes revisions and vectors to the collection's files; implements `Writer`."""

    def __init__(
        self,
        collection: Collection,
        connection: sqlite3.Connection,
        threads: ThreadPool,
        *,
        lenders: SiblingVectors,
        keep: int,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(collection, connection, threads)
        self._lenders = lenders
        self._keep = keep
        self._now = now
        self._missing = MissingVectors(connection)
        self._held = read_state(connection).model_identity

    async def replace(self, revisions: Sequence[Revision]) -> None:
        await self._run(lambda: self._replace(revisions))

    async def renew(self, revisions: Sequence[Revision]) -> None:
        await self._run(lambda: self._replace(revisions, anew=True))

    async def remove(self, documents: Sequence[str]) -> None:
        await self._run(lambda: self._remove(documents))

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        return await self._run(lambda: self._find_pending(limit))

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._run(lambda: self._put(vectors))

    async def settle(self) -> None:
        await self._run(self._settle)

    def _replace(self, states: Sequence[Revision], *, anew: bool = False) -> None:
        if not states:
            return
        ready = [revision_rows.prepare_revision(state) for state in states]
        words = {term for state in ready for chunk in state.chunks for term in chunk.frequencies}
        now = self._now()
        with write_transaction(self._connection):
            if anew:
                revision_rows.remove_documents(self._connection, [state.document.id for state in ready])
            terms = revision_rows.assign_term_ids(self._connection, words)
            for state in ready:
                revision_rows.insert_revision(self._connection, state, terms)
                revision_rows.activate_newest(self._connection, state.document.id, now=now, keep=self._keep)
            revision_rows.advance_generation(self._connection, now=now)

    def _remove(self, documents: Sequence[str]) -> None:
        with write_transaction(self._connection):
            if revision_rows.remove_documents(self._connection, documents):
                revision_rows.advance_generation(self._connection, now=self._now())

    def _find_pending(self, limit: int) -> list[Chunk]:
        """Vectors that a sibling collection has are taken from there first.

        Raises `Corrupt` when one that was taken is still missing.
        """
        taken: set[str] = set()
        while True:
            found = self._missing.find(limit)
            if not taken.isdisjoint(row[2] for row in found):
                raise Corrupt(f"an index of {self._place.database} is damaged; run: ragstone doctor --repair")
            lent = self._lenders.copy_vectors([row[2] for row in found], read_state(self._connection))
            if not lent:
                shared: dict[bytes, Document] = {}
                return [decode_chunk(row, shared) for row in found]
            self._put(lent)
            taken = set(lent)

    def _put(self, given: Mapping[str, Vectors]) -> None:
        dimension = read_state(self._connection).dimension
        if dimension is None:
            raise StoreError("the collection was made without an embedding model: ingest again to name one")
        rows_of = {key: check_stored_vector(key, vector, dimension) for key, vector in given.items()}
        if not rows_of:
            return
        with write_transaction(self._connection):
            state = read_state(self._connection)
            if self._held[2] is not None and state.model_identity != self._held:
                raise StoreError("the collection was switched to another model meanwhile; run again with that model")
            path = self._place.vector_file(state.vector_file)
            if vector_files.add_missing(self._connection, path, rows_of, first=state.next_slot, key=self._place.key):
                revision_rows.advance_generation(self._connection, now=self._now())

    def _settle(self) -> None:
        remove_leftovers(self._place, self._connection)
        # What is removed later leaves traces that were looked for already: the run that removes it takes them out.
        erased = revision_rows.last_unwiped_erasure(self._connection)
        moved = compact_if_worth(self._place, self._connection, now=self._now())
        if not moved:
            forget_dead_vectors(self._place, self._connection)
        sparse_rows.tidy_segments(self._connection)
        written_rows.forget_unused(self._connection)
        self._write_index(anyway=moved)
        vacuum_if_worth(self._connection)
        dead = list_dead_slots(self._connection)
        if truncate_log(self._connection):
            if erased:
                wipe_gaps(self._place, self._connection, erased)
                truncate_log(self._connection)
            overwrite_dead_vectors(self._place, self._connection, dead)

    def _write_index(self, *, anyway: bool) -> None:
        """Write the index file of this generation, unless the one before needs little beside it; forget the changes
        that it covers, and words that are gone.

        Under the write lock, so that the generation stands still and no other process tidies up meanwhile.
        """
        with write_transaction(self._connection):
            state = read_state(self._connection)
            present = self._place.find_numbered("index")
            erased = revision_rows.last_unwiped_erasure(self._connection)
            whole = {number for number, path in present.items() if path.is_file()}
            if state.generation not in whole or erased:
                covered = max((number for number in whole if number >= state.log_from), default=None)
                if not (anyway or erased or covered is None) and is_short_way(self._connection, state, covered):
                    return
                view = self._collection.open_view()
                try:
                    sealed = write_index(self._place, view.mirror)
                finally:
                    self._collection.release(view.connection)
                revision_rows.forget_terms(self._connection, sealed.base.terms)
            record_index(self._connection, state)
        for path in (path for other, path in present.items() if other < state.generation):
            remove_path(path)
