"""Postings as they are written: a segment for each change, merged at the end of a run.

Inside the caller's transaction, which holds the collection's row. Shape: see the table `postings`.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragstone.stores.postgres import binary_copy
from ragstone.stores.postgres.pool import Cursor
from ragstone.stores.postgres.preparation import ActiveChunk
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.stores.postings import COUNT, LENGTH, NUMBER

COLUMNS = "tenant_id collection_id term segment numbers counts lengths"
OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
MAX_SEGMENTS = 24  # segments that a question may have to read for each of its terms
MAX_DEAD_SHARE = 0.1  # of the active: what a question reads in vain
MAX_TAIL_SHARE = (
    0.5  # of the merged ones: past that all become one segment, so that each posting is rewritten a few times only
)
PAGE = 4_000  # rows rewritten at a time: bounds the memory

STATE = f"""SELECT segments, merged, next_number, chunks,
    (SELECT coalesce(sum(length(numbers)), 0) / 4 FROM postings_dead WHERE {OURS})
    FROM collections WHERE {OURS}"""  # noqa: S608
# The numbers of segments follow each other, so that joining keeps them in order.
JOIN = f"""WITH torn AS (
    SELECT term FROM postings WHERE {OURS} AND segment >= %(first)s GROUP BY term HAVING count(*) > 1
), taken AS (
    DELETE FROM postings USING torn WHERE {OURS} AND segment >= %(first)s AND postings.term = torn.term
    RETURNING postings.term, segment, numbers, counts, lengths
)
INSERT INTO postings (tenant_id, collection_id, term, segment, numbers, counts, lengths)
SELECT %(tenant)s, %(collection)s, term, min(segment), string_agg(numbers, '' ORDER BY segment),
    string_agg(counts, '' ORDER BY segment), string_agg(lengths, '' ORDER BY segment)
FROM taken GROUP BY term ORDER BY term"""  # noqa: S608
READ = f"""SELECT term, numbers, counts, lengths FROM postings
    WHERE {OURS} AND term > %(after)s ORDER BY term, segment LIMIT %(limit)s"""  # noqa: S608
CLEAR = f"DELETE FROM postings WHERE {OURS} AND term = ANY(%(terms)s)"  # noqa: S608

PackedPostings = tuple[str, bytes, bytes, bytes]


async def record_dead_numbers(cursor: Cursor, collection: CollectionRow, numbers: Sequence[int]) -> None:
    """Remember chunks that are no longer active but stand in postings."""
    await cursor.execute(
        "INSERT INTO postings_dead (tenant_id, collection_id, generation, numbers) VALUES (%s, %s, %s, %s)",
        (collection.tenant, collection.collection_id, collection.generation + 1, pack_numbers(numbers)),
    )


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Numbers of chunks as they are kept, in order."""
    return np.sort(np.asarray(numbers, dtype=NUMBER)).tobytes()


async def append_segment(cursor: Cursor, collection: CollectionRow, chunks: Sequence[tuple[int, ActiveChunk]]) -> None:
    """Write the postings of chunks, given with their numbers in order, as one segment."""
    rows = _build_postings(chunks)
    await _write_segment(cursor, collection, chunks[0][0] if chunks else 0, rows)


async def _write_segment(
    cursor: Cursor, collection: CollectionRow, segment: int, rows: Sequence[PackedPostings]
) -> None:
    head = (binary_copy.encode_text(collection.tenant), binary_copy.encode_int4(collection.collection_id))
    number = binary_copy.encode_int4(segment)
    made = ((*head, term.encode(), number, *columns) for term, *columns in rows)
    await binary_copy.copy_rows(cursor, "postings", COLUMNS, made)


def _build_postings(chunks: Sequence[tuple[int, ActiveChunk]]) -> list[PackedPostings]:
    """The postings of chunks by term: sorted once, then cut out of three long columns."""
    index: dict[str, int] = {}
    terms = np.array(
        [index.setdefault(term, len(index)) for _, chunk in chunks for term in chunk.frequencies], dtype=np.int64
    )
    order = np.argsort(terms, kind="stable")
    places = np.repeat(np.arange(len(chunks)), [len(chunk.frequencies) for _, chunk in chunks])[order]
    counts = np.array([count for _, chunk in chunks for count in chunk.frequencies.values()], dtype=COUNT)[order]
    numbers = np.array([number for number, _ in chunks], dtype=NUMBER)[places].tobytes()
    lengths = np.array([chunk.length for _, chunk in chunks], dtype=LENGTH)[places].tobytes()
    ends = np.cumsum(np.bincount(terms, minlength=len(index))).tolist()
    return [
        (
            term,
            numbers[NUMBER.itemsize * start : NUMBER.itemsize * end],
            counts[start:end].tobytes(),
            lengths[LENGTH.itemsize * start : LENGTH.itemsize * end],
        )
        for term, start, end in sorted(zip(index, [0, *ends], ends, strict=False))
    ]


