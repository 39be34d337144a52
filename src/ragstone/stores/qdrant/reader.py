"""One view of a collection: the ledger's, with vectors from Qdrant that the ledger vouches for."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from qdrant_client import models

from ragstone.core.errors import StoreError
from ragstone.core.filter_matching import facts, matches
from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Exporter, Kept, Reader, Store, Vectors, Worded
from ragstone.core.types import Candidate, Chunk, Document, Info, Revision, Scope, total_order
from ragstone.stores import bm25
from ragstone.stores.absent import without_vectors
from ragstone.stores.cosine import Scores, cosines, unit
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.filters import is_narrow, narrowed
from ragstone.stores.qdrant.points import ACTIVE, is_, ours
from ragstone.stores.qdrant.reconcile import GRACE
from ragstone.stores.qdrant.remote import Remote, sound
from ragstone.stores.qdrant.space import Space

Order = tuple[float, str, str, int]
PROVIDER = "qdrant"
# Chunks up to which every vector is compared, as in PostgreSQL: 20,000 took longer than the rest of a question together
# (`benchmarks/stores`).
EXACT = 5_000
MORE = 32  # asked for beyond the limit: ties at the cut, and points between two states
WIDER = 4  # times as many where too few passed
NOISE = 1e-5  # how far Qdrant's cosine, in float32, may be from ours
RANKS = 61  # Qdrant counts ranks from 0: its k of 61 is our 60
REMEMBERED = 20_000  # vectors and chunks that a view keeps


class QdrantReader:
    """See `ragstone.core.ports.Reader` and `Exporter`. `inner` is the ledger's view, `info` what it said when it was
    opened; `remote` is None while the collection has no embedding model; `whole` is the last generation of each
    collection in which every chunk had its vector."""

    def __init__(
        self,
        inner: Reader,
        ledger: Store,
        scope: Scope,
        *,
        info: Info,
        remote: Remote | None,
        warning: str | None,
        whole: dict[Scope, int],
    ) -> None:
        self._inner = inner
        self._ledger = ledger
        self._scope = scope
        self._told = info
        self._remote = remote
        self._warning = warning
        self._whole = whole
        self._since = time.monotonic()
        self._chunks: dict[str, Chunk | None] = {}
        self._rows: dict[str, Vectors] = {}
        self._info: Info | None = None

    # What the ledger knows alone

    @property
    def keywords(self) -> str:
        return self._inner.keywords if isinstance(self._inner, Worded) else "bm25"

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        return await self._inner.matching(query, where=where, limit=limit)

    async def idf(self, query: str) -> dict[str, float]:
        return await self._inner.idf(query)

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        return await self._inner.at(path, ordinal, source=source)

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        return await self._inner.records(documents)

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        return await self._inner.layouts(documents)

    async def kept(self, after: tuple[str, int] | None, *, limit: int) -> list[Kept]:
        return await self._exporter.kept(after, limit=limit)

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        return await self._exporter.revisions(documents)

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Of those that were superseded only what Qdrant has not given up yet."""
        return {} if self._remote is None else await self._remote.known(keys)

    @property
    def _exporter(self) -> Exporter:
        if not isinstance(self._inner, Exporter):
            raise StoreError(f"the ledger of {self._scope.collection!r} cannot give out what it keeps")
        return self._inner

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        known = await self._known(ids)
        return [known[identity] for identity in ids if identity in known]

    async def info(self) -> Info:
        if self._info is None:
            self._info = await self._counted()
        return self._info

    async def _counted(self) -> Info:
        """The ledger has no vectors: of those that it misses, these many are in Qdrant."""
        told, warnings = self._told, list[str]()
        try:
            pending = await self._pending()
        except StoreError as error:  # words can be searched all the same
            pending, warnings = 0, [str(error)]
        warnings += without_vectors(pending)
        state: Literal["empty", "degraded", "healthy"]
        state = "empty" if not told.chunks else "degraded" if warnings else "healthy"
        warnings += [self._warning] if self._warning else []
        return replace(told, provider=PROVIDER, state=state, pending_vectors=pending, warnings=tuple(warnings))

    async def _pending(self) -> int:
        """How many active chunks want a vector; not asked again while nothing was replaced since all had one."""
        told, remote = self._told, self._remote
        if remote is None or not told.pending_vectors or self._whole.get(self._scope) == told.generation:
            return told.pending_vectors if remote is None else 0
        have = await remote.count(ACTIVE, remote.space.has_dense, without=[is_("key", "")])
        if have >= told.pending_vectors:
            self._whole[self._scope] = told.generation
        return max(0, told.pending_vectors - have)

    # Vectors

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        remote = self._remote
        if limit <= 0 or remote is None or not self._told.chunks:
            return []
        query = unit(vector, remote.space.dimension)
        found = await self._widening(remote, query, where, limit, narrowed(self._scope, where))
        if await self._passed_by(where):  # payloads may be those of a later revision
            found = await self._widening(remote, query, where, limit, ours(self._scope))
        return found

    async def _widening(
        self, remote: Remote, query: Scores, where: Where, limit: int, named: models.Filter
    ) -> list[Candidate]:
        """The best of the view, exactly as far as Qdrant's candidates are: looked for among more of them until the
        next one is clearly worse than the last that is kept."""
        count = limit + MORE
        while True:
            asked = list(map(float, query))
            listed = await self._asked(remote, asked, named, count)
            passing = await self._vouched(listed, where)
            ranked = sorted(_scored(passing, query))
            best = [Candidate(identity, -order[0], (order[1], order[2], order[3])) for order, identity in ranked]
            done = len(listed) < count
            if done or (len(best) >= limit and best[limit - 1].score - listed[-1].score > NOISE):
                return best[:limit]
            count *= WIDER

    async def _asked(
        self, remote: Remote, query: list[float], named: models.Filter, count: int
    ) -> list[models.ScoredPoint]:
        exact = remote.client.url.exact or self._told.chunks <= EXACT
        found = await remote.call(
            lambda c: c.query_points(
                remote.space.name,
                query=query,
                using=remote.space.dense or None,
                query_filter=named,
                limit=count,
                search_params=None if remote.client.local else models.SearchParams(exact=exact),
                with_payload=["chunk", "key"],
                with_vectors=remote.space.with_dense,
            )
        )
        return found.points

    async def _vouched(self, listed: Sequence[models.ScoredPoint], where: Where) -> list[tuple[Chunk, Vectors]]:
        """What the ledger's view calls active, with the vector that it names, and passes the filter."""
        known = await self._known([points.said(point, "chunk") for point in listed])
        passing = []
        for point in listed:
            chunk = known.get(points.said(point, "chunk"))
            row = self._trusted(chunk, point)
            if chunk is not None and row is not None and matches(where, facts(chunk)):
                passing.append((chunk, row))
        return passing

    def _trusted(self, chunk: Chunk | None, point: models.ScoredPoint | models.Record) -> Vectors | None:
        """A point's vector, when the ledger knows its chunk under this key and it stands where that chunk's belongs."""
        if self._remote is None or chunk is None or points.said(point, "key") != chunk.vector_key:
            return None
        space = self._remote.space
        row = points.row_of(point.vector, space.dense)
        if row is None or str(point.id) != space.scheme.point_id(chunk):
            return None
        if not sound(chunk.vector_key, row, space.dimension):
            return None
        if len(self._rows) < REMEMBERED:
            self._rows[chunk.id] = row
        return row

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        rated = await self._inner.rate(ids, vector=None, query=query)
        if vector is None or self._remote is None or not rated:
            return rated
        asked = unit(vector, self._remote.space.dimension)
        rows = await self._rows_of(self._remote, list(rated))
        if rows:
            found = cosines(np.stack(list(rows.values())), np.arange(len(rows)), asked)
            for identity, cosine in zip(rows, np.round(found, bm25.DECIMALS).tolist(), strict=True):
                rated[identity]["cosine"] = cosine
        return rated

    async def _rows_of(self, remote: Remote, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of chunks, those that a search brought already not asked again."""
        rows = {identity: self._rows[identity] for identity in ids if identity in self._rows}
        missing = [identity for identity in ids if identity not in rows]
        if missing:
            known = await self._known(missing)
            asked = dict(zip(remote.ids(known.values()), known, strict=True))
            name, dense = remote.space.name, remote.space.with_dense
            records = await remote.call(
                lambda c: c.retrieve(name, ids=list(asked), with_payload=["key"], with_vectors=dense)
            )
            found = {asked[str(one.id)]: self._trusted(known[asked[str(one.id)]], one) for one in records}
            rows |= {identity: row for identity, row in found.items() if row is not None}
        return rows

    async def _known(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """The view's chunks by id, looked up once."""
        if len(self._chunks) > REMEMBERED:
            self._chunks.clear()
        missing = [identity for identity in dict.fromkeys(ids) if identity not in self._chunks]
        if missing:
            self._chunks |= dict.fromkeys(missing)
            self._chunks |= {chunk.id: chunk for chunk in await self._inner.chunks(missing)}
        return {identity: chunk for identity in ids if (chunk := self._chunks[identity]) is not None}

    async def _passed_by(self, where: Where) -> bool:
        """Whether the collection has changed since this view in a way that its filter may not have seen.

        Raises `StoreError` when it changed so long ago that the vectors of this view may be gone.
        """
        old = time.monotonic() - self._since > GRACE
        if not old and not is_narrow(where):
            return False
        async with self._ledger.reader(self._scope) as now:
            changed = (await now.info()).generation != self._told.generation
        if changed and old:
            raise StoreError(f"this view of collection {self._scope.collection!r} is too old; ask again")
        return changed

    # Fused by the server

    async def fused(self, query: str, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Both legs and their fusion in one round trip: quick, and outside the promise of an equal ranking, for Qdrant
        weighs words by its own statistics and takes neighbours by its graph. Its weights of legs are not ours, which
        multiply: it divides ranks by them."""
        remote = self._remote
        if limit <= 0 or remote is None or not self._told.chunks:
            return []
        if remote.space.sparse is None:
            raise StoreError(f"the collection {remote.space.name!r} in Qdrant has no sparse vectors")
        asked = list(map(float, unit(vector, remote.space.dimension)))
        legs = prefetches(remote.space, self._scope, query, asked, where, limit + MORE)
        found = await remote.call(
            lambda c: c.query_points(
                remote.space.name,
                prefetch=legs,
                query=models.RrfQuery(rrf=models.Rrf(k=RANKS)),
                limit=limit + MORE,
                with_payload=["chunk", "key"],
                with_vectors=remote.space.with_dense,
            )
        )
        known = await self._known([points.said(point, "chunk") for point in found.points])
        best: dict[str, Candidate] = {}
        for point in found.points:
            chunk = known.get(points.said(point, "chunk"))
            self._trusted(chunk, point)
            if chunk is not None and matches(where, facts(chunk)):
                score = round(point.score, bm25.DECIMALS)
                best.setdefault(chunk.id, Candidate(chunk.id, score, place_of(chunk)))
        return sorted(best.values(), key=lambda one: total_order(one.score, one.place))[:limit]


def _scored(passing: Sequence[tuple[Chunk, Vectors]], query: Scores) -> list[tuple[Order, str]]:
    """Each chunk's place in the total order, and its id."""
    if not passing:
        return []
    found = cosines(np.stack([row for _, row in passing]), np.arange(len(passing)), query)
    return [
        (total_order(score, place_of(chunk)), chunk.id)
        for score, (chunk, _) in zip(np.round(found, bm25.DECIMALS).tolist(), passing, strict=True)
    ]


def prefetches(
    space: Space, scope: Scope, query: str, vector: list[float], where: Where, limit: int
) -> list[models.Prefetch]:
    """The two legs, one where the question has no word; rarity counts within the collection of this tenant alone."""
    named, words = narrowed(scope, where), points.sparse_query(query)
    own = models.SearchParams(idf=models.IdfCorpusParams(corpus=ours(scope)))
    legs = [models.Prefetch(query=vector, using=space.dense or None, filter=named, limit=limit)]
    if words.indices:
        legs.append(models.Prefetch(query=words, using=space.sparse, filter=named, limit=limit, params=own))
    return legs


def place_of(chunk: Chunk) -> tuple[str, str, int]:
    """What breaks ties."""
    return chunk.document.path, chunk.document.source, chunk.ordinal
