"""One consistent view of a collection: one transaction, whose snapshot every statement sees."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.ports import SparseState, SparseVector, StoredRevision, Vectors
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Document, Revision, Scope
from ragstone.stores import bm25, postings
from ragstone.stores.collection_errors import missing_vector_warnings
from ragstone.stores.cosine import Scores, normalize_query
from ragstone.stores.encoding import decode_record
from ragstone.stores.postgres import export, sparse_search, vector_search, written_search
from ragstone.stores.postgres.connection import Row
from ragstone.stores.postgres.expressions import has_lone_surrogate
from ragstone.stores.postgres.filters import ChunkFilter
from ragstone.stores.postgres.migrations import VERSION
from ragstone.stores.postgres.recipe_cache import RecipeCache
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, decode_chunk
from ragstone.stores.postgres.view import CollectionView, ViewFilters
from ragstone.stores.postings import Ints, Ranking

PROVIDER = "postgresql"
WIDER = 4  # times as many candidates where too few passed

OURS = "m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s"
PLACES = f"""SELECT m.number, m.chunk_id, m.path, m.source, m.ordinal FROM mv_active_chunks m
    WHERE {OURS} AND m.number = ANY(%(numbers)s::int4[])"""  # noqa: S608
# What a question asks of its candidates, all at once: their numbers for the words, vectors of those that were not
# found by theirs, and the texts, which it wants next.
RATED = f"""SELECT m.number, CASE WHEN m.chunk_id = ANY(%(unrated)s) THEN (
        SELECT vector_send(e.embedding) FROM chunk_embeddings e
        WHERE e.collection_id = %(collection)s AND e.vector_key = m.vector_key AND e.embedding_model = %(model)s
    ) END, {CHUNK_COLUMNS} FROM mv_active_chunks m
    JOIN chunks c ON c.chunk_key = m.chunk_key JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    WHERE {OURS} AND m.chunk_id = ANY(%(ids)s)"""  # noqa: S608
CHUNKS = f"""SELECT {CHUNK_COLUMNS} FROM mv_active_chunks m
    JOIN chunks c ON c.chunk_key = m.chunk_key JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    WHERE {OURS}"""  # noqa: S608
BY_ID = CHUNKS + " AND m.chunk_id = ANY(%(ids)s)"
# By the index over paths of documents, which are fewer.
AT = f"""SELECT {CHUNK_COLUMNS} FROM documents m
    JOIN document_versions v ON v.tenant_id = m.tenant_id AND v.collection_id = m.collection_id AND v.doc_id = m.doc_id
        AND v.is_active
    JOIN chunks c ON c.doc_version_id = v.doc_version_id AND c.ordinal = %(ordinal)s
    WHERE {OURS} AND m.path = %(path)s {{}} ORDER BY m.source LIMIT 1"""  # noqa: S608
KEPT = f"""SELECT m.doc_id, m.{{}} FROM unnest(%(documents)s::text[], %(revisions)s::int8[]) AS w (doc_id, revision)
    JOIN document_versions m ON m.doc_id = w.doc_id AND m.revision = w.revision AND {OURS}"""  # noqa: S608
WALK = """SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('hnsw.ef_search', %(ef)s, true)"""


class PostgresReader:
    """Searches a snapshot of a collection and reads its texts; implements `Reader`, `Exporter`, `SparseReader` and
    `WrittenReader`. `exact` avoids the approximate index."""

    def __init__(self, view: CollectionView, scope: Scope, *, recipes: RecipeCache, exact: bool = False) -> None:
        self._view = view
        self._rows = view.fetch_rows
        self._row = view.row
        self._scope = scope
        self._exact = exact
        self._recipes = recipes
        self._passing = ViewFilters(view)
        self._ranked: tuple[str, Ranking] | None = None
        self._compared: bytes = b""  # the vector that `_cosines` are of
        self._cosines: dict[str, float] = {}
        self._texts: dict[str, Row] = {}  # chunks that were rated

    async def info(self) -> Info:
        row = self._row
        warnings = missing_vector_warnings(row.pending)
        recipes, editions = await self._recipes.get_recipes(self._view)
        return Info(
            self._scope,
            PROVIDER,
            VERSION,
            "empty" if not row.chunks else "degraded" if warnings else "healthy",
            row.documents,
            row.chunks,
            row.pending,
            row.dimension,
            row.model,
            row.variant,
            recipes,
            row.built_at,
            row.generation,
            tuple(warnings),
            editions=editions,
            written=await self._recipes.get_written_state(self._view),
        )

    # Keywords

    async def _rank_query(self, query: str) -> Ranking:
        if self._ranked is None or self._ranked[0] != query:
            self._ranked = query, await self._read_ranking(query)
        return self._ranked[1]

    async def _rank_beside(self, query: str) -> Ranking:
        """The ranking of a query; that of a question that was searched by is kept for what asks for it later."""
        if self._ranked is None or self._ranked[0] == query:
            return await self._rank_query(query)
        return await self._read_ranking(query)

    async def _read_ranking(self, query: str) -> Ranking:
        terms = bm25.query_terms(query)
        rows = await self._rows(postings.FETCH, {"terms": list(terms)}) if terms else []
        found = postings.collect_live_postings((term, at, counts, lengths) for term, at, counts, lengths in rows)
        return postings.rank_postings(terms, found, chunks=self._row.chunks, words=self._row.terms)

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0 or not self._row.chunks:
            return []
        ranking, made = await self._rank_query(query), await self._passing.resolve_filter(where)
        count = limit if made.is_trivial else limit * WIDER
        few: Ints | None = self._passing.get_few_numbers(where)
        if few is not None:
            ranking = ranking.keep_numbers(few)
        while True:
            best = ranking.best_positions(count)
            found = await self._place_passing(ranking, best, made)
            if len(found) >= limit or len(best) == len(ranking.numbers):
                return found[:limit]
            if not made.is_trivial and few is None and (few := await self._passing.find_few_numbers(where)) is not None:
                ranking = ranking.keep_numbers(few)
            count *= WIDER

    async def _place_passing(self, ranking: Ranking, at: Any, made: ChunkFilter) -> list[Candidate]:
        """Those of a ranking's positions that are active and pass, in total order."""
        if not len(at):
            return []
        scores = dict(zip(ranking.numbers[at].tolist(), ranking.rounded[at].tolist(), strict=True))
        asked = {**made.parameters, "numbers": list(scores)}
        rows = await self._rows(f"{PLACES} AND {made.sql}", asked)
        return vector_search.sort_candidates((scores[number], identity, place) for number, identity, *place in rows)

    async def idf(self, query: str) -> dict[str, float]:
        return bm25.drop_own_stems((await self._rank_query(query)).idf)

    # Sparse vectors

    async def sparse_state(self) -> SparseState | None:
        return await self._recipes.get_sparse_state(self._view)

    async def match_sparse(self, query: SparseVector, *, where: Where, limit: int) -> list[Candidate]:
        return await sparse_search.match_sparse(self._view, self._passing, query, where, limit)

    async def rate_sparse(self, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
        return await sparse_search.rate_sparse(self._view, _keep_storable(dict.fromkeys(ids)), query)

    # Vectors of summaries and questions

    async def match_written(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        return await written_search.match_written(self._view, self._passing, vector, where, limit)

    async def rate_written(self, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
        return await written_search.rate_written(self._view, _keep_storable(dict.fromkeys(ids)), vector)

    # Vectors of chunks

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        row = self._row
        if limit <= 0 or row.dimension is None or not row.chunks:
            return []
        query = normalize_query(vector, row.dimension)
        found = (await self._search_nearest(query, await self._passing.resolve_filter(where), where, limit))[:limit]
        self._start_comparing(vector)
        self._cosines.update((candidate.id, candidate.score) for candidate in found)
        return found

    def _start_comparing(self, vector: Vectors) -> None:
        """Cosines that are known are those of one question."""
        if self._compared != (asked := vector.tobytes()):
            self._compared = asked
            self._cosines.clear()

    async def _search_nearest(self, query: Scores, made: ChunkFilter, where: Where, limit: int) -> list[Candidate]:
        row = self._row
        given = {**made.parameters, "model": row.label, "vector": vector_search.vector_literal(query)}
        exact, few = self._exact or row.chunks <= vector_search.EXACT_UP_TO, None
        if not exact and not made.is_trivial:
            few = await self._passing.find_few_numbers(where)
        if not exact and few is None and limit <= vector_search.EF_SEARCH[1]:
            found = await self._search_index(query, given, made, limit)
            if len(found) >= limit:
                return found
        sql = vector_search.exact_sql(made.sql, numbers=few is not None)
        if made.is_trivial:
            sql = vector_search.all_vectors_sql(made.sql)
        if few is not None:
            given["numbers"] = few.tolist()
        return await self._search_until_settled(sql, query, given, limit)

    async def _search_until_settled(
        self, sql: str, query: Scores, given: dict[str, Any], limit: int
    ) -> list[Candidate]:
        """The nearest of all, asked for until the next one is clearly worse."""
        count = limit + vector_search.SPARE_CANDIDATES
        while True:
            rows = await self._rows(sql, {**given, "count": count})
            found = vector_search.score_rows(rows, query)
            worst = found[limit - 1].score if len(found) >= limit else -np.inf
            if vector_search.is_settled(rows, worst, count=count):
                return found
            count *= WIDER

    async def _search_index(
        self, query: Scores, given: dict[str, Any], made: ChunkFilter, limit: int
    ) -> list[Candidate]:
        """What the approximate index finds."""
        count = limit + vector_search.SPARE_CANDIDATES
        least, most = vector_search.EF_SEARCH
        asked = {**given, "ef": str(min(max(least, count), most)), "count": count}
        return vector_search.score_rows(
            await self._rows(vector_search.approximate_sql(made.sql, self._row.dimension or 0), asked, after=WALK),
            query,
        )

    # Both

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        asked = _keep_storable(dict.fromkeys(ids))
        compared = vector if self._row.dimension is not None else None
        if compared is not None:
            self._start_comparing(compared)
        unrated = [] if compared is None else [one for one in asked if one not in self._cosines]
        given = {"ids": asked, "unrated": unrated, "model": self._row.label}
        rows = await self._rows(RATED, given) if asked else []
        self._texts.update((row[2], row[2:]) for row in rows)
        if compared is not None:
            self._cosines.update(self._measure_cosines(rows, compared))
        words = (await self._rank_beside(query)).scores_of([row[0] for row in rows]) if rows else []
        rated = {row[2]: {"bm25": score} for row, score in zip(rows, words, strict=True)}
        for identity in rated:
            if compared is not None and identity in self._cosines:
                rated[identity]["cosine"] = self._cosines[identity]
        return {identity: rated[identity] for identity in dict.fromkeys(ids) if identity in rated}

    def _measure_cosines(self, rows: Sequence[Row], vector: Vectors) -> Iterable[tuple[str, float]]:
        """Cosines of the rows of `RATED` that have a vector."""
        sent = [(row[2], row[1]) for row in rows if row[1] is not None]
        if not sent or self._row.dimension is None:
            return ()
        cosines = vector_search.compute_cosines(sent, normalize_query(vector, self._row.dimension))
        return zip((row[0] for row in sent), np.round(cosines, bm25.DECIMALS).tolist(), strict=True)

    # Chunks and documents

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        missing = [identity for identity in _keep_storable(dict.fromkeys(ids)) if identity not in self._texts]
        rows = await self._rows(BY_ID, {"ids": missing}) if missing else []
        self._texts.update((row[0], row) for row in rows)
        shared: dict[bytes, Document] = {}
        found = {identity: decode_chunk(self._texts[identity], shared) for identity in ids if identity in self._texts}
        return [found[identity] for identity in ids if identity in found]

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        if _keep_storable([path, source or ""]) != [path, source or ""]:
            return None
        from_source = "" if source is None else "AND m.source = %(source)s"
        rows = await self._rows(AT.format(from_source), {"path": path, "ordinal": ordinal, "source": source})
        return decode_chunk(rows[0]) if rows else None

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        return {identity: decode_record(data) for identity, data in await self._read_column("record", documents)}

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        return {identity: Layout.unpack(data) for identity, data in await self._read_column("layout", documents)}

    async def _read_column(self, column: str, documents: Sequence[Document]) -> list[tuple[str, bytes]]:
        """What stands there of each document's revision, by the document's id."""
        asked = [one for one in documents if _keep_storable([one.id])]
        rows = await self._rows(KEPT.format(column), export.revision_parameters(asked)) if asked else []
        return [(identity, bytes(data)) for identity, data in rows if data is not None]

    # All that is kept

    async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
        return export.decode_kept(await self._rows(export.PAGE, export.page_parameters(after, limit)))

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        versions = await self._rows(export.VERSIONS, export.revision_parameters(documents)) if documents else []
        chunks = await self._rows(export.CHUNKS, {"versions": [row[0] for row in versions]}) if versions else []
        return await asyncio.to_thread(export.decode_revisions, documents, versions, chunks)

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        asked = {"model": self._row.label, "keys": export.encode_keys(keys)}
        return export.decode_vectors(await self._rows(export.VECTORS, asked)) if asked["keys"] else {}


def _keep_storable(texts: Any) -> list[str]:
    """Those that can stand in the database at all."""
    return [text for text in texts if "\0" not in text and not has_lone_surrogate(text)]
