"""A second model beside the active one: begun, filled, switched to, given up; each in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import CollectionModel, Vectors
from ragstone.core.types import Chunk, Scope
from ragstone.stores.collection_errors import no_second_model_error
from ragstone.stores.model_checks import check_second_model, has_second_model
from ragstone.stores.postgres import vectors
from ragstone.stores.postgres.catalogue import lock_collection, read_collection
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
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


def second_model_row(collection: CollectionRow, scope: Scope, *, pending: int = 0) -> CollectionRow:
    """The row as it would be if the second model were the active one; raises `UsageError` where there is none."""
    model, variant, dimension, label = collection.second
    if dimension is None:
        raise no_second_model_error(scope)
    return replace(
        collection, model=model, variant=variant, dimension=dimension, label=label, second=(None,) * 4, pending=pending
    )


async def count_pending(cursor: Cursor, collection: CollectionRow) -> int:
    """How many active chunks lack a vector of the row's model."""
    await cursor.execute(PENDING.encode(), vectors.model_parameters(collection))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def list_models(cursor: Cursor, scope: Scope) -> list[CollectionModel]:
    """The models of a collection, the active one first; implements `ReembeddingStore.models`."""
    collection = await read_collection(cursor, scope)
    held = []
    if collection.model is not None and collection.dimension is not None:
        about = (collection.model, collection.variant, collection.dimension)
        held.append(CollectionModel(*about, "active", collection.pending))
    if collection.second[2] is not None:
        second = second_model_row(collection, scope)
        pending = await count_pending(cursor, second)
        about = (second.model or "", second.variant, second.dimension or 0)
        state = "kept" if collection.second_was_active else "filling" if pending else "ready"
        held.append(CollectionModel(*about, state, pending))  # type: ignore[arg-type]  # literals all
    return held


async def begin(cursor: Cursor, scope: Scope, wanted: tuple[str, str, int]) -> None:
    """Make room for a second model, unless it is there."""
    collection = await lock_collection(cursor, scope)
    if has_second_model(collection.model_identity, collection.second[:3], wanted, scope):
        return
    model, variant, dimension = wanted
    label = model if model != collection.label else f"{model} {variant}"
    about = vectors.model_parameters(collection, label=label)
    await cursor.execute(BEGIN.encode(), {**about, "model": model, "variant": variant, "dimension": dimension})


async def switch(cursor: Cursor, scope: Scope, *, to: CollectionModel | None, now: datetime, elsewhere: bool) -> None:
    """Both change places in the collection's row; raises `UsageError` while vectors are missing."""
    collection = await lock_collection(cursor, scope)
    second = second_model_row(collection, scope)
    check_second_model(second.model_identity, to)
    lacking = await count_pending(cursor, second)
    if lacking and not elsewhere:
        raise UsageError(f"{lacking} chunks have no vector of the second model yet; run: ragstone reembed fill")
    await cursor.execute(SWITCH.encode(), vectors.model_parameters(collection, now=now, pending=lacking))


async def forget(cursor: Cursor, scope: Scope) -> None:
    """Give up the second model with its vectors."""
    collection = await lock_collection(cursor, scope)
    await cursor.execute(ERASE.encode(), vectors.model_parameters(second_model_row(collection, scope)))
    await cursor.execute(FORGET.encode(), vectors.model_parameters(collection))


class PostgresFiller:
    """Writes the vectors of a second model; implements `Filler`. `held` is the second model as it was when this was
    opened."""

    def __init__(self, pool: Pool, scope: Scope, held: CollectionRow) -> None:
        self._pool = pool
        self._scope = scope
        self._held = held.model_identity
        self._missing = vectors.MissingVectors(counted=False)
        self._one = asyncio.Lock()

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        async def find_missing(cursor: Cursor) -> list[Chunk]:
            second = second_model_row(await read_collection(cursor, self._scope), self._scope)
            lacking = await self._missing.find(cursor, second, limit)
            return await vectors.read_chunks(cursor, second, [chunk for _, chunk in lacking])

        return await self._run_transaction(find_missing)

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._run_transaction(lambda cursor: self._put(cursor, vectors))

    async def settle(self) -> None:
        """Has an index made over the vectors of this model, where they are many."""

        async def ensure_index(cursor: Cursor) -> None:
            await vectors.ensure_vector_index(
                cursor, second_model_row(await read_collection(cursor, self._scope), self._scope)
            )

        await self._run_transaction(ensure_index)

    async def _put(self, cursor: Cursor, given: Mapping[str, Vectors]) -> None:
        """The second model may have been switched to, or given up, meanwhile: looked at under the row's lock."""
        rows = vectors.check_vectors(given, self._held[2])
        if not rows:
            return
        second = second_model_row(await lock_collection(cursor, self._scope), self._scope)
        if second.model_identity != self._held:
            raise StoreError("the second model is another one by now; nothing was written")
        await vectors.insert_vectors(cursor, second, rows)

    async def _run_transaction(self, work: Callable[[Cursor], Awaitable[T]]) -> T:
        async with self._one:
            return await self._pool.run_transaction(self._scope.tenant, lambda cursor, _: work(cursor))
