"""The words of removed documents, taken out of the postings of these words alone: a run that removes a few documents
does not read all postings at its end.

Inside the caller's transaction, which holds the collection's row.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragstone.core.analyzer_edition import analyzer_edition
from ragstone.stores.postgres import segments
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.preparation import ActiveChunk
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.stores.postings import COUNT, LENGTH, NUMBER

MOST_CHUNKS = 1_000  # of a removal and of all together; of more, reading all postings takes no longer
TERMS_AT_ONCE = 100  # a frequent one has postings for most chunks
UNKNOWN: tuple[str, ...] = ()
OURS = segments.OURS
NOTED = f"{OURS} AND generation <= %(until)s AND terms <> '{{}}'"
NUMBERS = f"SELECT numbers FROM postings_dead WHERE {NOTED}"  # noqa: S608
NEXT_TERMS = f"""SELECT DISTINCT term COLLATE "C" FROM postings_dead, unnest(terms) AS term
    WHERE {NOTED} AND term COLLATE "C" > %(after)s ORDER BY 1 LIMIT %(limit)s"""  # noqa: S608
ROWS = f"""SELECT term, segment, numbers, counts, lengths FROM postings
    WHERE {OURS} AND term = ANY(%(terms)s) ORDER BY term, segment"""  # noqa: S608
CLEAR = f"""DELETE FROM postings USING unnest(%(terms)s::text[], %(segments)s::int4[]) AS old (term, segment)
    WHERE {OURS} AND postings.term = old.term AND postings.segment = old.segment"""  # noqa: S608
FORGET = f"DELETE FROM postings_dead WHERE {NOTED}"  # noqa: S608


def list_terms(removed: Sequence[ActiveChunk]) -> Sequence[str]:
    """The words of chunks as their postings have them; `UNKNOWN` where another edition of the analyzer wrote some."""
    edition = analyzer_edition()
    if any(one.chunk.document.edition.partition("-")[0] != edition for one in removed):
        return UNKNOWN
    return sorted({term for one in removed for term in one.frequencies})


async def erase_page(cursor: Cursor, collection: CollectionRow, until: int, after: str) -> str | None:
    """Take chunks that were removed `until` a generation out of the postings of the next terms; the last of them,
    None when there are no more."""
    given = segments.name_collection(collection, until=until, after=after, limit=TERMS_AT_ONCE)
    await cursor.execute(NEXT_TERMS.encode(), given)
    terms = [term for (term,) in await cursor.fetchall()]
    if not terms:
        return None
    await cursor.execute(NUMBERS.encode(), given)
    gone = np.unique(np.frombuffer(b"".join([bytes(row[0]) for row in await cursor.fetchall()]), NUMBER))
    await cursor.execute(ROWS.encode(), segments.name_collection(collection, terms=terms))
    torn: list[tuple[str, int]] = []
    kept: dict[int, list[segments.PackedPostings]] = {}
    for term, segment, *columns in await cursor.fetchall():
        numbers, counts, lengths = (bytes(column) for column in columns)
        alive = _find_alive(np.frombuffer(numbers, NUMBER), gone)
        if alive is None:
            continue
        torn.append((term, segment))
        if alive.any():
            kinds = ((numbers, NUMBER), (counts, COUNT), (lengths, LENGTH))
            packed = [np.frombuffer(column, kind)[alive].tobytes() for column, kind in kinds]
            kept.setdefault(segment, []).append((term, packed[0], packed[1], packed[2]))
    if torn:
        old = {"terms": [term for term, _ in torn], "segments": [segment for _, segment in torn]}
        await cursor.execute(CLEAR.encode(), segments.name_collection(collection, **old))
    for segment, rows in kept.items():
        await segments.write_segment(cursor, collection, segment, rows)
    return str(terms[-1])


def _find_alive(numbers: NDArray[np.int32], gone: NDArray[np.int32]) -> NDArray[np.bool_] | None:
    """Which of these numbers, in order, stay; None where all do."""
    at = np.searchsorted(numbers, gone)
    found = at[(at < len(numbers)) & (numbers[at.clip(max=len(numbers) - 1)] == gone)]
    if not len(found):
        return None
    alive = np.ones(len(numbers), dtype=np.bool_)
    alive[found] = False
    return alive


async def forget(cursor: Cursor, collection: CollectionRow, until: int) -> None:
    """Forget the numbers that were taken out."""
    await cursor.execute(FORGET.encode(), segments.name_collection(collection, until=until))
