"""Postings as they are written: a segment for each change, merged at the end of a run, a page of terms at a time.

Inside the caller's transaction, which holds the collection's row. Shape: see the table `postings`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragstone.stores.postgres import binary_copy
from ragstone.stores.postgres.connection import Cursor
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
PAGE = 4_000  # rows rewritten at a time: bounds the memory, and how long the collection's row is held
JOINED_AT_ONCE = 1_000  # terms

STATE = f"""SELECT segments, merged, next_number, chunks,
    (SELECT coalesce(sum(length(numbers)), 0) / 4 FROM postings_dead WHERE {OURS}),
    (SELECT coalesce(sum(length(numbers)), 0) / 4 FROM postings_dead WHERE {OURS} AND terms IS NOT NULL),
    EXISTS (SELECT FROM postings_dead WHERE {OURS} AND terms = '{{}}')
    FROM collections WHERE {OURS}"""  # noqa: S608
# The numbers of segments follow each other, so that joining keeps them in order.
JOIN = f"""WITH torn AS (
    SELECT term FROM postings WHERE {OURS} AND segment >= %(first)s AND term > %(after)s
    GROUP BY term HAVING count(*) > 1 ORDER BY term LIMIT %(limit)s
), taken AS (
    DELETE FROM postings USING torn WHERE {OURS} AND segment >= %(first)s AND postings.term = torn.term
    RETURNING postings.term, segment, numbers, counts, lengths
), joined AS (
    INSERT INTO postings (tenant_id, collection_id, term, segment, numbers, counts, lengths)
    SELECT %(tenant)s, %(collection)s, term, min(segment), string_agg(numbers, '' ORDER BY segment),
        string_agg(counts, '' ORDER BY segment), string_agg(lengths, '' ORDER BY segment)
    FROM taken GROUP BY term ORDER BY term RETURNING term
) SELECT max(term) FROM joined"""  # noqa: S608
DEAD = f"""SELECT numbers FROM postings_dead
    WHERE {OURS} AND (%(until)s::int8 IS NULL OR generation <= %(until)s)"""  # noqa: S608
FORGET_DEAD = f"DELETE FROM postings_dead WHERE {OURS} AND generation <= %(until)s"  # noqa: S608
COUNT_SEGMENTS = f"""UPDATE collections SET segments = greatest(segments - %(segments)s, 0) + 1, merged = %(following)s
    WHERE {OURS} AND merged = %(merged)s AND next_number >= %(following)s"""  # noqa: S608
READ = f"""SELECT term, numbers, counts, lengths FROM postings
    WHERE {OURS} AND term > %(after)s ORDER BY term, segment LIMIT %(limit)s"""  # noqa: S608
CLEAR = f"DELETE FROM postings WHERE {OURS} AND term = ANY(%(terms)s)"  # noqa: S608

PackedPostings = tuple[str, bytes, bytes, bytes]


async def record_dead_numbers(
    cursor: Cursor, collection: CollectionRow, numbers: Sequence[int], *, terms: Sequence[str] | None
) -> None:
    """Remember chunks that are no longer active but are in postings: with the words of those that were removed, none
    where these are unknown; None where they were replaced."""
    noted = None if terms is None else list(terms)
    await cursor.execute(
        "INSERT INTO postings_dead (tenant_id, collection_id, generation, numbers, terms) VALUES (%s, %s, %s, %s, %s)",
        (collection.tenant, collection.collection_id, collection.generation + 1, pack_numbers(numbers), noted),
    )


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Numbers of chunks as they are kept, in order."""
    return np.sort(np.asarray(numbers, dtype=NUMBER)).tobytes()


async def append_segment(cursor: Cursor, collection: CollectionRow, chunks: Sequence[tuple[int, ActiveChunk]]) -> None:
    """Write the postings of chunks, given with their numbers in order, as one segment."""
    rows = _build_postings(chunks)
    await write_segment(cursor, collection, chunks[0][0] if chunks else 0, rows)


async def write_segment(
    cursor: Cursor, collection: CollectionRow, segment: int, rows: Sequence[PackedPostings]
) -> None:
    """Write rows of one segment, given by its number."""
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


