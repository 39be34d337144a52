"""The tables of sparse vectors: written in segments, tidied, checked, searched. Shapes: see `schema.sql`, format 5."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.ports import SparseState, SparseVector
from ragstone.stores.cosine import Scores
from ragstone.stores.embedded import revision_rows
from ragstone.stores.embedded.chunk_rows import ACTIVE_CHUNKS
from ragstone.stores.embedded.database import encode_list, write_transaction
from ragstone.stores.embedded.mirror import Mirror
from ragstone.stores.sparse_postings import (
    SparsePostings,
    build_postings,
    check_postings,
    choose_rewritten,
    is_sound,
    score_vectors,
    sign_postings,
    weigh_postings,
    weights_by_term,
)

MODEL = "sparse_model"  # in meta
LACKS = "NOT EXISTS (SELECT 1 FROM sparse_vectors v WHERE v.row = c.row)"
COUNT_PENDING = f"SELECT count(*) FROM {ACTIVE_CHUNKS} WHERE {LACKS}"  # noqa: S608
SEGMENTS = """SELECT segment, chunks, (SELECT count(*) FROM sparse_vectors v WHERE v.segment = s.segment)
    FROM sparse_segments s"""
VECTORS_OF = "SELECT row, vector FROM sparse_vectors WHERE segment IN (SELECT value FROM json_each(?)) ORDER BY row"
# One term after the other: the sum of a score depends on the order.
POSTINGS_OF_TERMS = """SELECT term, rows, weights, segment, checksum FROM sparse_postings
    WHERE term IN (SELECT value FROM json_each(?)) ORDER BY term, segment"""
POSTINGS_OF_SEGMENT = """SELECT term, rows, weights, segment, checksum FROM sparse_postings
    WHERE segment = ? ORDER BY term"""
VECTORS_OF_CHUNKS = f"""SELECT c.id, v.row, v.vector FROM {ACTIVE_CHUNKS} JOIN sparse_vectors v ON v.row = c.row
    WHERE c.id IN (SELECT value FROM json_each(?))"""  # noqa: S608


def read_model(connection: sqlite3.Connection) -> str | None:
    """The model of the sparse vectors; None where the collection keeps none, or its format has none."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (MODEL,)).fetchone()
    return None if found is None else str(found[0])


def read_sparse_state(connection: sqlite3.Connection) -> SparseState | None:
    """The model, and how many active chunks lack a vector of it."""
    model = read_model(connection)
    return SparseState(model, connection.execute(COUNT_PENDING).fetchone()[0]) if model is not None else None


def forget_model(connection: sqlite3.Connection) -> None:
    """Delete the model with all its vectors."""
    for table in ("sparse_postings", "sparse_segments", "sparse_vectors"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    connection.execute("DELETE FROM meta WHERE key = ?", (MODEL,))


def write_segment(connection: sqlite3.Connection, vectors: Mapping[int, bytes]) -> None:
    """Write packed vectors, by the rows of chunks that have none, as a new segment with its postings."""
    sql = "INSERT INTO sparse_segments (chunks) VALUES (?)"
    segment = connection.execute(sql, (len(vectors),)).lastrowid or 0
    rows = ((row, segment, data) for row, data in vectors.items())
    connection.executemany("INSERT INTO sparse_vectors VALUES (?, ?, ?)", rows)
    made = ((*one, segment, sign_postings(one, segment)) for one in build_postings(vectors))
    sql = "INSERT INTO sparse_postings (term, rows, weights, segment, checksum) VALUES (?, ?, ?, ?, ?)"
    connection.executemany(sql, made)


def tidy_segments(connection: sqlite3.Connection, *, thorough: bool = False) -> None:
    """Take chunks that are gone out of the postings, and merge small segments: a group of them at a time. All of them
    go where documents were removed, or `thorough`."""
    erased = thorough or revision_rows.last_unwiped_erasure(connection) > 0
    for group in choose_rewritten(_read_segments(connection), erased=erased):
        with write_transaction(connection):
            _rewrite_segments(connection, group)


def _read_segments(connection: sqlite3.Connection) -> dict[int, tuple[int, int]]:
    return {segment: (written, there) for segment, written, there in connection.execute(SEGMENTS)}


def _rewrite_segments(connection: sqlite3.Connection, group: Sequence[int]) -> None:
    """Write the vectors of these segments as one; damaged ones are left out and wanted again."""
    listed = encode_list(list(group))
    found = connection.execute(VECTORS_OF, (listed,)).fetchall()
    for table in ("sparse_postings", "sparse_segments", "sparse_vectors"):
        sql = f"DELETE FROM {table} WHERE segment IN (SELECT value FROM json_each(?))"  # noqa: S608
        connection.execute(sql, (listed,))
    if sound := {row: data for row, data in found if is_sound(data, row)}:
        write_segment(connection, sound)


# Questions


def score_chunks(connection: sqlite3.Connection, mirror: Mirror, query: SparseVector) -> Scores:
    """The score of every position of the mirror, not rounded; a row of the table is in memory at a time."""
    weights = weights_by_term(query)
    scores = np.zeros(len(mirror.chunks))
    for postings in _read_postings(connection, POSTINGS_OF_TERMS, encode_list(list(weights))):
        rows, added = weigh_postings(postings, weights)
        at = mirror.find_positions(rows)
        scores[at[at >= 0]] += added[at >= 0]
    return scores


def _read_postings(connection: sqlite3.Connection, sql: str, parameter: object) -> Iterator[SparsePostings]:
    for term, rows, weights, segment, checksum in connection.execute(sql, (parameter,)):
        yield check_postings(SparsePostings(term, rows, weights), segment, checksum)


def rate_chunks(connection: sqlite3.Connection, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
    """The score of each of these active chunks that has a vector."""
    if read_model(connection) is None:
        return {}
    found = connection.execute(VECTORS_OF_CHUNKS, (encode_list(list(ids)),)).fetchall()
    scores = score_vectors({row: data for _, row, data in found}, query)
    rows = {identity: row for identity, row, _ in found}
    return {identity: scores[rows[identity]] for identity in ids if identity in rows}


# Checks


def find_damaged_segments(connection: sqlite3.Connection) -> list[int]:
    """The segments whose postings do not say what the vectors of their chunks say; one is in memory at a time."""
    if read_model(connection) is None:
        return []
    return [segment for segment in sorted(_read_segments(connection)) if _is_damaged(connection, segment)]


def _is_damaged(connection: sqlite3.Connection, segment: int) -> bool:
    vectors = dict(connection.execute(VECTORS_OF, (encode_list([segment]),)).fetchall())
    if not all(is_sound(data, row) for row, data in vectors.items()):
        return True
    try:
        found = list(_read_postings(connection, POSTINGS_OF_SEGMENT, segment))
    except Corrupt:
        return True
    return [one for one in (one.keep_numbers(vectors) for one in found) if one.numbers] != build_postings(vectors)


def repair_segments(connection: sqlite3.Connection) -> bool:
    """Write damaged segments anew from the vectors of their chunks; whether there were any."""
    damaged = find_damaged_segments(connection)
    with write_transaction(connection):
        for segment in damaged:
            _rewrite_segments(connection, [segment])
    return bool(damaged)
