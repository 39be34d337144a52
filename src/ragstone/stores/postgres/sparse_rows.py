"""The tables of sparse vectors: written in segments, tidied, checked, searched. Shapes: see migration 11."""

from collections.abc import Mapping, Sequence

from ragstone.core.errors import Corrupt
from ragstone.stores.postgres import binary_copy
from ragstone.stores.postgres.connection import Cursor, Row
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.stores.sparse_postings import (
    SparsePostings,
    build_postings,
    check_postings,
    choose_rewritten,
    is_sound,
    sign_postings,
)

OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
ALIAS = "{0}.tenant_id = %(tenant)s AND {0}.collection_id = %(collection)s"
M, V = ALIAS.format("m"), ALIAS.format("v")
MODEL = f"SELECT sparse_model FROM collections WHERE {OURS}"  # noqa: S608
LACKS = f"NOT EXISTS (SELECT FROM sparse_vectors v WHERE {V} AND v.chunk_key = m.chunk_key)"
SEGMENTS = f"""SELECT m.segment, m.chunks, (SELECT count(*) FROM sparse_vectors v
    WHERE {V} AND v.segment = m.segment) FROM sparse_segments m WHERE {M}"""  # noqa: S608
VECTORS_OF = f"SELECT chunk_key, vector FROM sparse_vectors WHERE {OURS} AND segment = ANY(%(segments)s)"  # noqa: S608
POSTINGS_OF_SEGMENT = f"""SELECT term, chunk_keys, weights, segment, checksum FROM sparse_postings
    WHERE {OURS} AND segment = ANY(%(segments)s) ORDER BY term"""  # noqa: S608
NEW_SEGMENT = """INSERT INTO sparse_segments (tenant_id, collection_id, chunks)
    VALUES (%(tenant)s, %(collection)s, %(chunks)s) RETURNING segment"""


def name_collection(collection: CollectionRow, **more: object) -> dict[str, object]:
    """The parameters that every statement here takes."""
    return {"tenant": collection.tenant, "collection": collection.collection_id, **more}


async def read_model(cursor: Cursor, collection: CollectionRow) -> str | None:
    """The model of the sparse vectors, None where the collection keeps none."""
    await cursor.execute(MODEL.encode(), name_collection(collection))
    row = await cursor.fetchone()
    return row[0] if row else None


async def write_segment(cursor: Cursor, collection: CollectionRow, vectors: Mapping[int, bytes]) -> None:
    """Write packed vectors, by the keys of chunks that have none, as a new segment with its postings."""
    await cursor.execute(NEW_SEGMENT, name_collection(collection, chunks=len(vectors)))
    row = await cursor.fetchone()
    segment = row[0] if row else 0
    head = (binary_copy.encode_text(collection.tenant), binary_copy.encode_int4(collection.collection_id))
    number = binary_copy.encode_int8(segment)
    own = ((binary_copy.encode_int8(key), *head, number, data) for key, data in vectors.items())
    columns = "chunk_key tenant_id collection_id segment vector"
    await binary_copy.copy_rows(cursor, "sparse_vectors", columns, own)
    rows = (
        (*head, binary_copy.encode_int8(one.term), number, one.numbers, one.weights, _sign(one, segment))
        for one in build_postings(vectors)
    )
    columns = "tenant_id collection_id term segment chunk_keys weights checksum"
    await binary_copy.copy_rows(cursor, "sparse_postings", columns, rows)


def _sign(postings: SparsePostings, segment: int) -> bytes:
    return binary_copy.encode_int8(sign_postings(postings, segment))


async def plan_rewrites(cursor: Cursor, collection: CollectionRow, *, erased: bool) -> list[list[int]]:
    """The segments that `rewrite_segments` writes anew, in groups: those that lost a share of their chunks, or any
    where documents were `erased`, and small ones."""
    await cursor.execute(SEGMENTS.encode(), name_collection(collection))
    return choose_rewritten({one: (written, there) for one, written, there in await cursor.fetchall()}, erased=erased)


async def rewrite_segments(cursor: Cursor, collection: CollectionRow, group: Sequence[int]) -> None:
    """Write the vectors of these segments as one; damaged ones are left out and wanted again."""
    given = name_collection(collection, segments=list(group))
    vectors = await _read_segment(cursor, collection, group)
    for table in ("sparse_vectors", "sparse_postings", "sparse_segments"):
        await cursor.execute(f"DELETE FROM {table} WHERE {OURS} AND segment = ANY(%(segments)s)".encode(), given)  # noqa: S608
    if sound := {key: data for key, data in vectors.items() if is_sound(data, key)}:
        await write_segment(cursor, collection, sound)


async def _read_segment(cursor: Cursor, collection: CollectionRow, group: Sequence[int]) -> dict[int, bytes]:
    await cursor.execute(VECTORS_OF.encode(), name_collection(collection, segments=list(group)))
    return {key: bytes(data) for key, data in await cursor.fetchall()}


async def forget_model(cursor: Cursor, collection: CollectionRow) -> None:
    """Delete the model with all its vectors."""
    for table in ("sparse_vectors", "sparse_postings", "sparse_segments"):
        await cursor.execute(f"DELETE FROM {table} WHERE {OURS}".encode(), name_collection(collection))  # noqa: S608
    statement = f"UPDATE collections SET sparse_model = NULL WHERE {OURS}"  # noqa: S608
    await cursor.execute(statement.encode(), name_collection(collection))


def decode_postings(rows: Sequence[Row]) -> list[SparsePostings]:
    """The postings of rows of term, keys, weights, segment and checksum; raises `Corrupt` for changed ones."""
    return [
        check_postings(SparsePostings(term, bytes(keys), bytes(weights)), segment, checksum)
        for term, keys, weights, segment, checksum in rows
    ]


# Checks


async def find_damaged_segments(cursor: Cursor, collection: CollectionRow) -> list[int]:
    """The segments whose postings do not say what the vectors of their chunks say; one is in memory at a time."""
    await cursor.execute(SEGMENTS.encode(), name_collection(collection))
    segments = sorted(segment for segment, *_ in await cursor.fetchall())
    return [segment for segment in segments if await _is_damaged(cursor, collection, segment)]


async def _is_damaged(cursor: Cursor, collection: CollectionRow, segment: int) -> bool:
    vectors = await _read_segment(cursor, collection, [segment])
    if not all(is_sound(data, key) for key, data in vectors.items()):
        return True
    await cursor.execute(POSTINGS_OF_SEGMENT.encode(), name_collection(collection, segments=[segment]))
    try:
        found = decode_postings(await cursor.fetchall())
    except Corrupt:
        return True
    return [one for one in (one.keep_numbers(vectors) for one in found) if one.numbers] != build_postings(vectors)


async def repair_segments(cursor: Cursor, collection: CollectionRow) -> None:
    """Write damaged segments anew from the vectors of their chunks."""
    for segment in await find_damaged_segments(cursor, collection):
        await rewrite_segments(cursor, collection, [segment])
