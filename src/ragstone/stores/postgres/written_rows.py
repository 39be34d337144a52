"""The tables of the vectors of summaries and questions: found, written, given up, checked. Shapes: see migration 13."""

from collections.abc import Collection, Mapping, Sequence

from ragstone.core.ports import Vectors
from ragstone.stores.postgres import binary_copy
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.stores.written_vectors import quantize

OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
ALIAS = "{0}.tenant_id = %(tenant)s AND {0}.collection_id = %(collection)s"
M, L, E = ALIAS.format("m"), ALIAS.format("l"), ALIAS.format("e")
LACKS = f"NOT EXISTS (SELECT FROM written_links l WHERE {L} AND l.chunk_key = m.chunk_key)"
KNOWN_KEYS = f"SELECT key FROM written_vectors WHERE {OURS} AND place = 0 AND key = ANY(%(keys)s)"  # noqa: S608
SET_MODEL = f"""UPDATE collections SET written_model = %(model)s, written_variant = %(variant)s,
    written_dim = %(dimension)s WHERE {OURS}"""  # noqa: S608
FORGET_MODEL = f"""UPDATE collections SET written_model = NULL, written_variant = NULL, written_dim = NULL
    WHERE {OURS}"""  # noqa: S608
UNUSED = f"NOT EXISTS (SELECT FROM written_links l WHERE {L} AND l.key = e.key)"
FIND_UNUSED = f"SELECT 1 FROM written_vectors e WHERE {E} AND {UNUSED} LIMIT 1"  # noqa: S608
DELETE_UNUSED = f"DELETE FROM written_vectors e WHERE {E} AND {UNUSED}"  # noqa: S608
LOST = f"""written_links l WHERE {L} AND l.key <> '' AND NOT EXISTS (
    SELECT FROM written_vectors e WHERE {E} AND e.key = l.key)"""


def name_collection(collection: CollectionRow, **more: object) -> dict[str, object]:
    """The parameters that every statement here takes."""
    return {"tenant": collection.tenant, "collection": collection.collection_id, **more}


async def set_model(cursor: Cursor, collection: CollectionRow, model: tuple[str, str | None, int]) -> None:
    """Note the model, in a collection that keeps none."""
    given = dict(zip(("model", "variant", "dimension"), model, strict=True))
    await cursor.execute(SET_MODEL.encode(), name_collection(collection, **given))


async def forget_model(cursor: Cursor, collection: CollectionRow) -> None:
    """Delete the model with all its vectors."""
    for table in ("written_links", "written_vectors"):
        await cursor.execute(f"DELETE FROM {table} WHERE {OURS}".encode(), name_collection(collection))  # noqa: S608
    await cursor.execute(FORGET_MODEL.encode(), name_collection(collection))


async def find_known(cursor: Cursor, collection: CollectionRow, keys: Collection[str]) -> set[str]:
    """Those of these keys that have vectors."""
    await cursor.execute(KNOWN_KEYS.encode(), name_collection(collection, keys=sorted(keys)))
    return {key for (key,) in await cursor.fetchall()}


async def write_vectors(cursor: Cursor, collection: CollectionRow, vectors: Mapping[str, Vectors]) -> None:
    """Write vectors by keys that have none."""
    if vectors:
        head = (binary_copy.encode_text(collection.tenant), binary_copy.encode_int4(collection.collection_id))
        rows = (
            (*head, key.encode(), binary_copy.encode_int4(place), binary_copy.encode_half_vector(row))
            for key, own in vectors.items()
            for place, row in enumerate(quantize(own))
        )
        await binary_copy.copy_rows(cursor, "written_vectors", "tenant_id collection_id key place embedding", rows)


async def write_links(cursor: Cursor, collection: CollectionRow, links: Mapping[int, str]) -> None:
    """Have chunks, given by their keys, refer to vectors."""
    head = (binary_copy.encode_text(collection.tenant), binary_copy.encode_int4(collection.collection_id))
    rows = ((binary_copy.encode_int8(chunk), *head, key.encode()) for chunk, key in links.items())
    await binary_copy.copy_rows(cursor, "written_links", "chunk_key tenant_id collection_id key", rows)


async def has_unused(cursor: Cursor, collection: CollectionRow) -> bool:
    """Whether any vectors are there that no kept chunk refers to: looked at before a lock is taken."""
    await cursor.execute(FIND_UNUSED.encode(), name_collection(collection))
    return await cursor.fetchone() is not None


async def delete_unused(cursor: Cursor, collection: CollectionRow) -> None:
    """Give them up. The collection's row must be locked."""
    await cursor.execute(DELETE_UNUSED.encode(), name_collection(collection))


async def count_lost(cursor: Cursor, collection: CollectionRow) -> int:
    """How many chunks refer to vectors that are not there."""
    await cursor.execute(f"SELECT count(*) FROM {LOST}".encode(), name_collection(collection))  # noqa: S608
    row: Sequence[int] | None = await cursor.fetchone()
    return row[0] if row else 0


async def forget_lost(cursor: Cursor, collection: CollectionRow) -> None:
    """Forget what they refer to: they are looked at again."""
    await cursor.execute(f"DELETE FROM {LOST}".encode(), name_collection(collection))  # noqa: S608
