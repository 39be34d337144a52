"""The writer of the vectors of a collection's summaries and questions."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk
from ragstone.stores.embedded import collection, revision_rows, written_rows
from ragstone.stores.embedded.chunk_rows import CHUNK_COLUMNS, decode_numbered_chunks
from ragstone.stores.embedded.database import encode_list, write_transaction
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.model_checks import check_written_model, check_written_vectors

# CROSS keeps SQLite from choosing another order than that of the rows.
FIND = f"""SELECT c.row, {CHUNK_COLUMNS}
    FROM chunks c CROSS JOIN revisions r ON r.key = c.rev AND r.status = 'active'
    WHERE c.row > ? AND {written_rows.LACKS} ORDER BY c.row LIMIT ?"""  # noqa: S608
WANTING = f"""SELECT c.row FROM chunks c WHERE c.row IN (SELECT value FROM json_each(?))
    AND {written_rows.LACKS}"""  # noqa: S608


class EmbeddedWrittenIndex(collection.SerialConnection):
    """Writes such vectors to the collection's database; implements `WrittenIndex`."""

    def __init__(
        self,
        own: collection.Collection,
        connection: sqlite3.Connection,
        threads: ThreadPool,
        *,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(own, connection, threads)
        self._now = now
        self._held = written_rows.read_model(connection)

    async def begin(self, model: str, variant: str | None, dimension: int) -> None:
        await self._run(lambda: self._begin((model, variant, dimension)))

    async def drop(self) -> None:
        await self._run(self._drop)

    async def find_unlinked(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        return await self._run(lambda: self._find(limit, after))

    async def find_known(self, keys: Collection[str]) -> set[str]:
        return await self._run(lambda: set(written_rows.find_known(self._connection, keys)))

    async def put(self, keys: Mapping[int, str], vectors: Mapping[str, Vectors]) -> None:
        await self._run(lambda: self._put(keys, vectors))

    def _begin(self, model: tuple[str, str | None, int]) -> None:
        with write_transaction(self._connection):
            held = written_rows.read_model(self._connection)
            check_written_model(held, model)
            if held is None:
                written_rows.set_model(self._connection, model)
                revision_rows.advance_generation(self._connection, now=self._now())
        self._held = model

    def _drop(self) -> None:
        with write_transaction(self._connection):
            if written_rows.read_model(self._connection) is not None:
                written_rows.forget_model(self._connection)
                revision_rows.advance_generation(self._connection, now=self._now())
        self._held = None

    def _find(self, limit: int, after: int) -> list[tuple[int, Chunk]]:
        return decode_numbered_chunks(self._connection.execute(FIND, (after, limit)))

    def _put(self, keys: Mapping[int, str], vectors: Mapping[str, Vectors]) -> None:
        """Chunks may be gone by now, or have got their vectors from another process: looked at under the write lock."""
        with write_transaction(self._connection):
            if self._held is None or written_rows.read_model(self._connection) != self._held:
                raise StoreError("the vectors of summaries and questions are of another model by now; none was written")
            check_written_vectors(vectors, self._held[2])
            wanting = [row for (row,) in self._connection.execute(WANTING, (encode_list(list(keys)),))]
            named = {keys[row] for row in wanting}
            there = written_rows.find_known(self._connection, named)
            fresh = {key: own for key, own in vectors.items() if key in named and key not in there}
            written_rows.write_vectors(self._connection, fresh)
            there |= written_rows.find_known(self._connection, fresh)
            links = {row: there.get(keys[row]) for row in wanting if not keys[row] or keys[row] in there}
            if links:
                written_rows.write_links(self._connection, links)
                revision_rows.advance_generation(self._connection, now=self._now())