@dataclass(frozen=True, slots=True)
class MergePlan:
    """The state of a collection when its merge began. `rewrite` takes dead numbers out too; else segments from the
    number `first` on are joined, and become part of the `merged` ones. `segments` and `following` are the counters of
    that time, `generation` tells its dead numbers from later ones."""

    rewrite: bool
    first: int
    segments: int
    merged: int
    following: int
    generation: int


async def plan_merge(
    cursor: Cursor, collection: CollectionRow, *, noted: int | None = None, thorough: bool = False
) -> MergePlan | None:
    """How to join small segments and drop what is dead, where it is worth it; also where anything is dead and
    `thorough`. `noted` is None where no document was removed, else the most removed chunks whose words are looked up:
    with more, or with unknown words, all postings are read."""
    await cursor.execute(STATE.encode(), name_collection(collection))
    row = await cursor.fetchone()
    segments, merged, following, active, dead, removed, unknown = row or (0, 0, 0, 0, 0, 0, False)
    seen = (segments, merged, following, collection.generation)
    everything = thorough or (noted is not None and (unknown or removed > noted))
    if dead > (0 if everything else MAX_DEAD_SHARE * active):
        return MergePlan(True, 0, *seen)
    if segments > MAX_SEGMENTS:
        return MergePlan(False, 0 if following - merged > MAX_TAIL_SHARE * merged else merged, *seen)
    return None


async def merge_page(cursor: Cursor, collection: CollectionRow, plan: MergePlan, after: str) -> str | None:
    """Do it for the next terms after one; the last of them, None when there are no more."""
    if plan.rewrite:
        return await _rewrite_page(cursor, collection, plan, after)
    await cursor.execute(
        JOIN.encode(), name_collection(collection, first=plan.first, after=after, limit=JOINED_AT_ONCE)
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def _rewrite_page(cursor: Cursor, collection: CollectionRow, plan: MergePlan, after: str) -> str | None:
    """Each term as one segment without the dead; those that are so already stay. The dead numbers are looked up each
    time: where a repair has numbered all chunks anew meanwhile, there are none of them any more."""
    gone = await read_dead_numbers(cursor, collection, until=plan.generation)
    rows = await read_posting_page(cursor, collection, after)
    if not rows or not len(gone):
        return None
    before = Counter(row[0] for row in rows)
    joined = {row[0]: row for row in join_live_rows(rows, gone)}
    kept = {row[0] for row in rows if before[row[0]] == 1 and joined.get(row[0]) == row}
    await cursor.execute(CLEAR.encode(), name_collection(collection, terms=sorted(before.keys() - kept)))
    await write_segment(cursor, collection, 0, [row for term, row in joined.items() if term not in kept])
    return rows[-1][0]


async def finish_merge(cursor: Cursor, collection: CollectionRow, plan: MergePlan) -> None:
    """Forget the dead numbers that were taken out, and count the segments; not where another merge has done so."""
    if plan.rewrite:
        await cursor.execute(FORGET_DEAD.encode(), name_collection(collection, until=plan.generation))
    seen = {"segments": plan.segments, "merged": plan.merged, "following": plan.following}
    await cursor.execute(COUNT_SEGMENTS.encode(), name_collection(collection, **seen))


def name_collection(collection: CollectionRow, **more: object) -> dict[str, object]:
    """The parameters that every statement here takes."""
    return {"tenant": collection.tenant, "collection": collection.collection_id, **more}


async def read_dead_numbers(
    cursor: Cursor, collection: CollectionRow, *, until: int | None = None
) -> NDArray[np.int32]:
    """Numbers of chunks that are gone but may stand in postings: all, or those `until` a generation."""
    await cursor.execute(DEAD.encode(), name_collection(collection, until=until))
    return np.frombuffer(b"".join([bytes(row[0]) for row in await cursor.fetchall()]), NUMBER)


async def read_posting_page(cursor: Cursor, collection: CollectionRow, after: str) -> list[PackedPostings]:
    """The rows of the next terms after one, all rows of each; [] when there are no more."""
    limit = PAGE
    while True:
        await cursor.execute(READ.encode(), name_collection(collection, after=after, limit=limit))
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
