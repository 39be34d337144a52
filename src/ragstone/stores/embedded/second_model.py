"""A second model beside the active one: begun, filled, switched to, given up."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import CollectionModel, Vectors
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores.collection_errors import no_second_model_error
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.embedded import revision_rows, vector_files
from ragstone.stores.embedded.chunk_rows import ACTIVE_CHUNKS, decode_chunk
from ragstone.stores.embedded.collection import Collection, SerialConnection
from ragstone.stores.embedded.compaction import compact_if_worth, next_file_number, remove_leftovers
from ragstone.stores.embedded.database import truncate_log, write_transaction
from ragstone.stores.embedded.mirror_updates import read_state
from ragstone.stores.embedded.missing_vectors import MissingVectors
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.model_checks import check_second_model, has_second_model

T = TypeVar("T")
MODEL_FIELDS = ("model", "variant", "dimension", "vector_file", "next_slot")
WAS_ACTIVE_KEY = "beside_was_active"
COUNT_PENDING = f"""SELECT count(*) FROM {ACTIVE_CHUNKS} WHERE c.vector_key != ''
    AND NOT EXISTS (SELECT 1 FROM {{vectors}} v WHERE v.key = c.vector_key)"""  # noqa: S608
SWAP_TABLE = "swapped"  # a name that no table has


def list_models(connection: sqlite3.Connection) -> list[CollectionModel]:
    """The models of a collection, the active one first; implements `ReembeddingStore.models`."""
    found = []
    for tables in (ACTIVE, SECOND):
        state = read_state(connection, tables)
        if state.model is None or state.dimension is None:
            continue
        pending = count_pending(connection, tables)
        was_active = connection.execute("SELECT value FROM meta WHERE key = ?", (WAS_ACTIVE_KEY,)).fetchone()
        standing = "kept" if was_active and was_active[0] else "filling" if pending else "ready"
        name = "active" if tables == ACTIVE else standing
        found.append(CollectionModel(state.model, state.variant, state.dimension, name, pending))  # type: ignore[arg-type]  # literals all
    return found


def count_pending(connection: sqlite3.Connection, tables: VectorTables) -> int:
    """How many active chunks lack a vector."""
    return int(connection.execute(COUNT_PENDING.format(vectors=tables.vectors)).fetchone()[0])


def begin_second_model(
    place: CollectionFiles, connection: sqlite3.Connection, wanted: tuple[str, str, int], scope: Scope, *, now: datetime
) -> None:
    """Make room for a second model, unless it is there; raises `UsageError` where another one is."""
    with write_transaction(connection):
        active, second = (read_state(connection, tables) for tables in (ACTIVE, SECOND))
        if has_second_model(active.model_identity, second.model_identity, wanted, scope):
            return
        number = next_file_number(connection)
        vector_files.create_file(place.vector_file(number), wanted[2], place.key)
        about = dict(zip(MODEL_FIELDS, (*wanted, number, 0), strict=True))
        rows = [(SECOND.meta + name, value) for name, value in about.items()]
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", [*rows, (WAS_ACTIVE_KEY, 0)])
        revision_rows.advance_generation(connection, now=now)


def switch_models(
    connection: sqlite3.Connection, scope: Scope, *, to: CollectionModel | None, now: datetime, elsewhere: bool
) -> None:
    """Swap the tables and their records in one transaction; raises `UsageError` while vectors are missing."""
    with write_transaction(connection):
        if read_state(connection, SECOND).dimension is None:
            raise no_second_model_error(scope)
        check_second_model(read_state(connection, SECOND).model_identity, to)
        if lacking := 0 if elsewhere else count_pending(connection, SECOND):
            raise UsageError(f"{lacking} chunks have no vector of the second model yet; run: ragstone reembed fill")
        for one, other in ((ACTIVE.vectors, SECOND.vectors), (ACTIVE.blocks, SECOND.blocks)):
            for old, new in ((one, SWAP_TABLE), (other, one), (SWAP_TABLE, other)):
                connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
        for name in MODEL_FIELDS:
            keys = (name, SECOND.meta + name)
            values = [connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0] for key in keys]
            connection.executemany("REPLACE INTO meta VALUES (?, ?)", zip(keys, reversed(values), strict=True))
        connection.execute("REPLACE INTO meta VALUES (?, 1)", (WAS_ACTIVE_KEY,))
        revision_rows.advance_generation(connection, now=now)


def drop_second_model(place: CollectionFiles, connection: sqlite3.Connection, scope: Scope, *, now: datetime) -> None:
    """Give up the second model: what a kill leaves of its file, the next writer removes."""
    with write_transaction(connection):
        if read_state(connection, SECOND).dimension is None:
            raise no_second_model_error(scope)
        connection.execute(f"DELETE FROM {SECOND.vectors}")  # noqa: S608
        connection.execute(f"DELETE FROM {SECOND.blocks}")  # noqa: S608
        connection.executemany("DELETE FROM meta WHERE key = ?", [(SECOND.meta + name,) for name in MODEL_FIELDS])
        connection.execute("DELETE FROM meta WHERE key = ?", (WAS_ACTIVE_KEY,))
        revision_rows.advance_generation(connection, now=now)
    remove_leftovers(place, connection)


class EmbeddedFiller(SerialConnection):
    """Writes the vectors of a second model; implements `Filler`."""

    def __init__(
        self,
        collection: Collection,
        connection: sqlite3.Connection,
        threads: ThreadPool,
        *,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(collection, connection, threads)
        self._now = now
        self._missing = MissingVectors(connection, SECOND)
        self._held = read_state(connection, SECOND).model_identity
        if self._held[2] is None:
            raise no_second_model_error(collection.scope)

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        return await self._run(lambda: self._find_pending(limit))

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._run(lambda: self._put(vectors))

    async def settle(self) -> None:
        await self._run(self._settle)

    def _find_pending(self, limit: int) -> list[Chunk]:
        shared: dict[bytes, Document] = {}
        return [decode_chunk(row, shared) for row in self._missing.find(limit)]

    def _put(self, given: Mapping[str, Vectors]) -> None:
        """The second model may have been switched to, or given up, meanwhile: looked at under the write lock."""
        with write_transaction(self._connection):
            state = read_state(self._connection, SECOND)
            if state.dimension is None or state.model_identity != self._held:
                raise StoreError("the second model is another one by now; nothing was written")
            rows_of = {key: check_stored_vector(key, vector, state.dimension) for key, vector in given.items()}
            path, first = self._place.vector_file(state.vector_file), state.next_slot
            vector_files.add_missing(self._connection, path, rows_of, first=first, key=self._place.key, tables=SECOND)

    def _settle(self) -> None:
        remove_leftovers(self._place, self._connection)
        compact_if_worth(self._place, self._connection, now=self._now(), tables=SECOND)
        truncate_log(self._connection)
