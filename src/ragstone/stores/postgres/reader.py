"""One consistent view of a collection: one transaction, whose snapshot every statement sees."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from psycopg import AsyncConnection

from ragstone.globs import fits
from ragstone.layout import Layout
from ragstone.ports import Vectors
from ragstone.stores import bm25
from ragstone.stores.cosine import unit
from ragstone.stores.packing import record_of
from ragstone.stores.postgres import nearest, postings
from ragstone.stores.postgres.filters import Filter, condition_of
from ragstone.stores.postgres.foreign import mapped
from ragstone.stores.postgres.migrations import VERSION
from ragstone.stores.postgres.patterns import has_wildcard, is_lone
from ragstone.stores.postgres.postings import Ints, Ranking
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, CollectionRow, chunk_of
from ragstone.types import Candidate, Chunk, Document, Info, Scope, total_order
from ragstone.where import Where

PROVIDER = "postgresql"
WIDER = 4  # times as many candidates where too few passed
LONG = 2_000  # characters of globs; more are not compiled by the server but tried on each path here
Row = tuple[Any, ...]

OURS = "m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s"
PLACES = f"""SELECT m.number, m.chunk_id, m.path, m.source, m.ordinal FROM mv_active_chunks m
    WHERE {OURS} AND m.number = ANY(%(numbers)s::int4[])"""  # noqa: S608
PASSING = f"""SELECT string_agg(int4send(f.number), '') FROM (
    SELECT m.number FROM mv_active_chunks m WHERE {OURS} AND {{}} LIMIT {nearest.FEW + 1}) f"""  # noqa: S608
PATHS = "SELECT DISTINCT m.path FROM documents m WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s"
NUMBERS = f"SELECT m.chunk_id, m.number FROM mv_active_chunks m WHERE {OURS} AND m.chunk_id = ANY(%(ids)s)"  # noqa: S608
EMBEDDED = f"""SELECT m.chunk_id, m.number, vector_send(e.embedding)
    FROM mv_active_chunks m LEFT JOIN chunk_embeddings e ON e.collection_id = m.collection_id
        AND e.vector_key = m.vector_key AND e.embedding_model = %(model)s AND e.collection_id = %(collection)s
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
KEPT = """SELECT {} FROM document_versions m
    WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND m.doc_id = %(id)s
        AND m.revision = %(revision)s"""
# Each recipe once, by as many steps on the index as there are recipes: documents are many, recipes few.
RECIPES = """WITH RECURSIVE r (recipe) AS (
    (SELECT recipe FROM document_versions
        WHERE collection_id = %(collection)s AND tenant_id = %(tenant)s AND status = 'active' ORDER BY recipe LIMIT 1)
    UNION ALL
    SELECT (SELECT v.recipe FROM document_versions v
        WHERE v.collection_id = %(collection)s AND v.tenant_id = %(tenant)s AND v.status = 'active'
            AND v.recipe > r.recipe ORDER BY v.recipe LIMIT 1)
    FROM r WHERE r.recipe IS NOT NULL
) SELECT recipe FROM r WHERE recipe IS NOT NULL"""
WALK = """SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('hnsw.ef_search', %(ef)s, true)"""


