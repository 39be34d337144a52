"""One pair as a reader: every question is one transaction that can only read, under a timeout."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, sql

from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Vectors
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Document, Scope, total_order
from ragstone.stores import bm25
from ragstone.stores.column_pair import INVALID_NAME, ColumnPair
from ragstone.stores.postgres.vector_search import EF_SEARCH, MAX_FEW, SPARE_CANDIDATES
from ragstone.stores.postings import Ranking
from ragstone.stores.tables import statements
from ragstone.stores.tables.error_mapping import map_filter_errors, map_table_errors
from ragstone.stores.tables.relations import Relation
from ragstone.stores.tables.row_documents import PROVIDER, RowDocuments
from ragstone.stores.tables.statements import Statements
from ragstone.stores.word_counts import TableFingerprint, WordCountCache, WordCounter, WordCounts

COUNT_BATCH = 500  # rows on their way at a time
WIDER = 4  # times as many candidates where too few passed
Row = tuple[Any, ...]


class TableReader:
    """Reads passages from the rows of a table; implements `Reader`. `connection` is inside a transaction that may
    only read; a row is a document of one chunk, its id and its place come from the table's own."""

    def __init__(
        self,
        connection: AsyncConnection[Row],
        pair: ColumnPair,
        relation: Relation,
        kept: WordCountCache,
        *,
        place: str,
    ) -> None:
        self._connection = connection
        self._pair = pair
        self._relation = relation
        self._kept = kept
        self._named = RowDocuments(pair, relation, place)
        self._place = f"{relation.label} in {place}"
        self._known: dict[str, tuple[str, str]] = {}  # ids of chunks: the row's id and text
        self._ranked: tuple[str, WordCounts, Ranking] | None = None
        self._wordless = False  # this question's words could not be counted
        self._scored: dict[str, float] = {}  # by text, for the question that is ranked
        self._sql = Statements(pair, relation, self._place)

    async def info(self) -> Info:
        size = self._relation.columns[self._pair.vector].size if self._pair.vector else -1
        rows = self._ranked[1].rows if self._ranked else 0
        scope = Scope("default", PROVIDER)
        dimension = size if size > 0 else None
        return Info(scope, PROVIDER, 0, "healthy", rows, rows, 0, dimension, None, None, (), None, 0)

    # Statements

    async def check_filter(self) -> None:
        """Whether the configured filter is one condition: alone and within brackets it must mean the same.

        Raises `ConfigError` with what the server says of it; nothing is carried out.
        """
        self._sql.build_statement(statements.ROWS)  # conditions on columns that are not there
        for statement in self._sql.build_trials():
            with map_filter_errors(self._place):
                async with self._connection.transaction():
                    await self._connection.execute(statement, {"n": 1}, binary=True)

    @asynccontextmanager
    async def _open_savepoint(self) -> AsyncIterator[None]:
        """A failure in here leaves the transaction usable for the other retriever."""
        with map_table_errors(self._place):
            async with self._connection.transaction():
                yield

    async def _fetch_rows(
        self, shape: str, given: Mapping[str, Any], where: Where | None = None, **more: sql.Composable
    ) -> list[Row]:
        statement, own = self._sql.build_statement(shape, where, **more)
        async with self._open_savepoint():
            found = await self._connection.execute(statement, {**own, **given}, prepare=False, binary=True)
            return await found.fetchall()

    # Vectors

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0:
            return []
        distance, given = self._sql.measure_distance(vector)
        await self._prepare_walk(limit + SPARE_CANDIDATES)
        rows = await self._fetch_rows(
            statements.NEAREST, {**given, "limit": limit + SPARE_CANDIDATES}, where, distance=distance
        )
        return self._make_candidates((row[0], row[1], 1 - row[2]) for row in rows if row[2] == row[2])[:limit]

    async def _prepare_walk(self, count: int) -> None:
        """How far approximate indexes look, whichever there is; none is no matter."""
        values = dict(statements.ITERATIVE_SETTINGS) if self._relation.iterates else {}
        values["hnsw.ef_search"] = str(min(max(EF_SEARCH[0], count), EF_SEARCH[1]))
        values["ivfflat.probes"] = str(self._relation.probes)
        names = list(values)
        async with self._open_savepoint():
            await self._connection.execute(
                "SELECT set_config(n, v, true) FROM unnest(%(names)s::text[], %(values)s::text[]) AS s (n, v)",
                {"names": names, "values": [values[name] for name in names]},
            )

    # Keywords

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        terms = bm25.query_terms(query)
        self._sql.build_statement(
            statements.MATCHING, where, among=sql.SQL("true")
        )  # a filter that is not allowed is said at once
        if limit <= 0 or not terms:
            return []
        self._wordless = True  # until they were counted
        counted, ranking = await self._rank_query(query)
        self._wordless = False
        count, asked = limit, not where.conditions
        while True:
            best = ranking.best_positions(count)
            found = await self._score_current(counted, ranking, [counted.ids[n] for n in ranking.numbers[best]], where)
            if len(found) >= limit or len(best) == len(ranking.numbers):
                return found[:limit]
            if not asked and (few := await self._find_few_ids(where)) is not None:
                ranking = ranking.keep_numbers(counted.row_numbers(few))
            else:
                count *= WIDER
            asked = True

    async def _find_few_ids(self, where: Where) -> set[str] | None:
        """The ids of all rows that pass a filter, when they are few."""
        rows = await self._fetch_rows(statements.PASSING, {"limit": MAX_FEW + 1}, where)
        return {row[0] for row in rows} if len(rows) <= MAX_FEW else None

    async def _score_current(
        self, counted: WordCounts, ranking: Ranking, ids: Sequence[str], where: Where
    ) -> list[Candidate]:
        """Rows as they are now that pass the filter and hold a word, scored by the counts."""
        if not ids:
            return []
        among, given = self._sql.match_ids(ids)
        rows = await self._fetch_rows(statements.MATCHING, given, where, among=among)
        scores = ((row[0], row[1], self._score_text(row[1], counted, ranking)) for row in rows)
        return self._make_candidates(scored for scored in scores if scored[2] > 0)

    def _score_text(self, text: str, counted: WordCounts, ranking: Ranking) -> float:
        """BM25 of a text, worked out once a question: both retrievers ask for it."""
        if text not in self._scored:
            self._scored[text] = counted.score_text(text, ranking.weights)
        return self._scored[text]

    async def _rank_query(self, query: str) -> tuple[WordCounts, Ranking]:
        if self._ranked is None or self._ranked[0] != query:
            self._ranked, self._scored = (query, *await self._read_ranking(query)), {}
        return self._ranked[1], self._ranked[2]

    async def _read_ranking(self, query: str) -> tuple[WordCounts, Ranking]:
        terms = bm25.query_terms(query)
        key = (self._relation.label, self._pair.text, self._pair.id, repr(self._pair.filter))
        counted = await self._kept.get_counts(key, look=self._read_fingerprint, count=self._count_words)
        if counted is None:  # too large to keep: counted for this query alone
            counted = await self._count_words(terms)
        return counted, counted.rank_rows(terms)

    async def _score_known(self, ids: Iterable[str], query: str) -> dict[str, float]:
        """BM25 of rows that were found; the counts of a question that was searched by stay at hand."""
        if self._ranked is None or self._ranked[0] == query:
            counted, ranking = await self._rank_query(query)
            return {one: self._score_text(self._known[one][1], counted, ranking) for one in ids}
        counted, ranking = await self._read_ranking(query)
        return {one: counted.score_text(self._known[one][1], ranking.weights) for one in ids}

    async def _read_fingerprint(self) -> TableFingerprint:
        shape = statements.FINGERPRINT_ROWS if self._relation.rows else statements.FINGERPRINT_TEXTS
        [(rows, changes)] = await self._fetch_rows(shape, {})
        return self._relation.oid, rows, changes

    async def _count_words(self, only: Collection[str] | None = None) -> WordCounts:
        """Count the words of all rows, a batch in memory at a time; raises `TooMany`."""
        counting = WordCounter(only)
        statement, given = self._sql.build_statement(statements.ROWS)
        async with self._open_savepoint(), self._connection.cursor(name="ragstone_count", binary=True) as cursor:
            await cursor.execute(statement, given or None)
            while rows := await cursor.fetchmany(COUNT_BATCH):
                await asyncio.to_thread(counting.add_rows, rows)
        return await asyncio.to_thread(counting.finish_counts)

    async def idf(self, query: str) -> dict[str, float]:
        return bm25.drop_own_stems((await self._rank_query(query))[1].idf) if bm25.query_terms(query) else {}

    # Both

    def _make_candidates(self, rows: Any) -> list[Candidate]:
        """Candidates in total order, the best of each id."""
        best: dict[str, Candidate] = {}
        for identity, text, score in rows:
            made = Candidate(
                self._named.chunk_id(identity), round(float(score), bm25.DECIMALS), self._named.row_place(identity)
            )
            if made.id not in best or made.score > best[made.id].score:
                best[made.id] = made
                self._known[made.id] = (identity, text)
        return sorted(best.values(), key=lambda one: total_order(one.score, one.place))

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        rated: dict[str, dict[str, float]] = {one: {} for one in dict.fromkeys(ids) if one in self._known}
        if rated and not self._wordless:
            for one, score in (await self._score_known(rated, query)).items():
                rated[one]["bm25"] = score
        if vector is not None and rated:
            among, more = self._sql.match_ids([self._known[one][0] for one in rated])
            distance, given = self._sql.measure_distance(vector)
            for identity, far in await self._fetch_rows(
                statements.COSINES, {**given, **more}, among=among, distance=distance
            ):
                own = rated.get(self._named.chunk_id(identity))
                if own is not None and far == far:
                    own["cosine"] = max(round(1 - far, bm25.DECIMALS), own.get("cosine", -1.0))
        return rated

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        return [self._named.make_chunk(*self._known[one]) for one in ids if one in self._known]

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        """A row by its path (`schema.table/id`)."""
        label, slash, identity = path.partition(f"{self._relation.label}/")
        if (
            INVALID_NAME.search(path)
            or label
            or not slash
            or ordinal != self._pair.ordinal
            or source not in (None, self._relation.label)
        ):
            return None
        among, given = self._sql.match_ids([identity])
        rows = await self._fetch_rows(statements.MATCHING, given, among=among)
        self._make_candidates((row[0], row[1], 0.0) for row in rows)
        return self._named.make_chunk(rows[0][0], rows[0][1]) if rows else None

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        """The texts of those rows that this reader found."""
        wanted = {document.id for document in documents}
        found = ((self._named.document_id(row), text) for row, text in self._known.values())
        return {identity: text for identity, text in found if identity in wanted}

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        del documents
        return {}
