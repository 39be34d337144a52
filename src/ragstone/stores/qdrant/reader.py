"""One view of a collection: the ledger's, with vectors from Qdrant that the ledger vouches for."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from qdrant_client import models

from ragstone.core.errors import StoreError
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import Where
from ragstone.core.ports import Reader, Store, Vectors
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Scope, total_order
from ragstone.stores import bm25
from ragstone.stores.collection_errors import missing_vector_warnings
from ragstone.stores.cosine import Scores, cosines, normalize_query
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.filters import build_point_filter, is_narrow
from ragstone.stores.qdrant.ledger_reader import LedgerReader
from ragstone.stores.qdrant.points import ACTIVE, field_equals, scope_filter
from ragstone.stores.qdrant.queries import build_prefetches, chunk_place, score_passing
from ragstone.stores.qdrant.reconciliation import VIEW_LIFETIME
from ragstone.stores.qdrant.scope_points import ScopePoints, is_sound

PROVIDER = "qdrant"
# Chunks up to which every vector is compared, as in PostgreSQL: 20,000 took longer than the rest of a question together
# (`benchmarks/stores`).
EXACT_UP_TO = 5_000
SPARE_CANDIDATES = 32  # asked for beyond the limit: ties at the cut, and points between two states
WIDER = 4  # times as many where too few passed
COSINE_TOLERANCE = 1e-5  # how far Qdrant's cosine, in float32, may be from ours
RRF_K = 61  # Qdrant counts ranks from 0: its k of 61 is our 60
MAX_CACHED = 20_000  # vectors and chunks that a view keeps


class QdrantReader(LedgerReader):
    """Searches vectors in Qdrant and reads texts from the ledger; implements `Reader` and `Exporter`. `inner` is the
    ledger's view, `info` what it said when it was opened; `remote` is None while the collection has no embedding
    model; `whole` is the last generation of each collection in which every chunk had its vector."""

    def __init__(
        self,
        inner: Reader,
        ledger: Store,
        scope: Scope,
        *,
        info: Info,
        remote: ScopePoints | None,
        warning: str | None,
        whole: dict[Scope, int],
    ) -> None:
        super().__init__(inner, scope)
        self._ledger = ledger
        self._told = info
        self._remote = remote
        self._warning = warning
        self._whole = whole
        self._since = time.monotonic()
        self._chunks: dict[str, Chunk | None] = {}
        self._rows: dict[str, Vectors] = {}
        self._info: Info | None = None

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Of those that were superseded only what Qdrant has not given up yet."""
        return {} if self._remote is None else await self._remote.fetch_vectors(keys)

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        known = await self._read_chunks(ids)
        return [known[identity] for identity in ids if identity in known]

    async def info(self) -> Info:
        if self._info is None:
            self._info = await self._build_info()
        return self._info

    async def _build_info(self) -> Info:
        """The ledger has no vectors: of those that it misses, these many are in Qdrant."""
        told, warnings = self._told, list[str]()
        try:
            pending = await self._count_pending()
        except StoreError as error:  # words can be searched all the same
            pending, warnings = 0, [str(error)]
        warnings += missing_vector_warnings(pending)
        state: Literal["empty", "degraded", "healthy"]
        state = "empty" if not told.chunks else "degraded" if warnings else "healthy"
        warnings += [self._warning] if self._warning else []
        return replace(told, provider=PROVIDER, state=state, pending_vectors=pending, warnings=tuple(warnings))

    async def _count_pending(self) -> int:
        """How many active chunks want a vector; not asked again while nothing was replaced since all had one."""
        told, remote = self._told, self._remote
        if remote is None or not told.pending_vectors or self._whole.get(self._scope) == told.generation:
            return told.pending_vectors if remote is None else 0
        have = await remote.count(ACTIVE, remote.space.has_dense, without=[field_equals("key", "")])
        if have >= told.pending_vectors:
            self._whole[self._scope] = told.generation
        return max(0, told.pending_vectors - have)

    # Vectors

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        remote = self._remote
        if limit <= 0 or remote is None or not self._told.chunks:
            return []
        query = normalize_query(vector, remote.space.dimension)
        found = await self._search_widening(remote, query, where, limit, build_point_filter(self._scope, where))
        if await self._is_outdated(where):  # payloads may be those of a later revision
            found = await self._search_widening(remote, query, where, limit, scope_filter(self._scope))
        return found

    async def _search_widening(
        self, remote: ScopePoints, query: Scores, where: Where, limit: int, named: models.Filter
    ) -> list[Candidate]:
        """The best of the view, exactly as far as Qdrant's candidates are: looked for among more of them until the
        next one is clearly worse than the last that is kept."""
        count = limit + SPARE_CANDIDATES
        while True:
            asked = list(map(float, query))
            listed = await self._query_points(remote, asked, named, count)
            passing = await self._verify_points(listed, where)
            ranked = sorted(score_passing(passing, query))
            best = [Candidate(identity, -order[0], (order[1], order[2], order[3])) for order, identity in ranked]
            done = len(listed) < count
            if done or (len(best) >= limit and best[limit - 1].score - listed[-1].score > COSINE_TOLERANCE):
                return best[:limit]
            count *= WIDER

    async def _query_points(
        self, remote: ScopePoints, query: list[float], named: models.Filter, count: int
    ) -> list[models.ScoredPoint]:
        exact = remote.client.url.exact or self._told.chunks <= EXACT_UP_TO
        found = await remote.call(
            lambda c: c.query_points(
                remote.space.name,
                query=query,
                using=remote.space.dense or None,
                query_filter=named,
                limit=count,
                search_params=None if remote.client.is_local else models.SearchParams(exact=exact),
                with_payload=["chunk", "key"],
                with_vectors=remote.space.with_dense,
            )
        )
        return found.points

    async def _verify_points(self, listed: Sequence[models.ScoredPoint], where: Where) -> list[tuple[Chunk, Vectors]]:
        """What the ledger's view calls active, with the vector that it names, and passes the filter."""
        known = await self._read_chunks([points.read_payload_text(point, "chunk") for point in listed])
        passing = []
        for point in listed:
            chunk = known.get(points.read_payload_text(point, "chunk"))
            row = self._verify_vector(chunk, point)
            if chunk is not None and row is not None and matches(where, collect_facts(chunk)):
                passing.append((chunk, row))
        return passing

    def _verify_vector(self, chunk: Chunk | None, point: models.ScoredPoint | models.Record) -> Vectors | None:
        """A point's vector, when the ledger knows its chunk under this key and it stands where that chunk's belongs."""
        if self._remote is None or chunk is None or points.read_payload_text(point, "key") != chunk.vector_key:
            return None
        space = self._remote.space
        row = points.read_dense_vector(point.vector, space.dense)
        if row is None or str(point.id) != space.scheme.point_id(chunk):
            return None
        if not is_sound(chunk.vector_key, row, space.dimension):
            return None
        if len(self._rows) < MAX_CACHED:
            self._rows[chunk.id] = row
        return row

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        rated = await self._inner.rate(ids, vector=None, query=query)
        if vector is None or self._remote is None or not rated:
            return rated
        asked = normalize_query(vector, self._remote.space.dimension)
        rows = await self._read_vectors(self._remote, list(rated))
        if rows:
            found = cosines(np.stack(list(rows.values())), np.arange(len(rows)), asked)
            for identity, cosine in zip(rows, np.round(found, bm25.DECIMALS).tolist(), strict=True):
                rated[identity]["cosine"] = cosine
        return rated

    async def _read_vectors(self, remote: ScopePoints, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of chunks, those that a search brought already not asked again."""
        rows = {identity: self._rows[identity] for identity in ids if identity in self._rows}
        missing = [identity for identity in ids if identity not in rows]
        if missing:
            known = await self._read_chunks(missing)
            asked = dict(zip(remote.point_ids(known.values()), known, strict=True))
            name, dense = remote.space.name, remote.space.with_dense
            records = await remote.call(
                lambda c: c.retrieve(name, ids=list(asked), with_payload=["key"], with_vectors=dense)
            )
            found = {asked[str(one.id)]: self._verify_vector(known[asked[str(one.id)]], one) for one in records}
            rows |= {identity: row for identity, row in found.items() if row is not None}
        return rows

    async def _read_chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """The view's chunks by id, looked up once."""
        if len(self._chunks) > MAX_CACHED:
            self._chunks.clear()
        missing = [identity for identity in dict.fromkeys(ids) if identity not in self._chunks]
        if missing:
            self._chunks |= dict.fromkeys(missing)
            self._chunks |= {chunk.id: chunk for chunk in await self._inner.chunks(missing)}
        return {identity: chunk for identity in ids if (chunk := self._chunks[identity]) is not None}

    async def _is_outdated(self, where: Where) -> bool:
        """Whether the collection has changed since this view in a way that its filter may not have seen.

        Raises `StoreError` when it changed so long ago that the vectors of this view may be gone.
        """
        old = time.monotonic() - self._since > VIEW_LIFETIME
        if not old and not is_narrow(where):
            return False
        async with self._ledger.reader(self._scope) as now:
            changed = (await now.info()).generation != self._told.generation
        if changed and old:
            raise StoreError(f"this view of collection {self._scope.collection!r} is too old; ask again")
        return changed

    # Fused by the server

    async def fuse_on_server(self, query: str, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Both retrievers and their fusion in one round trip: quick, and outside the promise of an equal ranking, for
        Qdrant weighs words by its own statistics and takes neighbours by its graph. Its weights are not ours, which
        multiply: it divides ranks by them."""
        remote = self._remote
        if limit <= 0 or remote is None or not self._told.chunks:
            return []
        if remote.space.sparse is None:
            raise StoreError(f"the collection {remote.space.name!r} in Qdrant has no sparse vectors")
        asked = list(map(float, normalize_query(vector, remote.space.dimension)))
        prefetches = build_prefetches(remote.space, self._scope, query, asked, where, limit + SPARE_CANDIDATES)
        found = await remote.call(
            lambda c: c.query_points(
                remote.space.name,
                prefetch=prefetches,
                query=models.RrfQuery(rrf=models.Rrf(k=RRF_K)),
                limit=limit + SPARE_CANDIDATES,
                with_payload=["chunk", "key"],
                with_vectors=remote.space.with_dense,
            )
        )
        known = await self._read_chunks([points.read_payload_text(point, "chunk") for point in found.points])
        best: dict[str, Candidate] = {}
        for point in found.points:
            chunk = known.get(points.read_payload_text(point, "chunk"))
            self._verify_vector(chunk, point)
            if chunk is not None and matches(where, collect_facts(chunk)):
                score = round(point.score, bm25.DECIMALS)
                best.setdefault(chunk.id, Candidate(chunk.id, score, chunk_place(chunk)))
        return sorted(best.values(), key=lambda one: total_order(one.score, one.place))[:limit]
