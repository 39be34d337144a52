"""The writer of a collection's sparse vectors: each call is one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import StoreError
from ragstone.core.ports import SparseVector
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores.model_checks import check_sparse_model
from ragstone.stores.postgres import settling, sparse_rows
from ragstone.stores.postgres.catalogue import CounterChange, lock_collection, read_collection, update_counters
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, decode_chunk
from ragstone.stores.postgres.sparse_rows import LACKS, OURS, M, name_collection
from ragstone.stores.sparse_postings import pack_vector

T = TypeVar("T")
FIND = f"""SELECT m.chunk_key, {CHUNK_COLUMNS} FROM mv_active_chunks m
    JOIN chunks c ON c.chunk_key = m.chunk_key JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    WHERE {M} AND m.chunk_key = ANY(%(keys)s) ORDER BY m.chunk_key"""  # noqa: S608
FIND_KEYS = f"""SELECT m.chunk_key FROM mv_active_chunks m WHERE {M} AND m.chunk_key > %(after)s AND {LACKS}
    ORDER BY m.chunk_key LIMIT %(limit)s"""  # noqa: S608
# Chunks are taken away under the collection's lock alone; rows held before it would make a deadlock.
WANTING = f"""SELECT m.chunk_key FROM chunks m WHERE {M} AND m.chunk_key = ANY(%(keys)s) AND {LACKS}
    ORDER BY m.chunk_key"""  # noqa: S608
SET_MODEL = f"UPDATE collections SET sparse_model = %(model)s WHERE {OURS}"  # noqa: S608


class PostgresSparseIndex:
    """Writes sparse vectors to tables; implements `SparseIndex`. `model` is that of the collection when this was
    opened."""

    def __init__(self, pool: Pool, scope: Scope, model: str | None, *, now: Callable[[], datetime]) -> None:
        self._pool = pool
        self._scope = scope
        self._held = model
        self._now = now
        self._one = asyncio.Lock()

    async def begin(self, model: str) -> None:
        async def set_model(cursor: Cursor) -> None:
            collection = await lock_collection(cursor, self._scope)
            held = await sparse_rows.read_model(cursor, collection)
            check_sparse_model(held, model, self._scope)
            if held is None:
                await cursor.execute(SET_MODEL.encode(), name_collection(collection, model=model))
                await update_counters(cursor, collection, CounterChange(), now=self._now())

        await self._run_transaction(set_model)
        self._held = model

    async def drop(self) -> None:
        async def forget(cursor: Cursor) -> None:
            collection = await lock_collection(cursor, self._scope)
            if await sparse_rows.read_model(cursor, collection) is not None:
                await sparse_rows.forget_model(cursor, collection)
                await update_counters(cursor, collection, CounterChange(), now=self._now())

        await self._run_transaction(forget)
        self._held = None

    async def find_unindexed(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        async def find(cursor: Cursor) -> list[tuple[int, Chunk]]:
            collection = await read_collection(cursor, self._scope)
            await cursor.execute(FIND_KEYS.encode(), name_collection(collection, after=after, limit=limit))
            keys = [key for (key,) in await cursor.fetchall()]
            await cursor.execute(FIND.encode(), name_collection(collection, keys=keys))
            documents: dict[bytes, Document] = {}
            return [(key, decode_chunk(row, documents)) for key, *row in await cursor.fetchall()]

        return await self._run_transaction(find)

    async def put(self, vectors: Mapping[int, SparseVector]) -> None:
        packed = {key: pack_vector(vector, number=key) for key, vector in vectors.items()}
        if packed:
            await self._run_transaction(lambda cursor: self._put(cursor, packed))

    async def settle(self) -> None:
        async with self._one:
            await settling.settle_sparse(self._pool, self._scope)

    async def _put(self, cursor: Cursor, packed: Mapping[int, bytes]) -> None:
        """Chunks may be gone by now, or have got their vectors from another process: looked at under the row's lock,
        which is taken last, as everywhere."""
        collection = await read_collection(cursor, self._scope)
        await cursor.execute(WANTING.encode(), name_collection(collection, keys=list(packed)))
        wanting = [key for (key,) in await cursor.fetchall()]
        held = await lock_collection(cursor, self._scope)
        await cursor.execute(WANTING.encode(), name_collection(held, keys=wanting))
        wanting = [key for (key,) in await cursor.fetchall()]
        if self._held is None or await sparse_rows.read_model(cursor, held) != self._held:
            raise StoreError("the sparse vectors are of another model by now; nothing was written")
        if wanting:
            await sparse_rows.write_segment(cursor, held, {key: packed[key] for key in wanting})
            await update_counters(cursor, held, CounterChange(), now=self._now())

    async def _run_transaction(self, work: Callable[[Cursor], Awaitable[T]]) -> T:
        async with self._one:
            return await self._pool.run_transaction(self._scope.tenant, lambda cursor, _: work(cursor))
