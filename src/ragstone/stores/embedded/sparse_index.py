"""The writer of a collection's sparse vectors."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import SparseVector
from ragstone.core.types import Chunk
from ragstone.stores.embedded import revision_rows, sparse_rows
from ragstone.stores.embedded.chunk_rows import CHUNK_COLUMNS, decode_numbered_chunks
from ragstone.stores.embedded.collection import Collection, SerialConnection
from ragstone.stores.embedded.database import encode_list, truncate_log, write_transaction
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.model_checks import check_sparse_model
from ragstone.stores.sparse_postings import pack_vector

# CROSS keeps SQLite from choosing another order than that of the rows.
FIND = f"""SELECT c.row, {CHUNK_COLUMNS}
    FROM chunks c CROSS JOIN revisions r ON r.key = c.rev AND r.status = 'active'
    WHERE c.row > ? AND {sparse_rows.LACKS} ORDER BY c.row LIMIT ?"""  # noqa: S608
WANTING = f"""SELECT c.row FROM chunks c WHERE c.row IN (SELECT value FROM json_each(?))
    AND {sparse_rows.LACKS}"""  # noqa: S608


class EmbeddedSparseIndex(SerialConnection):
    """Writes sparse vectors to the collection's database; implements `SparseIndex`."""

    def __init__(
        self,
        collection: Collection,
        connection: sqlite3.Connection,
        threads: ThreadPool,
        *,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(collection, connection, threads)
        self._scope = collection.scope
        self._now = now
        self._held = sparse_rows.read_model(connection)

    async def begin(self, model: str) -> None:
        await self._run(lambda: self._begin(model))

    async def drop(self) -> None:
        await self._run(self._drop)

    async def find_unindexed(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        return await self._run(lambda: self._find(limit, after))

    async def put(self, vectors: Mapping[int, SparseVector]) -> None:
        await self._run(lambda: self._put(vectors))

    async def settle(self) -> None:
        await self._run(self._settle)

    def _begin(self, model: str) -> None:
        with write_transaction(self._connection):
            held = sparse_rows.read_model(self._connection)
            check_sparse_model(held, model, self._scope)
            if held is None:
                self._connection.execute("REPLACE INTO meta VALUES (?, ?)", (sparse_rows.MODEL, model))
                revision_rows.advance_generation(self._connection, now=self._now())
        self._held = model

    def _drop(self) -> None:
        with write_transaction(self._connection):
            if sparse_rows.read_model(self._connection) is not None:
                sparse_rows.forget_model(self._connection)
                revision_rows.advance_generation(self._connection, now=self._now())
        self._held = None

    def _find(self, limit: int, after: int) -> list[tuple[int, Chunk]]:
        return decode_numbered_chunks(self._connection.execute(FIND, (after, limit)))

    def _put(self, given: Mapping[int, SparseVector]) -> None:
        """Chunks may be gone by now, or have got their vectors from another process: looked at under the write lock."""
        packed = {row: pack_vector(vector, number=row) for row, vector in given.items()}
        with write_transaction(self._connection):
            if self._held is None or sparse_rows.read_model(self._connection) != self._held:
                raise StoreError("the sparse vectors are of another model by now; nothing was written")
            wanting = [row for (row,) in self._connection.execute(WANTING, (encode_list(list(packed)),))]
            if wanting:
                sparse_rows.write_segment(self._connection, {row: packed[row] for row in wanting})
                revision_rows.advance_generation(self._connection, now=self._now())

    def _settle(self) -> None:
        sparse_rows.tidy_segments(self._connection)
        truncate_log(self._connection)
