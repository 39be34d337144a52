"""The nearest vectors by SQL: every one looked at, or by the approximate index; both are scored again in Python."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragstone.core.ports import Vectors
from ragstone.core.types import Candidate, total_order
from ragstone.stores import bm25
from ragstone.stores.cosine import Scores, cosines

EXACT_UP_TO = 5_000  # chunks of a collection; looking at all of them takes about as long as the rest of a question
MAX_FEW = 5_000  # matches of a filter; up to here all are looked at, above the index finds enough of them
DISTANCE_TOLERANCE = 1e-5  # how far the server's single precision can be off, with room: what is worse by more is worse
SPARE_CANDIDATES = 16  # candidates beside those asked for: enough to see a gap behind the last, most times
LARGEST_INDEXED = 2_000  # dimensions of an index over single precision; above it is over half precision
EF_SEARCH = 64, 1_000  # the fewest and the most that the index looks at together; the latter is pgvector's limit

# What every row of both queries has: see `compute_cosines`. The vectors of the few found are fetched one by one: as a
# join, a server without statistics read all vectors for each of them (0.4 s for 5,000 chunks, 25 ms like this).
_SELECT_BEST = """SELECT b.d, b.number, b.chunk_id, b.path, b.source, b.ordinal, (SELECT count(*) FROM best), (
    SELECT vector_send(v.embedding) FROM chunk_embeddings v
    WHERE v.collection_id = %(collection)s AND v.vector_key = b.vector_key AND v.embedding_model = %(model)s
) FROM best b ORDER BY b.d"""
_COLUMNS = "m.number, m.vector_key, m.chunk_id, m.path, m.source, m.ordinal"


def exact_sql(condition: str, *, numbers: bool) -> str:
    """Distances of all chunks that pass, or of those with given numbers, the `count` nearest first."""
    among = "AND m.number = ANY(%(numbers)s::int4[])" if numbers else f"AND {condition}"
    return f"""WITH best AS MATERIALIZED (
        SELECT {_COLUMNS}, e.embedding <=> %(vector)s::vector AS d
        FROM mv_active_chunks m JOIN chunk_embeddings e
            ON e.collection_id = m.collection_id AND e.vector_key = m.vector_key AND e.embedding_model = %(model)s
        WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND e.collection_id = %(collection)s
            {among}
        ORDER BY d LIMIT %(count)s
    ) {_SELECT_BEST}"""  # noqa: S608


def all_vectors_sql(condition: str) -> str:
    """Distances of all vectors, the `count` nearest first, each with the chunks that have it and pass, or with none.

    For a condition that lets nearly all pass: the chunks of the nearest are looked up, not those of all (20 ms a
    question at 6,000 chunks where the join took 38, `benchmarks/stores`).
    """
    return f"""WITH best AS MATERIALIZED (
        SELECT e.vector_key, e.embedding, e.embedding <=> %(vector)s::vector AS d FROM chunk_embeddings e
        WHERE e.collection_id = %(collection)s AND e.tenant_id = %(tenant)s AND e.embedding_model = %(model)s
        ORDER BY d LIMIT %(count)s
    ) SELECT b.d, f.number, f.chunk_id, f.path, f.source, f.ordinal, (SELECT count(*) FROM best),
        vector_send(b.embedding)
    FROM best b LEFT JOIN LATERAL (
        SELECT {_COLUMNS} FROM mv_active_chunks m
        WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND m.vector_key = b.vector_key
            AND {condition} OFFSET 0
    ) f ON true ORDER BY b.d"""  # noqa: S608


def approximate_sql(condition: str, dimension: int) -> str:
    """The nearest vectors by the partial index of the model and its dimension, which continues until enough pass."""
    kind = f"{'vector' if dimension <= LARGEST_INDEXED else 'halfvec'}({int(dimension)})"
    return f"""WITH best AS MATERIALIZED (
        SELECT {_COLUMNS}, e.embedding::{kind} <=> %(vector)s::{kind} AS d
        FROM chunk_embeddings e JOIN mv_active_chunks m
            ON m.collection_id = e.collection_id AND m.vector_key = e.vector_key
        WHERE e.embedding_model = %(model)s AND e.embedding_dim = {int(dimension)}
            AND e.collection_id = %(collection)s AND e.tenant_id = %(tenant)s
            AND m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND {condition}
        ORDER BY e.embedding::{kind} <=> %(vector)s::{kind} LIMIT %(count)s
    ) {_SELECT_BEST}"""  # noqa: S608


def vector_literal(query: Scores) -> str:
    """A vector as the server reads it."""
    return "[" + ",".join(f"{x:.9g}" for x in query.astype(np.float32).tolist()) + "]"


def unpack_vectors(sent: Sequence[bytes]) -> Vectors:
    """Rows from what `vector_send` gives: dimension and zeros (two bytes each), then floats, all big-endian."""
    width = len(sent[0])
    return np.frombuffer(b"".join(sent), dtype=np.uint8).reshape(len(sent), width)[:, 4:].view(">f4").astype("<f4")


def compute_cosines(rows: Sequence[tuple[Any, ...]], query: Scores) -> Scores:
    """Cosines in double precision of rows whose last column is the vector."""
    if not rows:
        return np.empty(0)
    return cosines(unpack_vectors([row[-1] for row in rows]), np.arange(len(rows)), query)


def is_settled(rows: Sequence[tuple[Any, ...]], best: float, *, count: int) -> bool:
    """Whether nothing beyond the `count` that were asked for can be as good as `best`, a cosine."""
    return not rows or rows[0][6] < count or bool(1 - best + DISTANCE_TOLERANCE < rows[-1][0])


def score_rows(rows: Sequence[tuple[Any, ...]], query: Scores) -> list[Candidate]:
    """Candidates of the rows that have a chunk, in total order."""
    chunks = [row for row in rows if row[1] is not None]
    rounded = np.round(compute_cosines(chunks, query), bm25.DECIMALS).tolist()
    return sort_candidates((score, row[2], row[3:6]) for row, score in zip(chunks, rounded, strict=True))


def sort_candidates(found: Any) -> list[Candidate]:
    """Candidates of scores, ids and places, in total order."""
    made = [Candidate(identity, score, (place[0], place[1], place[2])) for score, identity, place in found]
    return sorted(made, key=lambda candidate: total_order(candidate.score, candidate.place))
