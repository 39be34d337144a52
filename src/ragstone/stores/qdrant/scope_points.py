"""Operations on the points of one collection: search, write, switch, delete."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from qdrant_client import AsyncQdrantClient, models

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Scope
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.qdrant import points
from ragstone.stores.qdrant.client import QdrantConnection
from ragstone.stores.qdrant.points import RETIRED, STAGED, field_equals, field_is_any, has_point_id, scope_filter
from ragstone.stores.qdrant.space import Space
from ragstone.stores.qdrant.url import BATCH

PAGE = 1_000  # points looked through at a time
MAX_IDS = 5_000  # ids or keys in one filter
T = TypeVar("T")
OF_OTHERS = models.IsEmptyCondition(is_empty=models.PayloadField(key="tenant"))  # points of other programs


class ScopePoints:
    """The points of a scope. Every verb is idempotent; nothing here is believed without the ledger."""

    def __init__(self, client: QdrantConnection, space: Space, scope: Scope, *, hasty: bool = False) -> None:
        self.client = client
        self.space = space
        self.scope = scope
        self._hasty = hasty

    async def call(self, work: Callable[[AsyncQdrantClient], Awaitable[T]]) -> T:
        """Run one request of the client for this scope, with its errors mapped."""
        return await self.client.call(work, hasty=self._hasty)

    def point_ids(self, chunks: Iterable[Chunk]) -> list[str]:
        """The ids of the points of chunks."""
        return [self.space.scheme.point_id(chunk) for chunk in chunks]

    def make_points(
        self, chunks: Iterable[Chunk], known: Mapping[str, Vectors], *, state: points.PointState, since: float
    ) -> list[models.PointStruct]:
        """The points of chunks with the vectors that are known."""
        return points.make_points(self.space, self.scope, chunks, known, state=state, since=since)

    async def count(self, *conditions: models.Condition, without: Sequence[models.Condition] = ()) -> int:
        """How many points fit, exactly."""
        named = scope_filter(self.scope, *conditions, without=without)
        found = await self.call(lambda c: c.count(self.space.name, count_filter=named, exact=True))
        return found.count

    async def scan_pages(
        self,
        named: models.Filter,
        *,
        fields: Sequence[str],
        vectors: bool = False,
        size: int = PAGE,
        start: models.ExtendedPointId | None = None,
    ) -> AsyncIterator[list[models.Record]]:
        """The points of a filter in the order of their ids."""
        offset = start
        while True:
            records, offset = await self._fetch_page(named, fields, vectors=vectors, size=size, start=offset)
            if records:
                yield records
            if offset is None:
                return

    async def _fetch_page(
        self,
        named: models.Filter,
        fields: Sequence[str],
        *,
        vectors: bool,
        size: int,
        start: models.ExtendedPointId | None,
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        return await self.call(
            lambda c: c.scroll(
                self.space.name,
                scroll_filter=named,
                limit=size,
                offset=start,
                with_payload=list(fields),
                with_vectors=self.space.with_dense if vectors else False,
            )
        )

    async def fetch_earliest(
        self, named: models.Filter, *, fields: Sequence[str], limit: int, start: float | None
    ) -> list[models.Record]:
        """The points of a filter in the order of their writing, those from a moment on.

        The engine reads one number in eight back from its JSON as the next one up or down, so that the moment is taken
        half a tick earlier: the point that gave it would else be left out.
        """
        order = models.OrderBy(key="since", start_from=None if start is None else start - points.TICK / 2)
        found, _ = await self.call(
            lambda c: c.scroll(
                self.space.name,
                scroll_filter=named,
                limit=limit,
                order_by=order,
                with_payload=list(fields),
                with_vectors=False,
            )
        )
        return found

    async def fetch_vectors(self, keys: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of these keys that any collection of the tenant has; a broken one is as good as none."""
        found: dict[str, Vectors] = {}
        for part in _split_batches([key for key in dict.fromkeys(keys) if key], BATCH):
            named = models.Filter(
                must=[field_equals("tenant", self.scope.tenant), field_is_any("key", part), self.space.has_dense]
            )
            async for page in self.scan_pages(named, fields=["key"], vectors=True, size=2 * BATCH):
                for record in page:
                    row, key = (
                        points.read_dense_vector(record.vector, self.space.dense),
                        points.read_payload_text(record, "key"),
                    )
                    if row is not None and key in part and is_sound(key, row, self.space.dimension):
                        found[key] = row
                if all(key in found for key in part):
                    break
        return found

    async def write(self, made: Sequence[models.PointStruct]) -> None:
        """Put points there, over what stood under their ids."""
        for part in _split_batches(made, self.client.url.batch):
            await self._upsert(list(part))

    async def _upsert(self, made: list[models.PointStruct]) -> None:
        await self.call(lambda c: c.upsert(self.space.name, points=made, wait=True))

    async def switch(
        self, active: Sequence[str], documents: Mapping[str, str], *, but: Sequence[str], since: float
    ) -> None:
        """Make points active and retire all others of their documents, except some, in one batch. `documents` are paths
        by id: where another program wrote the collection, its points of these paths go too: each is stored once.
        """
        operations: list[models.UpdateOperation] = []
        for part in _split_batches(active, MAX_IDS):
            chosen = models.SetPayload(payload={"state": "active"}, points=list(part))
            operations.append(models.SetPayloadOperation(set_payload=chosen))
        if documents:
            stays = [*active, *but]
            others = scope_filter(
                self.scope, field_is_any("doc", list(documents)), without=[has_point_id(stays)] if stays else []
            )
            operations += self._build_removal(others, since)
        if documents and self.space.scheme.is_foreign:
            named = field_is_any(self.space.scheme.path_field, sorted(set(documents.values())))
            theirs = models.Filter(must=[named, OF_OTHERS])
            operations.append(models.DeleteOperation(delete=models.FilterSelector(filter=theirs)))
        if operations:
            await self._run_batch(operations)

    async def activate(self, ids: Sequence[str]) -> None:
        """Make staged points active, unless another process has retired them meanwhile."""
        for part in _split_batches(ids, MAX_IDS):
            chosen = models.SetPayload(
                payload={"state": "active"}, filter=scope_filter(self.scope, has_point_id(part), STAGED)
            )
            await self._run_batch([models.SetPayloadOperation(set_payload=chosen)])

    async def retire(self, ids: Sequence[str], *, since: float) -> None:
        """Empty points that no view to come will ask for."""
        for part in _split_batches(ids, MAX_IDS):
            await self._run_batch(self._build_removal(scope_filter(self.scope, has_point_id(part)), since))

    async def put_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Put vectors at every point of their keys."""
        for part in _split_batches(list(vectors), BATCH):
            async for page in self.scan_pages(scope_filter(self.scope, field_is_any("key", part)), fields=["key"]):
                given = [(record.id, vectors[points.read_payload_text(record, "key")].tolist()) for record in page]
                for some in _split_batches(given, self.client.url.batch):
                    await self._update_vectors(
                        [models.PointVectors(id=at, vector={self.space.dense: row}) for at, row in some]
                    )

    async def _update_vectors(self, given: list[models.PointVectors]) -> None:
        await self.call(lambda c: c.update_vectors(self.space.name, points=given, wait=True))

    async def erase(self, *conditions: models.Condition) -> None:
        """Delete points for good."""
        selector = models.FilterSelector(filter=scope_filter(self.scope, *conditions))
        await self.call(lambda c: c.delete(self.space.name, points_selector=selector, wait=True))

    async def erase_ids(self, ids: Sequence[str]) -> None:
        """Delete these points for good."""
        for part in _split_batches(ids, MAX_IDS):
            await self.erase(has_point_id(part))

    def _build_removal(self, others: models.Filter, since: float) -> list[models.UpdateOperation]:
        """What takes points out of service: retired, or gone at once where another program would still find them."""
        if self.space.scheme.is_foreign:
            return [models.DeleteOperation(delete=models.FilterSelector(filter=others))]
        return _build_retirement(others, since, self.space.sparse)

    async def count_others(self) -> int:
        """How many points of other collections of ours there are."""
        mine = models.Filter(
            must=[field_equals("tenant", self.scope.tenant), field_equals("collection", self.scope.collection)]
        )
        named = models.Filter(must_not=[mine, OF_OTHERS])
        found = await self.call(lambda c: c.count(self.space.name, count_filter=named, exact=True))
        return found.count

    async def _run_batch(self, operations: Sequence[models.UpdateOperation]) -> None:
        async def send_batch(client: AsyncQdrantClient) -> None:
            await client.batch_update_points(self.space.name, update_operations=list(operations), wait=True)

        await self.call(send_batch)


def is_sound(key: str, row: Vectors, dimension: int) -> bool:
    """Whether a vector is one of length 1 and of this dimension."""
    try:
        check_stored_vector(key, row, dimension)
    except StoreError:
        return False
    return bool(np.isfinite(row).all())


def _build_retirement(others: models.Filter, since: float, sparse: str | None) -> list[models.UpdateOperation]:
    """What empties points: their state first, so that a batch that ends half-way is known by it."""
    fresh = models.Filter(must=others.must, must_not=[*_as_list(others.must_not), RETIRED])
    state = models.SetPayload(payload={"state": "retired", "since": since}, filter=fresh)
    emptied = models.DeletePayload(keys=points.CLEARED_FIELDS, filter=others)
    words = models.DeleteVectors(vector=[sparse or ""], filter=others)
    return [
        models.SetPayloadOperation(set_payload=state),
        models.DeletePayloadOperation(delete_payload=emptied),
        *([models.DeleteVectorsOperation(delete_vectors=words)] if sparse else []),
    ]


def _split_batches(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _as_list(conditions: object) -> list[models.Condition]:
    return list(conditions) if isinstance(conditions, list) else []
