"""One consistent view of a collection: both retrievers score exactly, over every chunk that passes the filter."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import numpy as np

from ragstone.core.errors import StoreError
from ragstone.core.filter_matching import document_matches, matches
from ragstone.core.filters import Where
from ragstone.core.ports import SparseState, SparseVector, Vectors
from ragstone.core.records import Info, WrittenState
from ragstone.core.types import Candidate, total_order
from ragstone.stores import bm25
from ragstone.stores.collection_errors import missing_vector_warnings
from ragstone.stores.cosine import COSINE_SLACK, Scores, cosines, normalize_query, rough_cosines
from ragstone.stores.embedded import sparse_rows, written_rows
from ragstone.stores.embedded.chunk_rows import ACTIVE_CHUNKS, decode_filter_facts
from ragstone.stores.embedded.collection import Collection, CollectionView
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.keyword_scores import score_positions, weigh_terms
from ragstone.stores.embedded.mirror import MISSING_SLOT, Flags, Int64s
from ragstone.stores.embedded.text_reader import EmbeddedTexts
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors

T = TypeVar("T")
PROVIDER = "embedded"


class EmbeddedReader(EmbeddedTexts):
    """Searches a snapshot of a collection and reads its texts; implements `Reader`, `Exporter`, `SparseReader` and
    `WrittenReader`."""

    def __init__(self, collection: Collection, view: CollectionView, threads: ThreadPool) -> None:
        super().__init__(collection, view, threads)
        self._mirror = view.mirror
        self._scored: tuple[str, Scores, dict[str, float]] | None = None
        self._told: Info | None = None
        self._ids_by_row: dict[int, str] = {}

    @property
    def runs_side_by_side(self) -> bool:
        return True

    def prepare_info(self) -> None:
        """Read the state in the trip that opened the view, because a search wants it next; what goes wrong is said when
        it is asked for."""
        with suppress(StoreError):
            self._told = self._run_alone(self._read_info)

    async def info(self) -> Info:
        if self._told is None:
            self._told = await self._run(self._read_info)
        return self._told

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        return await self._threads.run(lambda: self._search_nearest(vector, where, limit))

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        return await self._run(lambda: self._search_keywords(query, where, limit))

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        return await self._run(lambda: self._rate(ids, vector, query))

    async def sparse_state(self) -> SparseState | None:
        return await self._run(self._read_sparse_state)

    async def match_sparse(self, query: SparseVector, *, where: Where, limit: int) -> list[Candidate]:
        return await self._run(lambda: self._search_sparse(query, where, limit))

    async def rate_sparse(self, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
        return await self._run(lambda: sparse_rows.rate_chunks(self._view.connection, ids, query))

    async def match_written(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        return await self._run(lambda: self._search_written(vector, where, limit))

    async def rate_written(self, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
        return await self._run(lambda: self._rate_written(ids, vector))

    async def idf(self, query: str) -> dict[str, float]:
        if self._scored is not None and self._scored[0] == query:
            return bm25.drop_own_stems(self._scored[2])
        weighed = await self._run(lambda: weigh_terms(self._view.connection, self._mirror, query))
        return bm25.drop_own_stems({one.term: one.idf for one in weighed})

    # Filters

    def _filter_mask(self, where: Where) -> Flags:
        """Which positions are alive and pass."""
        return self._collection.get_mask(self._mirror.generation, repr(where), lambda: self._apply_filter(where))

    def _apply_filter(self, where: Where) -> Flags:
        mirror = self._mirror
        keys, alive = mirror.revisions.key.tolist(), mirror.revisions.alive.tolist()
        documents = self._find_documents(mirror.revisions.key[mirror.revisions.alive])
        verdicts = [here and document_matches(where, documents[key]) for key, here in zip(keys, alive, strict=True)]
        passed: Flags = mirror.alive & np.array(verdicts, dtype=np.bool_)[mirror.chunks.rev]
        if not where.by_document:
            rows = self._fetch_rows(f"SELECT c.row, c.ordinal, c.facts FROM {ACTIVE_CHUNKS} ORDER BY c.row")  # noqa: S608
            at = mirror.find_positions(np.array([row for row, _, _ in rows], dtype=np.int64)).tolist()
            for position, (_, ordinal, facts) in zip(at, rows, strict=True):
                document = documents[keys[mirror.chunks.rev[position]]]
                passed[position] &= matches(where, decode_filter_facts(document, ordinal, facts))
        return passed

    # Keywords

    def _score_keywords(self, query: str) -> Scores:
        """BM25 of every position, unrounded; 0 where no term stands."""
        if self._scored is None or self._scored[0] != query:
            terms = weigh_terms(self._view.connection, self._mirror, query)
            self._scored = query, score_positions(self._mirror, terms), {one.term: one.idf for one in terms}
        return self._scored[1]

    def _score_beside(self, query: str) -> Scores:
        """BM25 of every position; the scores of a question that was searched by stay at hand."""
        if self._scored is None or self._scored[0] == query:
            return self._score_keywords(query)
        return score_positions(self._mirror, weigh_terms(self._view.connection, self._mirror, query))

    def _search_keywords(self, query: str, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0 or not self._mirror.total:
            return []
        scores = self._score_keywords(query)
        at = np.flatnonzero((scores > 0) & self._filter_mask(where))
        return self._pick_best(at, scores[at], limit)

    # Sparse vectors

    def _read_sparse_state(self) -> SparseState | None:
        known = self._collection.sparse_state
        if known is None or known[0] != self._mirror.generation:
            known = self._mirror.generation, sparse_rows.read_sparse_state(self._view.connection)
            self._collection.sparse_state = known
        return known[1]

    def _search_sparse(self, query: SparseVector, where: Where, limit: int) -> list[Candidate]:
        if limit <= 0 or not self._mirror.total or sparse_rows.read_model(self._view.connection) is None:
            return []
        scores = sparse_rows.score_chunks(self._view.connection, self._mirror, query)
        at = np.flatnonzero((scores > 0) & self._filter_mask(where))
        return self._pick_best(at, scores[at], limit)

    # Vectors of summaries and questions

    def _read_written_state(self) -> WrittenState | None:
        known = self._collection.written_state
        if known is None or known[0] != self._mirror.generation:
            known = self._mirror.generation, written_rows.read_written_state(self._view.connection)
            self._collection.written_state = known
        return known[1]

    def _search_written(self, vector: Vectors, where: Where, limit: int) -> list[Candidate]:
        model = written_rows.read_model(self._view.connection)
        if limit <= 0 or not self._mirror.total or model is None:
            return []
        query, passing = normalize_query(vector, model[2]), self._filter_mask(where)
        at, scores = written_rows.score_chunks(self._view.connection, self._mirror, passing, query, limit)
        return self._pick_best(at, scores, limit)

    def _rate_written(self, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
        model = written_rows.read_model(self._view.connection)
        if not ids or model is None:
            return {}
        rows = self._find_rows(ids)
        best = written_rows.rate_rows(self._view.connection, list(rows.values()), normalize_query(vector, model[2]))
        return {identity: round(best[row], bm25.DECIMALS) for identity, row in rows.items() if row in best}

    # Vectors of chunks

    def _search_nearest(self, vector: Vectors, where: Where, limit: int) -> list[Candidate]:
        dimension = self._view.state.dimension
        if limit <= 0 or dimension is None or not self._mirror.total:
            return []
        query = normalize_query(vector, dimension)
        passing, rows = self._run_alone(lambda: (self._filter_mask(where), self._view.rows()))
        at = np.flatnonzero(passing & (self._mirror.chunks.slot >= 0))
        if not len(at):
            return []
        with map_errors(self._collection.place.directory):
            slots = self._mirror.chunks.slot[at]
            rough = rough_cosines(rows, slots, query.astype(np.float32))
            if limit < len(at):
                least = np.partition(rough, len(at) - limit)[len(at) - limit] - COSINE_SLACK
                at = at[rough >= least]
            scores = cosines(rows, self._mirror.chunks.slot[at], query)
        return self._run_alone(lambda: self._pick_best(at, scores, limit))

    # Both

    def _pick_best(self, at: Int64s, scores: Scores, limit: int) -> list[Candidate]:
        """The first of the total order; only what can be among them is looked up and sorted."""
        scores = np.round(scores, bm25.DECIMALS)
        if limit < len(at):
            keep = scores >= np.partition(scores, len(at) - limit)[len(at) - limit]
            at, scores = at[keep], scores[keep]
        placed = [
            (total_order(score, place), p)
            for p, place, score in zip(at.tolist(), self._find_places(at), scores.tolist(), strict=True)
        ]
        placed.sort()
        chosen = placed[:limit]
        rows = self._mirror.chunks.row[[p for _, p in chosen]].tolist() if chosen else []
        ids = self._find_ids(rows)
        return [
            Candidate(ids[row], -order[0], (order[1], order[2], order[3]))
            for row, (order, _) in zip(rows, chosen, strict=True)
        ]

    def _find_ids(self, rows: Sequence[int]) -> Mapping[int, str]:
        """The ids of at least these rows; both retrievers give many of the same."""
        if missing := [row for row in rows if row not in self._ids_by_row]:
            sql = "SELECT row, id FROM chunks WHERE row IN (SELECT value FROM json_each(?))"
            found = dict(self._fetch_rows(sql, encode_list(missing)))
            self._ids_by_row |= found
            self._rows_by_id |= {identity: row for row, identity in found.items()}
        return self._ids_by_row

    def _find_places(self, at: Int64s) -> list[tuple[str, str, int]]:
        """Path, source and ordinal of alive positions: what breaks ties."""
        keys = self._mirror.keys_at(at)
        documents = self._find_documents(keys)
        ordinals = self._mirror.chunks.ordinal[at].tolist()
        owners = [documents[key] for key in keys.tolist()]
        return [(one.path, one.source, ordinal) for one, ordinal in zip(owners, ordinals, strict=True)]

    def _rate(self, ids: Sequence[str], vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        found = self._find_rows(ids)
        known = list(found)
        at = self._mirror.find_positions(np.array(list(found.values()), dtype=np.int64))
        words = np.round(self._score_beside(query)[at], bm25.DECIMALS).tolist() if known else []
        rated = {identity: {"bm25": score} for identity, score in zip(known, words, strict=True)}
        dimension = self._view.state.dimension
        if vector is not None and dimension is not None and known:
            slots = self._mirror.chunks.slot[at]
            has = np.flatnonzero(slots >= 0)
            if len(has):
                found_cosines = cosines(self._view.rows(), slots[has], normalize_query(vector, dimension))
                for i, cosine in zip(has.tolist(), np.round(found_cosines, bm25.DECIMALS).tolist(), strict=True):
                    rated[known[i]]["cosine"] = cosine
        return rated

    def _read_info(self) -> Info:
        mirror, state = self._mirror, self._view.state
        pending = int((mirror.chunks.slot[mirror.alive] == MISSING_SLOT).sum())
        warnings = missing_vector_warnings(pending)
        return Info(
            self._collection.scope,
            PROVIDER,
            int(self._fetch_rows("PRAGMA user_version")[0][0]),
            "empty" if not mirror.total else "degraded" if warnings else "healthy",
            mirror.revisions.active_count,
            mirror.total,
            pending,
            state.dimension,
            state.model,
            state.variant,
            mirror.revisions.recipes,
            state.built_at,
            state.generation,
            tuple(warnings),
            self._collection.place.total_bytes(),
            mirror.revisions.editions,
            written=self._read_written_state(),
        )