async def merge_segments(cursor: Cursor, collection: CollectionRow, *, always: bool = False) -> bool:
    """Join small segments and drop what is dead, where it is worth it (or `always`); whether it was."""
    ours: dict[str, object] = {"tenant": collection.tenant, "collection": collection.collection_id}
    await cursor.execute(STATE.encode(), ours)
    row = await cursor.fetchone()
    segments, merged, following, active, dead = row or (0, 0, 0, 0, 0)
    if always or dead > MAX_DEAD_SHARE * active:
        await _rewrite_segments(cursor, collection, ours)
        merged = following
    elif segments > MAX_SEGMENTS:
        whole = following - merged > MAX_TAIL_SHARE * merged
        await cursor.execute(JOIN.encode(), {**ours, "first": 0 if whole else merged})
        merged = following if whole else merged
    else:
        return False
    statement = f"UPDATE collections SET segments = 1, merged = %(merged)s WHERE {OURS}"  # noqa: S608
    await cursor.execute(statement.encode(), {**ours, "merged": merged})
    return True


async def _rewrite_segments(cursor: Cursor, collection: CollectionRow, ours: dict[str, object]) -> None:
    """All postings as one new segment, without dead ones; a page of terms at a time."""
    gone = await read_dead_numbers(cursor, collection)
    await cursor.execute(f"DELETE FROM postings_dead WHERE {OURS}".encode(), ours)  # noqa: S608
    after = ""
    while rows := await read_posting_page(cursor, collection, after):
        after = rows[-1][0]
        await cursor.execute(CLEAR.encode(), {**ours, "terms": sorted({row[0] for row in rows})})
        await _write_segment(cursor, collection, 0, list(join_live_rows(rows, gone)))


async def read_dead_numbers(cursor: Cursor, collection: CollectionRow) -> NDArray[np.int32]:
    """Numbers of chunks that are gone but may stand in postings."""
    about = {"tenant": collection.tenant, "collection": collection.collection_id}
    await cursor.execute(f"SELECT numbers FROM postings_dead WHERE {OURS}".encode(), about)  # noqa: S608
    return np.frombuffer(b"".join([bytes(row[0]) for row in await cursor.fetchall()]), NUMBER)


async def read_posting_page(cursor: Cursor, collection: CollectionRow, after: str) -> list[PackedPostings]:
    """The rows of the next terms after one, all rows of each; [] when there are no more."""
    limit = PAGE
    while True:
        about = {"tenant": collection.tenant, "collection": collection.collection_id, "after": after, "limit": limit}
        await cursor.execute(READ.encode(), about)
        rows = [(term, bytes(n), bytes(c), bytes(s)) for term, n, c, s in await cursor.fetchall()]
        if len(rows) < limit:
            return rows
        if whole := [row for row in rows if row[0] != rows[-1][0]]:
            return whole
        limit *= 4  # a term with more segments than a page has rows


def join_live_rows(rows: Sequence[PackedPostings], gone: NDArray[np.int32]) -> Iterator[PackedPostings]:
    """The postings of each term joined, those of dead chunks left out; terms that have none left out too."""
    by_term: dict[str, list[list[bytes]]] = {}
    for term, *columns in rows:
        by_term.setdefault(term, []).append(columns)
    for term, parts in by_term.items():
        joined = [b"".join(column) for column in zip(*parts, strict=True)]
        numbers = np.frombuffer(joined[0], NUMBER)
        keep = ~np.isin(numbers, gone)
        if keep.all():
            yield term, joined[0], joined[1], joined[2]
        elif keep.any():
            counts, lengths = np.frombuffer(joined[1], COUNT), np.frombuffer(joined[2], LENGTH)
            yield term, numbers[keep].tobytes(), counts[keep].tobytes(), lengths[keep].tobytes()
