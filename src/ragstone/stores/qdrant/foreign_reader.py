"""A collection of another program, searched in place: its points are read, and nothing is written anywhere.

All payloads are read once and kept: their words are counted for BM25, which Qdrant does not compute. Vectors stay
there.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from qdrant_client import models

from ragstone.core.errors import UsageError
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.plural import format_count
from ragstone.core.ports import Vectors
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Document, Scope, total_order
from ragstone.stores import bm25
from ragstone.stores.cosine import Scores, cosines, normalize_query
from ragstone.stores.postings import Ranking
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.client import QdrantConnection
from ragstone.stores.qdrant.foreign_points import PAYLOAD_FIELDS, ForeignContent, read_content
from ragstone.stores.qdrant.queries import chunk_place, score_passing
from ragstone.stores.qdrant.scope_points import OF_OTHERS, PAGE

PROVIDER = "qdrant"
HOME = Scope("default", "default")  # where a collection of another program is found, beside its own name
CHECK_INTERVAL = 30.0  # seconds in which what was read is taken to be what there is, while the number of points stays
SPARE_CANDIDATES, WIDER = 32, 4
EXACT_UP_TO = 5_000  # as for points of our own
THEIRS = models.Filter(must=[OF_OTHERS])


@dataclass(slots=True)
class ForeignCollection:
    """The collection that the URL names, as another program left it; kept between questions."""

    client: QdrantConnection
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    content: ForeignContent | None = None
    points: int = 0
    read_at: float = 0.0
    clock: Callable[[], float] = time.monotonic

    @property
    def name(self) -> str:
        """Its name in Qdrant, "" where the URL names none."""
        return self.client.url.collection or ""

    def is_named_by(self, scope: Scope) -> bool:
        """Whether a scope means this collection: the default one, or the one of this name, of the default tenant."""
        return bool(
            self.client.url.scheme.is_foreign
            and self.name
            and scope.tenant == HOME.tenant
            and scope.collection in (HOME.collection, self.name)
        )

    async def count(self) -> int:
        """How many points of another program there are; 0 where there is no such collection."""
        if not self.name or not await self.client.call(lambda c: c.collection_exists(self.name), hasty=True):
            return 0
        found = await self.client.call(lambda c: c.count(self.name, count_filter=THEIRS, exact=True), hasty=True)
        return found.count

    async def read(self) -> ForeignContent | None:
        """The content as it is now; None where the other program wrote nothing."""
        async with self.lock:
            count = await self.count()
            if not count:
                self.content = None
                return None
            fresh = self.clock() - self.read_at < CHECK_INTERVAL
            if self.content is None or count != self.points or not fresh:
                records = await self._scroll()
                self.content = await asyncio.to_thread(read_content, self.name, self.client.url.scheme, records)
                self.points, self.read_at = count, self.clock()
            return self.content

    async def _scroll(self) -> list[models.Record]:
        found: list[models.Record] = []
        offset: models.ExtendedPointId | None = None
        while True:
            page, offset = await self._fetch_page(offset)
            found += page
            if offset is None:
                return found

    async def _fetch_page(
        self, start: models.ExtendedPointId | None
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        return await self.client.call(
            lambda c: c.scroll(
                self.name,
                scroll_filter=THEIRS,
                limit=PAGE,
                offset=start,
                with_payload=list(PAYLOAD_FIELDS),
                with_vectors=False,
            )
        )

    async def find_vectors(self) -> tuple[str, int] | None:
        """The name and the dimension of the vectors that can be compared by cosine; None where there are none."""
        params = (await self.client.call(lambda c: c.get_collection(self.name), hasty=True)).config.params
        held = params.vectors if isinstance(params.vectors, dict) else {"": params.vectors}
        dense = {name: one for name, one in held.items() if one is not None and one.multivector_config is None}
        name = "" if "" in dense else next(iter(dense), None)
        if name is None or dense[name].distance != models.Distance.COSINE:
            return None
        return name, dense[name].size

    async def find_problems(self) -> list[str]:
        """The reasons why passages are not found, one sentence each."""
        content, problems = await self.read(), list[str]()
        if content is not None and content.unusable:
            problems.append(
                f"{format_count(content.unusable, 'point')} in {self.name!r} of Qdrant without a text or the field "
                f"{self.client.url.scheme.path_field!r}, which nobody finds; is ids={self.client.url.scheme.ids} right?"
            )
        if await self.find_vectors() is None:
            problems.append(
                f"{self.name!r} of Qdrant has no vectors that compare by cosine: its passages are found by words only"
            )
        return problems


class ForeignReader:
    """One view of another program's collection; implements `Reader`. `vectors` are the name and the dimension of its
    vectors."""

    def __init__(
        self, scope: Scope, place: ForeignCollection, content: ForeignContent, vectors: tuple[str, int] | None
    ) -> None:
        self._scope = scope
        self._place = place
        self._content = content
        self._vectors = vectors
        self._ranked: tuple[str, Ranking] | None = None
        self._numbers = {identity: number for number, identity in enumerate(content.words.ids)}
        self._rows: dict[str, Vectors] = {}

    async def info(self) -> Info:
        content = self._content
        said = (
            f"written by another program and read in place: the vectors must be those of embed.model, and quotes are "
            f"checked against the passages in {self._place.name!r}, not against the documents"
        )
        left = [f"{content.unusable} points have no path or no text and are left out"] if content.unusable else []
        return Info(
            self._scope,
            PROVIDER,
            0,
            "healthy",
            len(content.documents),
            len(content.chunks),
            0,
            self._vectors[1] if self._vectors else None,
            None,
            None,
            (),
            None,
            content.fingerprint,
            (said, *left),
            unchecked=True,
        )

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        name, dimension = self._require_vectors()
        query, count = normalize_query(vector, dimension), limit + SPARE_CANDIDATES
        while limit > 0:
            listed = await self._query(name, query, count)
            passing = [
                (chunk, self._rows[chunk.id])
                for chunk in self._take_rows(name, listed)
                if matches(where, collect_facts(chunk))
            ]
            ranked = sorted(score_passing(passing, query))
            if len(ranked) >= limit or len(listed) < count:
                return [Candidate(one, -key[0], (key[1], key[2], key[3])) for key, one in ranked[:limit]]
            count *= WIDER
        return []

    def _require_vectors(self) -> tuple[str, int]:
        if self._vectors is None:
            raise UsageError(f"the collection {self._place.name!r} in Qdrant has no vectors that compare by cosine")
        return self._vectors

    async def _query(self, name: str, query: Scores, count: int) -> list[models.ScoredPoint]:
        client, exact = self._place.client, len(self._content.chunks) <= EXACT_UP_TO
        found = await client.call(
            lambda c: c.query_points(
                self._place.name,
                query=list(map(float, query)),
                using=name or None,
                query_filter=THEIRS,
                limit=count,
                search_params=None if client.is_local else models.SearchParams(exact=exact),
                with_payload=False,
                with_vectors=[name] if name else True,
            ),
            hasty=True,
        )
        return found.points

    def _take_rows(self, name: str, found: Sequence[models.ScoredPoint | models.Record]) -> list[Chunk]:
        """The passages of points that have a vector, which is kept for this view."""
        out = []
        for point in found:
            chunk, row = self._content.chunks.get(str(point.id)), points.read_dense_vector(point.vector, name)
            if chunk is not None and row is not None and np.isfinite(row).all() and row.any():
                self._rows[chunk.id] = row
                out.append(chunk)
        return out

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        ranking = self._rank(query)
        if limit <= 0 or ranking is None:
            return []
        count = limit
        while True:
            best = ranking.best_positions(count)
            ids = [self._content.words.ids[number] for number in ranking.numbers[best]]
            scored = zip(ids, ranking.rounded[best].tolist(), strict=True)
            found = [
                Candidate(one, score, chunk_place(chunk))
                for one, score in scored
                if matches(where, collect_facts(chunk := self._content.chunks[one]))
            ]
            if len(found) >= limit or len(best) == len(ranking.numbers):
                return sorted(found, key=lambda one: total_order(one.score, one.place))[:limit]
            count *= WIDER

    def _rank(self, query: str) -> Ranking | None:
        """BM25 of every passage with a term of the question, worked out once; None for a question without a term."""
        if self._ranked is None or self._ranked[0] != query:
            self._ranked = query, self._content.words.rank_rows(bm25.query_terms(query))
        return self._ranked[1] if self._ranked[1].weights else None

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        known = [one for one in dict.fromkeys(ids) if one in self._content.chunks]
        ranking = self._rank(query)
        scores = ranking.scores_of([self._numbers[one] for one in known]) if ranking else [0.0] * len(known)
        rated = {one: {"bm25": score} for one, score in zip(known, scores, strict=True)}
        if vector is None or not known or self._vectors is None:
            return rated
        asked = normalize_query(vector, self._vectors[1])
        await self._fetch_rows([one for one in known if one not in self._rows])
        have = [one for one in known if one in self._rows]
        if have:
            found = cosines(np.stack([self._rows[one] for one in have]), np.arange(len(have)), asked)
            for one, cosine in zip(have, np.round(found, bm25.DECIMALS).tolist(), strict=True):
                rated[one]["cosine"] = cosine
        return rated

    async def _fetch_rows(self, ids: Sequence[str]) -> None:
        name, _ = self._require_vectors()
        if ids:
            asked: list[models.ExtendedPointId] = [int(one) if one.isdigit() else one for one in ids]
            wanted = [name] if name else True
            found = await self._place.client.call(
                lambda c: c.retrieve(self._place.name, ids=asked, with_payload=False, with_vectors=wanted), hasty=True
            )
            self._take_rows(name, found)

    async def idf(self, query: str) -> dict[str, float]:
        ranking = self._rank(query)
        return bm25.drop_own_stems(ranking.idf) if ranking else {}

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        return [self._content.chunks[one] for one in ids if one in self._content.chunks]

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        return self._content.chunk_at(path, ordinal) if source in (None, self._place.name) else None

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        """The passages of documents, joined: what stands in for their texts of record."""
        return {one.id: self._content.records[one.id] for one in documents if one.id in self._content.records}

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        del documents
        return {}
