"""The end of a run: postings merged, words and vectors of chunks that are gone taken out.

Done in steps, a transaction each, that hold the collection's row shortly: other writers go between them. A step looks
anew at what it changes, so steps of two runs may mix, and the next run goes on where one was interrupted.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from ragstone.core.types import Scope
from ragstone.stores.postgres import removed_words, segments, sparse_rows, vectors, written_rows
from ragstone.stores.postgres.catalogue import lock_collection, read_collection
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.rows import CollectionRow

T = TypeVar("T")
ERASED = "SELECT erased FROM collections WHERE tenant_id = %s AND collection_id = %s"
CLEAR = "UPDATE collections SET erased = 0 WHERE tenant_id = %s AND collection_id = %s AND erased <= %s"


async def settle_collection(pool: Pool, scope: Scope, *, thorough: bool = False) -> None:
    """Merge postings where that is worth it, and delete vectors that no chunk has. Nothing of documents that were
    removed stays in the indexes, and if `thorough` nothing of replaced texts either."""
    erased = await _read(pool, scope, _read_erasure)
    await _merge_words(pool, scope, removed=erased > 0, thorough=thorough)
    if erased:
        await _erase_words(pool, scope)
    await settle_sparse(pool, scope, thorough=thorough or erased > 0)
    await _delete_unused_vectors(pool, scope)
    if erased:
        await _change(pool, scope, lambda cursor, held: _clear_erasure(cursor, held, erased))


async def _merge_words(pool: Pool, scope: Scope, *, removed: bool, thorough: bool) -> None:
    def look(cursor: Cursor, row: CollectionRow) -> Awaitable[segments.MergePlan | None]:
        noted = removed_words.MOST_CHUNKS if removed else None
        return segments.plan_merge(cursor, row, noted=noted, thorough=thorough)

    plan = await _read(pool, scope, look)
    after: str | None = "" if plan else None
    while plan and after is not None:
        after = await _change(pool, scope, _bind(segments.merge_page, plan, after))
    if plan:
        await _change(pool, scope, lambda cursor, held: segments.finish_merge(cursor, held, plan))


async def _erase_words(pool: Pool, scope: Scope) -> None:
    """Take removed words out of the postings of these words, where no merge has read all postings."""
    until = await _read(pool, scope, _read_generation)
    last: str | None = ""
    while last is not None:
        last = await _change(pool, scope, _bind(removed_words.erase_page, until, last))
    await _change(pool, scope, _bind(removed_words.forget, until))


async def settle_sparse(pool: Pool, scope: Scope, *, thorough: bool | None = None) -> None:
    """Merge and clean the segments of sparse vectors; `thorough` by default where documents were removed."""
    if thorough is None:
        thorough = await _read(pool, scope, _read_erasure) > 0
    groups = await _read(pool, scope, lambda cursor, row: sparse_rows.plan_rewrites(cursor, row, erased=thorough))
    for group in groups:
        await _change(pool, scope, _bind(sparse_rows.rewrite_segments, group))


async def _delete_unused_vectors(pool: Pool, scope: Scope) -> None:
    """Looked for first, without the lock: that takes longer than to delete them."""
    after = b""
    while keys := await _read(pool, scope, _bind(vectors.find_unused, after)):
        after = keys[-1]
        await _change(pool, scope, _bind(vectors.delete_unused, keys))
    if await _read(pool, scope, written_rows.has_unused):
        await _change(pool, scope, written_rows.delete_unused)


def _bind(step: Callable[..., Awaitable[T]], *more: object) -> Callable[[Cursor, CollectionRow], Awaitable[T]]:
    """A step with the rest of its arguments."""
    return lambda cursor, row: step(cursor, row, *more)


async def _read_generation(_cursor: Cursor, collection: CollectionRow) -> int:
    return collection.generation


async def _read_erasure(cursor: Cursor, collection: CollectionRow) -> int:
    """The generation of the last removal whose words may still be in the indexes, 0 for none."""
    await cursor.execute(ERASED, (collection.tenant, collection.collection_id))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _clear_erasure(cursor: Cursor, collection: CollectionRow, seen: int) -> None:
    await cursor.execute(CLEAR, (collection.tenant, collection.collection_id, seen))


async def _read(pool: Pool, scope: Scope, look: Callable[[Cursor, CollectionRow], Awaitable[T]]) -> T:
    async def run(cursor: Cursor, _: int) -> T:
        return await look(cursor, await read_collection(cursor, scope))

    return await pool.run_transaction(scope.tenant, run)


async def _change(pool: Pool, scope: Scope, step: Callable[[Cursor, CollectionRow], Awaitable[T]]) -> T:
    """A step in a transaction that holds the collection's row."""

    async def run(cursor: Cursor, _: int) -> T:
        return await step(cursor, await lock_collection(cursor, scope))

    return await pool.run_transaction(scope.tenant, run)