class PostgresReader:
    """See `ragstone.ports.Reader`. `connection` is inside a transaction whose snapshot saw `row`; `exact` keeps
    off the approximate index; `place` names the store in errors."""

    def __init__(
        self,
        connection: AsyncConnection[Row],
        row: CollectionRow,
        scope: Scope,
        *,
        exact: bool = False,
        place: str = PROVIDER,
    ) -> None:
        self._connection = connection
        self._row = row
        self._scope = scope
        self._exact = exact
        self._place = place
        self._one = asyncio.Lock()
        self._ours = {"collection": row.collection_id, "tenant": row.tenant}
        self._ranked: tuple[str, Ranking] | None = None
        self._filters: dict[str, Filter] = {}
        self._few: dict[str, Ints | None] = {}

    async def info(self) -> Info:
        row = self._row
        recipes = [recipe for (recipe,) in await self._rows(RECIPES)]
        warnings = [f"{row.pending} chunks have no vector yet; run: ragstone ingest"] if row.pending else []
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
            tuple(sorted(recipes)),
            row.built_at,
            row.generation,
            tuple(warnings),
        )

    async def _rows(self, sql: str, more: Mapping[str, Any] | None = None, *, after: str | None = None) -> list[Row]:
        """One statement, in one round trip with the one that it comes after; the connection serves one at a time.

        Never as a prepared one: its plan would be one for all values, without a look at how many there are.
        """
        given = {**self._ours, **(more or {})}
        async with self._one:
            with mapped(self._place):
                if after is None:
                    return await self._fetched(sql, given)
                async with self._connection.pipeline():
                    await self._connection.execute(after, given, prepare=False)
                    return await self._fetched(sql, given)

    async def _fetched(self, sql: str, given: Mapping[str, Any]) -> list[Row]:
        found = await self._connection.execute(sql, given, prepare=False, binary=True)
        return await found.fetchall()

    # Filters

    async def _filter(self, where: Where) -> Filter:
        """The filter in SQL, with the versions that pass. Globs that are too long for the server's expressions are
        tried on each path here."""
        key = repr(where)
        if key not in self._filters:
            fitting = None
            if sum(len(path) for path in where.paths if has_wildcard(path)) > LONG:
                exact = {path for path in where.paths if not has_wildcard(path)}
                globs = [path for path in where.paths if has_wildcard(path)]
                known = [path for (path,) in await self._rows(PATHS)]
                fitting = [path for path in known if path in exact or fits(path, globs)]
            made = condition_of(where, fitting=fitting)
            if made.versions is not None:
                [(versions, others)] = await self._rows(made.versions, made.parameters)
                arrays = {"versions": f"{{{versions or ''}}}", "others": f"{{{others or ''}}}"}
                made = replace(made, parameters={**made.parameters, **arrays})
            self._filters[key] = made
        return self._filters[key]

    async def _if_few(self, where: Where, made: Filter) -> Ints | None:
        """The numbers of the chunks that pass when they are few, else None."""
        key = repr(where)
        if key not in self._few:
            [(sent,)] = await self._rows(PASSING.format(made.sql), made.parameters)
            numbers = np.frombuffer(sent or b"", ">i4").astype(postings.NUMBER)
            self._few[key] = numbers if len(numbers) <= nearest.FEW else None
        return self._few[key]

    # Keywords

    async def _ranking(self, query: str) -> Ranking:
        if self._ranked is None or self._ranked[0] != query:
            terms = bm25.query_terms(query)
            rows = await self._rows(postings.FETCH, {"terms": terms}) if terms else []
            found = postings.live((term, numbers, counts, lengths) for term, numbers, counts, lengths in rows)
            made = postings.ranked(terms, found, chunks=self._row.chunks, words=self._row.terms)
            self._ranked = query, made
        return self._ranked[1]

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0 or not self._row.chunks:
            return []
        ranking, made = await self._ranking(query), await self._filter(where)
        count = limit if made.trivial else limit * WIDER
        few: Ints | None = self._few.get(repr(where))
        if few is not None:
            ranking = ranking.among(few)
        while True:
            best = ranking.best(count)
            found = await self._placed(ranking, best, made)
            if len(found) >= limit or len(best) == len(ranking.numbers):
                return found[:limit]
            if not made.trivial and few is None and (few := await self._if_few(where, made)) is not None:
                ranking = ranking.among(few)
            count *= WIDER

    async def _placed(self, ranking: Ranking, at: Any, made: Filter) -> list[Candidate]:
        """Those of a ranking's positions that are active and pass, in total order."""
        if not len(at):
            return []
        scores = dict(zip(ranking.numbers[at].tolist(), ranking.rounded[at].tolist(), strict=True))
        rows = await self._rows(f"{PLACES} AND {made.sql}", {**made.parameters, "numbers": list(scores)})
        return _ordered((scores[number], identity, place) for number, identity, *place in rows)

    async def idf(self, query: str) -> dict[str, float]:
        return dict((await self._ranking(query)).weights)

    # Vectors

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        row = self._row
        if limit <= 0 or row.dimension is None or not row.chunks:
            return []
        query = unit(vector, row.dimension)
        made = await self._filter(where)
        given = {**made.parameters, "model": row.model, "vector": nearest.literal(query)}
        exact, few = self._exact or row.chunks <= nearest.EXACT_UP_TO, None
        if not exact and not made.trivial:
            few = await self._if_few(where, made)
        if not exact and few is None and limit <= nearest.EF_SEARCH[1]:
            found = await self._walked(query, given, made, row.dimension, limit)
            if len(found) >= limit:
                return found[:limit]
        sql = nearest.exact_sql(made.sql, numbers=few is not None)
        if made.trivial:
            sql = nearest.all_sql(made.sql)
        if few is not None:
            given["numbers"] = few.tolist()
        count = limit + nearest.SPARE
        while True:
            rows = await self._rows(sql, {**given, "count": count})
            found = _scored(rows, query)
            worst = found[limit - 1].score if len(found) >= limit else -np.inf
            if nearest.settled(rows, worst, count=count):
                return found[:limit]
            count *= WIDER

    async def _walked(
        self, query: Any, given: Mapping[str, Any], made: Filter, dimension: int, limit: int
    ) -> list[Candidate]:
        """What the approximate index finds."""
        count = limit + nearest.SPARE
        least, most = nearest.EF_SEARCH
        walk = {"ef": str(min(max(least, count), most))}
        rows = await self._rows(nearest.indexed_sql(made.sql, dimension), {**given, **walk, "count": count}, after=WALK)
        return _scored(rows, query)

    # Both

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        asked = {"ids": _storable(dict.fromkeys(ids)), "model": self._row.model}
        with_vectors = vector is not None and self._row.dimension is not None
        rows = await self._rows(EMBEDDED if with_vectors else NUMBERS, asked) if asked["ids"] else []
        words = (await self._ranking(query)).of([row[1] for row in rows]) if rows else []
        rated = {row[0]: {"bm25": score} for row, score in zip(rows, words, strict=True)}
        embedded = [row for row in rows if with_vectors and row[2] is not None]
        if embedded and vector is not None and self._row.dimension is not None:
            cosines = nearest.scored(embedded, unit(vector, self._row.dimension))
            for row, cosine in zip(embedded, np.round(cosines, bm25.DECIMALS).tolist(), strict=True):
                rated[row[0]]["cosine"] = cosine
        return {identity: rated[identity] for identity in dict.fromkeys(ids) if identity in rated}

    # Chunks and documents

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        asked = _storable(dict.fromkeys(ids))
        shared: dict[bytes, Document] = {}
        rows = await self._rows(BY_ID, {"ids": asked}) if asked else []
        found = {row[0]: chunk_of(row, shared) for row in rows}
        return [found[identity] for identity in ids if identity in found]

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        if _storable([path, source or ""]) != [path, source or ""]:
            return None
        from_source = "" if source is None else "AND m.source = %(source)s"
        rows = await self._rows(AT.format(from_source), {"path": path, "ordinal": ordinal, "source": source})
        return chunk_of(rows[0]) if rows else None

    async def record(self, document: Document) -> str | None:
        found = await self._kept("record", document)
        return None if found is None else record_of(found)

    async def layout(self, document: Document) -> Layout | None:
        found = await self._kept("layout", document)
        return None if found is None else Layout.unpack(found)

    async def _kept(self, column: str, document: Document) -> bytes | None:
        if not _storable([document.id]):
            return None
        rows = await self._rows(KEPT.format(column), {"id": document.id, "revision": document.revision})
        return bytes(rows[0][0]) if rows and rows[0][0] is not None else None


def _storable(texts: Any) -> list[str]:
    """Those that can stand in the database at all."""
    return [text for text in texts if "\0" not in text and not is_lone(text)]


def _scored(rows: Sequence[Row], query: Any) -> list[Candidate]:
    """Candidates of the rows of `nearest` that have a chunk, in total order."""
    chunks = [row for row in rows if row[1] is not None]
    rounded = np.round(nearest.scored(chunks, query), bm25.DECIMALS).tolist()
    return _ordered((score, row[2], row[3:6]) for row, score in zip(chunks, rounded, strict=True))


def _ordered(found: Any) -> list[Candidate]:
    made = [Candidate(identity, score, (place[0], place[1], place[2])) for score, identity, place in found]
    return sorted(made, key=lambda candidate: total_order(candidate.score, candidate.place))
