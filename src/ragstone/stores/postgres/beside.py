"""A second model beside the active one: begun, filled, switched to, given up; each in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import HeldModel, Vectors
from ragstone.core.types import Chunk, Scope
from ragstone.stores.absent import no_second
from ragstone.stores.held import check_wanted, has_second
from ragstone.stores.postgres import vectors
from ragstone.stores.postgres.catalogue import found, locked
from ragstone.stores.postgres.pool import Cursor, Pool
from ragstone.stores.postgres.rows import CollectionRow

T = TypeVar("T")
OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
PENDING = f"""SELECT count(*) FROM mv_active_chunks m WHERE {OURS} AND vector_key <> '' AND NOT EXISTS (
    SELECT FROM chunk_embeddings e WHERE e.tenant_id = %(tenant)s AND e.collection_id = %(collection)s
    AND e.vector_key = m.vector_key AND e.embedding_model = %(model)s)"""  # noqa: S608
BEGIN = f"""UPDATE collections SET second_model = %(model)s, second_variant = %(variant)s, second_dim = %(dimension)s,
    second_label = %(label)s, second_was_active = false, generation = generation + 1 WHERE {OURS}"""  # noqa: S608
SWITCH = f"""UPDATE collections SET
    embedding_model = second_model, embedding_variant = second_variant, embedding_dim = second_dim,
    embedding_label = second_label, second_model = embedding_model, second_variant = embedding_variant,
    second_dim = embedding_dim, second_label = coalesce(embedding_label, embedding_model), second_was_active = true,
    pending = %(pending)s, generation = generation + 1, built_at = %(now)s WHERE {OURS}"""  # noqa: S608
FORGET = f"""UPDATE collections SET second_model = NULL, second_variant = NULL, second_dim = NULL, second_label = NULL,
    second_was_active = false, generation = generation + 1 WHERE {OURS}"""  # noqa: S608
ERASE = f"DELETE FROM chunk_embeddings WHERE {OURS} AND embedding_model = %(model)s"  # noqa: S608


def second_of(collection: CollectionRow, scope: Scope, *, pending: int = 0) -> CollectionRow:
    """The row as it would be if the second model were the active one; raises `UsageError` where there is none."""
    model, variant, dimension, label = collection.second
    if dimension is None:
        raise no_second(scope)
    return replace(
        collection, model=model, variant=variant, dimension=dimension, label=label, second=(None,) * 4, pending=pending
    )


async def pending_of(cursor: Cursor, collection: CollectionRow) -> int:
    """How many active chunks lack a vector of the row's model."""
    await cursor.execute(PENDING.encode(), vectors.ours(collection))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def models(cursor: Cursor, scope: Scope) -> list[HeldModel]:
    """See `ragstone.core.ports.Reembedding.models`."""
    collection = await found(cursor, scope)
    held = []
    if collection.model is not None and collection.dimension is not None:
        about = (collection.model, collection.variant, collection.dimension)
        held.append(HeldModel(*about, "active", collection.pending))
    if collection.second[2] is not None:
        second = second_of(collection, scope)
        pending = await pending_of(cursor, second)
        about = (second.model or "", second.variant, second.dimension or 0)
        state = "kept" if collection.second_was_active else "filling" if pending else "ready"
        held.append(HeldModel(*about, state, pending))  # type: ignore[arg-type]  # literals all
    return held


async def begin(cursor: Cursor, scope: Scope, wanted: tuple[str, str, int]) -> None:
    """Make room for a second model, unless it is there."""
    collection = await locked(cursor, scope)
    if has_second(collection.held, collection.second[:3], wanted, scope):
        return
    model, variant, dimension = wanted
    label = model if model != collection.label else f"{model} {variant}"
    about = vectors.ours(collection, label=label)
    await cursor.execute(BEGIN.encode(), {**about, "model": model, "variant": variant, "dimension": dimension})


async def switch(cursor: Cursor, scope: Scope, *, to: HeldModel | None, now: datetime, elsewhere: bool) -> None:
    """Both change places in the collection's row; raises `UsageError` while vectors are missing."""
    collection = await locked(cursor, scope)
    second = second_of(collection, scope)
    check_wanted(second.held, to)
    lacking = await pending_of(cursor, second)
    if lacking and not elsewhere:
        raise UsageError(f"{lacking} chunks have no vector of the second model yet; run: ragstone reembed fill")
    await cursor.execute(SWITCH.encode(), vectors.ours(collection, now=now, pending=lacking))


async def forget(cursor: Cursor, scope: Scope) -> None:
    """Give up the second model with its vectors."""
    collection = await locked(cursor, scope)
    await cursor.execute(ERASE.encode(), vectors.ours(second_of(collection, scope)))
    await cursor.execute(FORGET.encode(), vectors.ours(collection))


class PostgresFiller:
    """See `ragstone.core.ports.Filler`. `held` is the second model as it was when this was opened."""

    def __init__(self, pool: Pool, scope: Scope, held: CollectionRow) -> None:
        self._pool = pool
        self._scope = scope
        self._held = held.held
        self._missing = vectors.Missing()
        self._one = asyncio.Lock()

    async def wanted(self, limit: int) -> list[Chunk]:
        async def look(cursor: Cursor) -> list[Chunk]:
            second = second_of(await found(cursor, self._scope), self._scope)
            lacking = await self._missing.find(cursor, second, limit)
            return await vectors.chunks_of(cursor, second, [chunk for _, chunk in lacking])

        return await self._done(look)

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._done(lambda cursor: self._put(cursor, vectors))

    async def settle(self) -> None:
        """Has an index made over the vectors of this model, where they are many."""

        async def index(cursor: Cursor) -> None:
            await vectors.index(cursor, second_of(await found(cursor, self._scope), self._scope))

        await self._done(index)

    async def _put(self, cursor: Cursor, given: Mapping[str, Vectors]) -> None:
        """The second model may have been switched to, or given up, meanwhile: looked at under the row's lock."""
        rows = vectors.fitting(given, self._held[2])
        if not rows:
            return
        second = second_of(await locked(cursor, self._scope), self._scope)
        if second.held != self._held:
            raise StoreError("the second model is another one by now; nothing was written")
        await vectors.put(cursor, second, rows)

    async def _done(self, work: Callable[[Cursor], Awaitable[T]]) -> T:
        async with self._one:
            return await self._pool.done(self._scope.tenant, lambda cursor, _: work(cursor))
