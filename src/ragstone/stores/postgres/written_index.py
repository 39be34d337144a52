"""The writer of the vectors of a collection's summaries and questions: each call is one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores.model_checks import check_written_model, check_written_vectors
from ragstone.stores.postgres import written_rows
from ragstone.stores.postgres.catalogue import CounterChange, lock_collection, read_collection, update_counters
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, CollectionRow, decode_chunk
from ragstone.stores.postgres.written_rows import LACKS, M, name_collection

T = TypeVar("T")
FIND = f"""SELECT m.chunk_key, {CHUNK_COLUMNS} FROM mv_active_chunks m
    JOIN chunks c ON c.chunk_key = m.chunk_key JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    WHERE {M} AND m.chunk_key = ANY(%(keys)s) ORDER BY m.chunk_key"""  # noqa: S608
FIND_KEYS = f"""SELECT m.chunk_key FROM mv_active_chunks m WHERE {M} AND m.chunk_key > %(after)s AND {LACKS}
    ORDER BY m.chunk_key LIMIT %(limit)s"""  # noqa: S608
# Chunks are taken away under the collection's lock alone; rows held before it would make a deadlock.
WANTING = f"""SELECT m.chunk_key FROM chunks m WHERE {M} AND m.chunk_key = ANY(%(keys)s) AND {LACKS}
    ORDER BY m.chunk_key"""  # noqa: S608


class PostgresWrittenIndex:
    """Writes such vectors to tables; implements `WrittenIndex`. `held` is the collection when this was opened."""

    def __init__(self, pool: Pool, scope: Scope, held: CollectionRow, *, now: Callable[[], datetime]) -> None:
        self._pool = pool
        self._scope = scope
        self._held = held.written
        self._now = now
        self._one = asyncio.Lock()

    async def begin(self, model: str, variant: str | None, dimension: int) -> None:
        async def set_model(cursor: Cursor) -> None:
            collection = await lock_collection(cursor, self._scope)
            check_written_model(collection.written, (model, variant, dimension))
            if collection.written is None:
                await written_rows.set_model(cursor, collection, (model, variant, dimension))
                await update_counters(cursor, collection, CounterChange(), now=self._now())

        await self._run_transaction(set_model)
        self._held = (model, variant, dimension)

    async def drop(self) -> None:
        async def forget(cursor: Cursor) -> None:
            collection = await lock_collection(cursor, self._scope)
            if collection.written is not None:
                await written_rows.forget_model(cursor, collection)
                await update_counters(cursor, collection, CounterChange(), now=self._now())

        await self._run_transaction(forget)
        self._held = None

    async def find_unlinked(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        async def find(cursor: Cursor) -> list[tuple[int, Chunk]]:
            collection = await read_collection(cursor, self._scope)
            await cursor.execute(FIND_KEYS.encode(), name_collection(collection, after=after, limit=limit))
            keys = [key for (key,) in await cursor.fetchall()]
            await cursor.execute(FIND.encode(), name_collection(collection, keys=keys))
            documents: dict[bytes, Document] = {}
            return [(key, decode_chunk(row, documents)) for key, *row in await cursor.fetchall()]

        return await self._run_transaction(find)

    async def find_known(self, keys: Collection[str]) -> set[str]:
        async def find(cursor: Cursor) -> set[str]:
            return await written_rows.find_known(cursor, await read_collection(cursor, self._scope), keys)

        return await self._run_transaction(find)

    async def put(self, keys: Mapping[int, str], vectors: Mapping[str, Vectors]) -> None:
        if keys:
            await self._run_transaction(lambda cursor: self._put(cursor, keys, vectors))

    async def _put(self, cursor: Cursor, keys: Mapping[int, str], vectors: Mapping[str, Vectors]) -> None:
        """Chunks may be gone by now, or have got their vectors from another process: looked at under the row's lock,
        which is taken last, as everywhere."""
        collection = await read_collection(cursor, self._scope)
        wanting = await _find_wanting(cursor, collection, list(keys))
        held = await lock_collection(cursor, self._scope)
        wanting = await _find_wanting(cursor, held, wanting)
        if self._held is None or held.written != self._held:
            raise StoreError("the vectors of summaries and questions are of another model by now; none was written")
        check_written_vectors(vectors, self._held[2])
        named = {keys[chunk] for chunk in wanting} - {""}
        there = await written_rows.find_known(cursor, held, named)
        fresh = {key: own for key, own in vectors.items() if key in named and key not in there}
        await written_rows.write_vectors(cursor, held, fresh)
        there |= {"", *fresh}
        links = {chunk: keys[chunk] for chunk in wanting if keys[chunk] in there}
        if links:
            await written_rows.write_links(cursor, held, links)
            await update_counters(cursor, held, CounterChange(), now=self._now())

    async def _run_transaction(self, work: Callable[[Cursor], Awaitable[T]]) -> T:
        async with self._one:
            return await self._pool.run_transaction(self._scope.tenant, lambda cursor, _: work(cursor))


async def _find_wanting(cursor: Cursor, collection: CollectionRow, keys: list[int]) -> list[int]:
    await cursor.execute(WANTING.encode(), name_collection(collection, keys=keys))
    return [key for (key,) in await cursor.fetchall()]
