"""Searches by sparse vectors: the postings of some segments at a time, so that memory does not grow with the corpus."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ragstone.core.filters import Where
from ragstone.core.ports import SparseState, SparseVector
from ragstone.core.types import Candidate, total_order
from ragstone.stores.postgres.filters import ChunkFilter
from ragstone.stores.postgres.sparse_rows import LACKS, MODEL, OURS, M, V, decode_postings
from ragstone.stores.postgres.view import CollectionView, ViewFilters
from ragstone.stores.postings import Ranking
from ragstone.stores.sparse_postings import score_postings, score_vectors

WIDER = 4  # times as many candidates where too few passed
# Chunks whose postings are in memory at once, rounded up to whole segments: 12 bytes for each chunk and term, 6 MB for
# a question of 30 terms that all of them have.
CHUNKS_AT_ONCE = 16_384
PENDING = f"SELECT count(*) FROM mv_active_chunks m WHERE {M} AND {LACKS}"  # noqa: S608
# First a row of the last segment of this page and the number of those after it. The vector of a chunk is in one
# segment, so a page has whole scores; one term comes after the other, for the sum of a score depends on the order.
POSTINGS_PAGE = f"""WITH onward AS (
    SELECT m.segment, sum(m.chunks) OVER (ORDER BY m.segment) - m.chunks AS before
    FROM sparse_segments m WHERE {M} AND m.segment > %(after)s
), page AS (SELECT max(segment) AS last, count(*) AS segments FROM onward WHERE before < %(most)s)
SELECT NULL::int8 AS term, NULL::bytea, NULL::bytea, last AS segment, (SELECT count(*) FROM onward) - segments FROM page
UNION ALL
SELECT term, chunk_keys, weights, segment, checksum FROM sparse_postings
    WHERE {OURS} AND term = ANY(%(terms)s::int8[]) AND segment > %(after)s AND segment <= (SELECT last FROM page)
ORDER BY term NULLS FIRST, segment"""  # noqa: S608
PLACES = f"""SELECT m.chunk_key, m.chunk_id, m.path, m.source, m.ordinal FROM mv_active_chunks m
    WHERE {M} AND m.chunk_key = ANY(%(keys)s::int8[])"""  # noqa: S608
RATED = f"""SELECT m.chunk_id, v.chunk_key, v.vector FROM mv_active_chunks m
    JOIN sparse_vectors v ON v.chunk_key = m.chunk_key AND {V}
    WHERE {M} AND m.chunk_id = ANY(%(ids)s)"""  # noqa: S608


class ScoredPage(NamedTuple):
    """The chunks of some segments that have a term of the question; `last` is their last segment, `more` counts those
    after it."""

    ranking: Ranking
    last: int
    more: int


async def read_sparse_state(view: CollectionView) -> SparseState | None:
    """The model, and how many active chunks lack a vector of it."""
    [(model,)] = await view.fetch_rows(MODEL)
    if model is None:
        return None
    [(pending,)] = await view.fetch_rows(PENDING)
    return SparseState(model, pending)


async def match_sparse(
    view: CollectionView, filters: ViewFilters, query: SparseVector, where: Where, limit: int
) -> list[Candidate]:
    """The best chunks that pass, in total order."""
    if limit <= 0:
        return []
    made = await filters.resolve_filter(where)
    found: list[Candidate] = []
    page = await _score_page(view, query, after=0)
    while True:
        least = found[-1].score if len(found) == limit else 0.0
        passed = await _find_passing(view, made, _keep_scores(page.ranking, least), limit)
        found = sorted([*found, *passed], key=lambda one: total_order(one.score, one.place))[:limit]
        if not page.more:
            return found
        page = await _score_page(view, query, after=page.last)


async def _score_page(view: CollectionView, query: SparseVector, *, after: int) -> ScoredPage:
    """The scores of the chunks of the segments that follow one."""
    asked = {"terms": sorted(query.terms), "after": after, "most": CHUNKS_AT_ONCE}
    (_, _, _, last, more), *rows = await view.fetch_rows(POSTINGS_PAGE, asked)
    keys, scores = score_postings(decode_postings(rows), query)
    ranking = Ranking(keys, scores)  # type: ignore[arg-type]  # keys are longer than numbers of words' postings
    return ScoredPage(ranking, last or after, more)


def _keep_scores(ranking: Ranking, least: float) -> Ranking:
    """Those that score more than 0 and not less than the least that counts."""
    keep = (ranking.rounded > 0) & (ranking.rounded >= least)
    return Ranking(ranking.numbers[keep], ranking.scores[keep])


async def _find_passing(view: CollectionView, made: ChunkFilter, ranking: Ranking, limit: int) -> list[Candidate]:
    """At least the best `limit` that pass, or all: looked for among more of the ranking until enough do."""
    count = limit
    while len(ranking.numbers):
        best = ranking.best_positions(count)
        scores = dict(zip(ranking.numbers[best].tolist(), ranking.rounded[best].tolist(), strict=True))
        placed = await view.fetch_rows(f"{PLACES} AND {made.sql}", {**made.parameters, "keys": list(scores)})
        if len(placed) >= limit or len(best) == len(ranking.numbers):
            return [Candidate(identity, scores[key], tuple(place)) for key, identity, *place in placed]
        count *= WIDER
    return []


async def rate_sparse(view: CollectionView, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
    """The score of each of these chunks that has a vector."""
    rows: Sequence[Any] = await view.fetch_rows(RATED, {"ids": list(ids)}) if ids else []
    scores = score_vectors({key: bytes(data) for _, key, data in rows}, query)
    keys = {identity: key for identity, key, _ in rows}
    return {identity: scores[keys[identity]] for identity in ids if identity in keys}
