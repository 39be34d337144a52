"""Vectors: which are wanted, lent by sibling collections, put, and given up when no chunk has their key."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.postgres import binary_copy, vector_search
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, CollectionRow, decode_chunk, encode_vector_key

COLUMNS = "tenant_id collection_id vector_key embedding_model embedding_variant embedding_dim embedding"
OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
# In the order of writing, from one number on. Asked apart from which vectors there are: joined, a planner that has no
# statistics yet reads all vectors for each batch.
PAGE_ONWARD = f"""SELECT number, vector_key, chunk_key FROM mv_active_chunks
    WHERE {OURS} AND number >= %(first)s ORDER BY number LIMIT %(limit)s"""  # noqa: S608
PAGE_DOWN = f"""SELECT number, vector_key FROM mv_active_chunks
    WHERE {OURS} AND number < %(before)s ORDER BY number DESC LIMIT %(limit)s"""  # noqa: S608
CHUNKS = f"""SELECT c.chunk_key, {CHUNK_COLUMNS} FROM chunks c JOIN document_versions v USING (doc_version_id)
    WHERE c.tenant_id = %(tenant)s AND c.collection_id = %(collection)s AND c.chunk_key = ANY(%(keys)s)"""  # noqa: S608
KNOWN_KEYS = f"""SELECT vector_key FROM chunk_embeddings
    WHERE {OURS} AND embedding_model = %(model)s AND vector_key = ANY(%(keys)s)"""  # noqa: S608
COUNT_SERVED = f"SELECT count(*) FROM mv_active_chunks WHERE {OURS} AND vector_key = ANY(%(keys)s)"  # noqa: S608
FROM_SIBLINGS = """FROM chunk_embeddings e WHERE e.tenant_id = %(tenant)s AND e.collection_id <> %(collection)s
    AND e.vector_key = ANY(%(keys)s) AND e.embedding_model = %(model)s AND e.embedding_dim = %(dimension)s
    AND e.embedding_variant IS NOT DISTINCT FROM %(variant)s"""
LENDABLE = f"SELECT 1 {FROM_SIBLINGS} LIMIT 1"
COPY_VECTORS = f"""INSERT INTO chunk_embeddings (tenant_id, collection_id, vector_key, embedding_model,
embedding_variant, embedding_dim, embedding)
    SELECT DISTINCT ON (e.vector_key) e.tenant_id, %(collection)s, e.vector_key, e.embedding_model,
        e.embedding_variant, e.embedding_dim, e.embedding
    {FROM_SIBLINGS} ORDER BY e.vector_key, e.collection_id
    ON CONFLICT DO NOTHING RETURNING vector_key"""
UNUSED = """NOT EXISTS (SELECT FROM chunks c WHERE c.tenant_id = %(tenant)s AND c.collection_id = %(collection)s
    AND c.vector_key = e.vector_key)"""
FIND_UNUSED = f"""SELECT DISTINCT e.vector_key FROM chunk_embeddings e
    WHERE {OURS} AND e.vector_key > %(after)s AND {UNUSED} ORDER BY 1 LIMIT %(limit)s"""  # noqa: S608
DELETE_UNUSED = f"""DELETE FROM chunk_embeddings e
    WHERE {OURS} AND e.vector_key = ANY(%(keys)s) AND {UNUSED}"""  # noqa: S608
DELETED_AT_ONCE = 10_000  # vectors
MOST_NUMBERS = 2**31 - 1
PAGE = 8_192  # chunks looked at in one go


def model_parameters(collection: CollectionRow, **more: object) -> dict[str, object]:
    """The parameters that every statement here takes."""
    about = {"tenant": collection.tenant, "collection": collection.collection_id, "model": collection.label}
    return {**about, "variant": collection.variant, "dimension": collection.dimension, **more}


class MissingVectors:
    """Goes through the chunks as vectors fill in, so that each batch does not look at all of them again. Where the
    collection counts how many are missing, the last chunks are looked at first, and no more than these take."""

    def __init__(self, *, counted: bool) -> None:
        self._counted = counted
        self._from = 0
        self._missing = 0  # chunks that the last look found without a vector

    async def find(self, cursor: Cursor, collection: CollectionRow, limit: int) -> list[tuple[bytes, int]]:
        """Up to `limit` vector keys with the key of their first chunk; fewer only when there are no more."""
        if limit <= 0 or (self._counted and collection.pending <= 0):
            return []
        if self._counted and not self._from and collection.pending <= PAGE:
            self._from = await self._find_first(cursor, collection)
        found = await self._find_onward(cursor, collection, limit) if self._from else {}
        if len(found) < limit and not (self._counted and found and collection.pending <= self._missing):
            self._from = 0
            found = await self._find_onward(cursor, collection, limit)
        self._from = min((number for number, _ in found.values()), default=0)
        return [(key, chunk) for key, (_, chunk) in found.items()]

    async def _find_first(self, cursor: Cursor, collection: CollectionRow) -> int:
        """The number of the first chunk without a vector, from the last one down."""
        first, before, page, missing = 0, MOST_NUMBERS, 2 * collection.pending, 0
        while missing < collection.pending:
            await cursor.execute(PAGE_DOWN.encode(), model_parameters(collection, before=before, limit=page))
            rows = [(number, bytes(key)) for number, key in await cursor.fetchall()]
            there = await read_known_keys(cursor, collection, {key for _, key in rows})
            lacking = [number for number, key in rows if key and key not in there]
            missing, first = missing + len(lacking), min(lacking, default=first)
            if len(rows) < page:
                break
            before, page = rows[-1][0], min(page * 2, PAGE)
        return first

    async def _find_onward(self, cursor: Cursor, collection: CollectionRow, limit: int) -> dict[bytes, tuple[int, int]]:
        found: dict[bytes, tuple[int, int]] = {}
        first, page, self._missing = self._from, 2 * limit, 0
        while len(found) < limit:
            await cursor.execute(PAGE_ONWARD.encode(), model_parameters(collection, first=first, limit=page))
            rows = [(number, bytes(key), chunk) for number, key, chunk in await cursor.fetchall()]
            there = await read_known_keys(cursor, collection, {key for _, key, _ in rows if key not in found})
            for number, key, chunk in rows:
                if key and key not in there and (key in found or len(found) < limit):
                    self._missing += 1
                    found.setdefault(key, (number, chunk))
            if len(rows) < page:
                break
            first, page = rows[-1][0] + 1, min(page * 2, PAGE)
        return found


async def read_known_keys(cursor: Cursor, collection: CollectionRow, keys: Iterable[bytes]) -> set[bytes]:
    """Those of the keys that have a vector."""
    await cursor.execute(KNOWN_KEYS.encode(), model_parameters(collection, keys=list(keys)))
    return {bytes(row[0]) for row in await cursor.fetchall()}


async def count_missing(cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> int:
    """How many of these chunks, given by their keys, wait for a vector."""
    there = await read_known_keys(cursor, collection, set(keys))
    return sum(1 for key in keys if key and key not in there)


async def read_chunks(cursor: Cursor, collection: CollectionRow, keys: Sequence[int]) -> list[Chunk]:
    """Stored chunks, in the order of their keys as given."""
    documents: dict[bytes, Document] = {}
    await cursor.execute(CHUNKS.encode(), model_parameters(collection, keys=list(keys)))
    found = {key: decode_chunk(row, documents) for key, *row in await cursor.fetchall()}
    return [found[key] for key in keys if key in found]


async def has_lendable(cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> bool:
    """Whether another collection of the tenant has any of these vectors: looked at before a lock is taken."""
    await cursor.execute(LENDABLE.encode(), model_parameters(collection, keys=list(keys)))
    return await cursor.fetchone() is not None


async def copy_from_siblings(cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> int:
    """Copy vectors that other collections of the tenant have; how many active chunks they serve."""
    await cursor.execute(COPY_VECTORS.encode(), model_parameters(collection, keys=list(keys)))
    return await _count_served(cursor, collection, [bytes(row[0]) for row in await cursor.fetchall()])


async def insert_vectors(cursor: Cursor, collection: CollectionRow, rows: Mapping[bytes, Vectors]) -> int:
    """Store those that are not there yet; how many active chunks they serve."""
    there = await read_known_keys(cursor, collection, rows)
    fresh = [key for key in rows if key not in there]
    if fresh:
        head = (binary_copy.encode_text(collection.tenant), binary_copy.encode_int4(collection.collection_id))
        kind = (binary_copy.encode_text(collection.label), binary_copy.encode_text(collection.variant))
        size = binary_copy.encode_int4(collection.dimension or 0)
        made = ((*head, key, *kind, size, binary_copy.encode_vector(rows[key])) for key in fresh)
        await binary_copy.copy_rows(cursor, "chunk_embeddings", COLUMNS, made)
    return await _count_served(cursor, collection, fresh)


async def _count_served(cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> int:
    if not keys:
        return 0
    await cursor.execute(COUNT_SERVED.encode(), model_parameters(collection, keys=list(keys)))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


def check_vectors(given: Mapping[str, Vectors], dimension: int | None) -> dict[bytes, Vectors]:
    """The vectors by their keys as bytes; raises `StoreError` for one that cannot be stored."""
    if dimension is None:
        raise StoreError("the collection was made without an embedding model: ingest again to name one")
    rows = {key: check_stored_vector(key, np.asarray(vector), dimension) for key, vector in given.items()}
    return {encode_vector_key(key, place="put"): row for key, row in rows.items()}


async def find_unused(cursor: Cursor, collection: CollectionRow, after: bytes) -> list[bytes]:
    """Some keys after one, ascending, of vectors whose key no kept chunk has; [] when there are no more."""
    await cursor.execute(FIND_UNUSED.encode(), model_parameters(collection, after=after, limit=DELETED_AT_ONCE))
    return [bytes(key) for (key,) in await cursor.fetchall()]


async def delete_unused(cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> None:
    """Give up those of these vectors whose key no kept chunk has. The collection's row must be locked."""
    await cursor.execute(DELETE_UNUSED.encode(), model_parameters(collection, keys=list(keys)))


async def ensure_vector_index(cursor: Cursor, collection: CollectionRow) -> None:
    """Have an index over the vectors of this model made, once they are many."""
    if collection.label is not None and collection.chunks > vector_search.EXACT_UP_TO:
        await cursor.execute("SELECT ragstone.ensure_vector_index(%s, %s)", (collection.label, collection.dimension))
