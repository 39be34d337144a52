"""Words ranked by the server: `websearch_to_tsquery` and `ts_rank_cd` instead of BM25, for `keywords=ts_rank_cd`."""

from collections.abc import Sequence

from ragstone.core.filters import Where
from ragstone.core.ports import Vectors
from ragstone.core.types import Candidate
from ragstone.stores import bm25
from ragstone.stores.postgres.reader import OURS, PostgresReader
from ragstone.stores.postgres.rows import replace_nul

TS_RANK_CD = "ts_rank_cd"
TS_RANKED = """SELECT m.chunk_id, round(r.score::numeric, {})::float8, m.path, m.source, m.ordinal
    FROM ts_ranked(%(collection)s, %(query)s) r JOIN mv_active_chunks m ON m.chunk_key = r.chunk_key
    WHERE {}"""
MATCHING_PAGE = "{} AND {} ORDER BY 2 DESC, m.path, m.source, m.ordinal LIMIT %(limit)s"


class TsRankReader(PostgresReader):
    """A reader whose `matching` is the server's: English words, all of which must stand in a passage, `or`, `-` and
    "phrases" as web searches have them. It knows neither how rare a word is nor headings nor titles."""

    @property
    def keyword_signal(self) -> str:
        return TS_RANK_CD

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0:
            return []
        made = await self._passing.resolve_filter(where)
        sql = MATCHING_PAGE.format(TS_RANKED.format(bm25.DECIMALS, OURS), made.sql)
        rows = await self._rows(sql, {**made.parameters, "query": _encode_query(query), "limit": limit})
        return [Candidate(identity, score, (path, source, at)) for identity, score, path, source, at in rows]

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        """BM25 too: what an answer is withheld by means the same on every store."""
        rated = await super().rate(ids, vector=vector, query=query)
        sql = f"{TS_RANKED.format(bm25.DECIMALS, OURS)} AND m.chunk_id = ANY(%(ids)s)"
        rows = await self._rows(sql, {"ids": list(rated), "query": _encode_query(query)}) if rated else []
        scores = {row[0]: row[1] for row in rows}
        return {identity: {**signals, TS_RANK_CD: scores.get(identity, 0.0)} for identity, signals in rated.items()}


def _encode_query(query: str) -> str:
    """A question as the server can hold it."""
    return replace_nul(query).encode("utf-8", "replace").decode()
