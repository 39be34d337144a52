"""Searches by the vectors of summaries and questions: the server compares all, what is near is scored in Python."""

from collections.abc import Mapping, Sequence

import numpy as np

from ragstone.core.filters import Where
from ragstone.core.ports import Vectors
from ragstone.core.records import WrittenState
from ragstone.core.types import Candidate, total_order
from ragstone.stores import bm25
from ragstone.stores.cosine import Scores, cosines, normalize_query
from ragstone.stores.postgres.vector_search import (
    DISTANCE_TOLERANCE,
    SPARE_CANDIDATES,
    unpack_vectors,
    vector_literal,
)
from ragstone.stores.postgres.view import CollectionView, ViewFilters
from ragstone.stores.postgres.written_rows import LACKS, OURS, E, L, M

WIDER = 4  # times as many candidates where the gap behind the last is not seen
PENDING = f"SELECT count(*) FROM mv_active_chunks m WHERE {M} AND {LACKS}"  # noqa: S608
NEAREST = f"""WITH near AS MATERIALIZED (
    SELECT e.key, min(e.embedding::vector <=> %(vector)s::vector) AS d FROM written_vectors e WHERE {E} GROUP BY e.key
) SELECT n.d, n.key, m.chunk_id, m.path, m.source, m.ordinal FROM near n
    JOIN written_links l ON {L} AND l.key = n.key JOIN mv_active_chunks m ON m.chunk_key = l.chunk_key
    WHERE {M} AND {{}} ORDER BY n.d LIMIT %(count)s"""  # noqa: S608
VECTORS = f"""SELECT key, vector_send(embedding::vector) FROM written_vectors WHERE {OURS} AND key = ANY(%(keys)s)
    ORDER BY key, place"""  # noqa: S608
LINKS = f"""SELECT m.chunk_id, l.key FROM mv_active_chunks m JOIN written_links l ON {L} AND l.chunk_key = m.chunk_key
    WHERE {M} AND m.chunk_id = ANY(%(ids)s) AND l.key <> ''"""  # noqa: S608


async def read_written_state(view: CollectionView) -> WrittenState | None:
    """The model, and how many active chunks were not looked at yet."""
    if view.row.written is None:
        return None
    [(pending,)] = await view.fetch_rows(PENDING)
    return WrittenState(*view.row.written, pending)


async def match_written(
    view: CollectionView, filters: ViewFilters, vector: Vectors, where: Where, limit: int
) -> list[Candidate]:
    """The best chunks that pass, in total order."""
    if limit <= 0 or view.row.written is None:
        return []
    query, made = normalize_query(vector, view.row.written[2]), await filters.resolve_filter(where)
    given = {**made.parameters, "vector": vector_literal(query)}
    count = limit + SPARE_CANDIDATES
    while True:
        rows = await view.fetch_rows(NEAREST.format(made.sql), {**given, "count": count})
        best = await _read_best(view, {key for _, key, *_ in rows}, query)
        found = [Candidate(identity, best[key], tuple(place)) for _, key, identity, *place in rows]
        found.sort(key=lambda one: total_order(one.score, one.place))
        least = found[limit - 1].score if len(found) >= limit else -np.inf
        if len(rows) < count or 1 - least + DISTANCE_TOLERANCE < rows[-1][0]:
            return found[:limit]
        count *= WIDER


async def rate_written(view: CollectionView, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
    """The score of each of these chunks that has such vectors."""
    if not ids or view.row.written is None:
        return {}
    keys: Mapping[str, str] = dict(await view.fetch_rows(LINKS, {"ids": list(ids)}))
    best = await _read_best(view, set(keys.values()), normalize_query(vector, view.row.written[2]))
    return {identity: best[keys[identity]] for identity in ids if identity in keys}


async def _read_best(view: CollectionView, keys: set[str], query: Scores) -> dict[str, float]:
    """The best cosine of the vectors of each key."""
    rows = await view.fetch_rows(VECTORS, {"keys": sorted(keys)}) if keys else []
    scores = cosines(unpack_vectors([row[1] for row in rows]), np.arange(len(rows)), query) if rows else ()
    best: dict[str, float] = {}
    for (key, _), score in zip(rows, np.round(scores, bm25.DECIMALS).tolist(), strict=True):
        best[key] = max(score, best.get(key, -np.inf))
    return best
