"""Qdrant's own engine (`qdrant-edge-py`), in process, with the verbs of the client that the recording server calls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import qdrant_edge as edge
from qdrant_client import models
from qdrant_client.local.local_collection import LocalCollection


def condition(one: Any) -> Any:
    """A condition of the client as one of the engine's; fails on what the store has never sent."""
    if isinstance(one, models.Filter):
        return filter_of(one)
    if isinstance(one, models.HasIdCondition):
        return edge.HasIdCondition(set(map(identity, one.has_id)))
    if isinstance(one, models.IsEmptyCondition):
        return edge.IsEmptyCondition(one.is_empty.key)
    if isinstance(one, models.HasVectorCondition):
        return edge.HasVectorCondition(one.has_vector)
    assert isinstance(one, models.FieldCondition)
    if one.range is not None:
        assert isinstance(one.range, models.Range)
        reach = edge.RangeFloat(gt=one.range.gt, lt=one.range.lt, gte=one.range.gte, lte=one.range.lte)
        return edge.FieldCondition(one.key, range=reach)
    if isinstance(one.match, models.MatchAny):
        return edge.FieldCondition(one.key, match=edge.MatchAny([str(value) for value in one.match.any]))
    assert isinstance(one.match, models.MatchValue)
    return edge.FieldCondition(one.key, match=edge.MatchValue(one.match.value))


def filter_of(one: models.Filter | None) -> Any:
    """A filter of the client as one of the engine's."""
    if one is None:
        return None

    def each(conditions: Any) -> Any:
        return None if conditions is None else [condition(part) for part in _listed(conditions)]

    return edge.Filter(must=each(one.must), should=each(one.should), must_not=each(one.must_not))


def _listed(conditions: Any) -> list[Any]:
    return conditions if isinstance(conditions, list) else [conditions]


def identity(one: Any) -> Any:
    """A point's id; the engine takes UUIDs as they are."""
    return one


def vector_of(one: Any) -> Any:
    """Vectors of the client as the engine's; a list is the one without a name."""
    if isinstance(one, list):
        return one
    return {name: _vector(value) for name, value in one.items()}


def _vector(value: Any) -> Any:
    return edge.SparseVector(value.indices, value.values) if isinstance(value, models.SparseVector) else value


def shown(vector: Any) -> Any:
    """Vectors of the engine as the client's."""
    if vector is None or isinstance(vector, list):
        return vector
    return {
        name: models.SparseVector(indices=value.indices, values=value.values)
        if isinstance(value, edge.SparseVector)
        else list(value)
        for name, value in vector.items()
    }


@dataclass(slots=True)
class Made:
    """One collection: the engine's shard and how it was made."""

    shard: Any
    vectors: models.VectorParams | Mapping[str, models.VectorParams]
    sparse: Mapping[str, models.SparseVectorParams]


class Engine:
    """Collections in a folder, a shard each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Made] = {}

    def collection_exists(self, name: str) -> bool:
        return name in self._made

    def get_collections(self) -> models.CollectionsResponse:
        return models.CollectionsResponse(collections=[models.CollectionDescription(name=name) for name in self._made])

    def create_collection(
        self,
        name: str,
        vectors_config: models.VectorParams | Mapping[str, models.VectorParams],
        sparse_vectors_config: Mapping[str, models.SparseVectorParams],
    ) -> None:
        named = {"": vectors_config} if isinstance(vectors_config, models.VectorParams) else vectors_config
        config = edge.EdgeConfig(
            vectors={
                key: edge.EdgeVectorParams(size=params.size, distance=edge.Distance.Cosine)
                for key, params in named.items()
            },
            sparse_vectors={
                key: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf) for key in sparse_vectors_config
            },
        )
        folder = self._folder / str(len(self._made))
        folder.mkdir(parents=True)
        self._made[name] = Made(edge.EdgeShard.create(str(folder), config), vectors_config, sparse_vectors_config)

    def get_collection(self, name: str) -> models.CollectionInfo:
        made = self._of(name)
        vectors = made.vectors if isinstance(made.vectors, models.VectorParams) else dict(made.vectors)
        like = LocalCollection(models.CreateCollection(vectors=vectors, sparse_vectors=dict(made.sparse)), None)
        return like.info()

    def create_payload_index(self, name: str, field: str, schema: Any) -> None:
        kinds: dict[type, Callable[[], Any]] = {
            models.KeywordIndexParams: lambda: edge.KeywordIndexParams(
                is_tenant=schema.is_tenant, enable_hnsw=schema.enable_hnsw
            ),
            models.BoolIndexParams: lambda: edge.BoolIndexParams(enable_hnsw=schema.enable_hnsw),
            models.FloatIndexParams: lambda: edge.FloatIndexParams(enable_hnsw=schema.enable_hnsw),
            models.TextIndexParams: lambda: edge.TextIndexParams(
                tokenizer=edge.TokenizerType.Word, lowercase=schema.lowercase, enable_hnsw=schema.enable_hnsw
            ),
        }
        self._update(name, edge.UpdateOperation.create_field_index(field, kinds[type(schema)]()))

    def upsert(self, name: str, points: Sequence[models.PointStruct]) -> None:
        made = [edge.Point(identity(one.id), vector_of(one.vector), one.payload) for one in points]
        self._update(name, edge.UpdateOperation.upsert_points(made))

    def update_vectors(self, name: str, points: Sequence[models.PointVectors]) -> None:
        made = [edge.PointVectors(identity(one.id), vector_of(one.vector)) for one in points]
        self._update(name, edge.UpdateOperation.update_vectors(made))

    def delete(self, name: str, selector: models.FilterSelector) -> None:
        self._update(name, edge.UpdateOperation.delete_points_by_filter(filter_of(selector.filter)))

    def batch_update_points(self, name: str, operations: Iterable[Any]) -> None:
        for operation in operations:
            self._update(name, _operation(operation))

    def scroll(
        self,
        name: str,
        *,
        scroll_filter: models.Filter | None,
        limit: int,
        offset: Any,
        order_by: models.OrderBy | None,
        with_payload: Any,
        with_vectors: Any,
    ) -> tuple[list[models.Record], Any]:
        start = None if order_by is None or order_by.start_from is None else float(str(order_by.start_from))
        order = None if order_by is None else edge.OrderBy(order_by.key, start_from=start)
        records, following = self._of(name).shard.scroll(
            edge.ScrollRequest(
                offset=offset,
                limit=limit,
                filter=filter_of(scroll_filter),
                with_payload=_wanted(with_payload),
                with_vector=_wanted(with_vectors),
                order_by=order,
            )
        )
        return [_record(one) for one in records], None if following is None else str(following)

    def retrieve(self, name: str, ids: Sequence[Any], with_payload: Any, with_vectors: Any) -> list[models.Record]:
        found = self._of(name).shard.retrieve(
            [identity(one) for one in ids], with_payload=_wanted(with_payload), with_vector=_wanted(with_vectors)
        )
        return [_record(one) for one in found]

    def count(self, name: str, count_filter: models.Filter | None) -> models.CountResult:
        found = self._of(name).shard.count(edge.CountRequest(exact=True, filter=filter_of(count_filter)))
        return models.CountResult(count=found)

    def query_points(
        self,
        name: str,
        *,
        prefetch: Sequence[models.Prefetch] | None,
        query: Any,
        using: str | None,
        query_filter: models.Filter | None,
        limit: int,
        with_payload: Any,
        with_vectors: Any,
        search_params: models.SearchParams | None = None,
    ) -> Any:
        legs = [
            edge.Prefetch(
                limit=leg.limit or 10,
                query=_query(leg.query, leg.using),
                filter=filter_of(leg.filter),
                params=_params(leg.params),
            )
            for leg in prefetch or ()
        ]
        request = edge.QueryRequest(
            limit=limit,
            query=_query(query, using),
            prefetches=legs or None,
            filter=filter_of(query_filter),
            with_payload=_wanted(with_payload),
            with_vector=_wanted(with_vectors),
            params=_params(search_params),
        )
        found = self._of(name).shard.query(request)
        points = [
            models.ScoredPoint(
                id=str(one.id), version=one.version, score=one.score, payload=one.payload, vector=shown(one.vector)
            )
            for one in found
        ]
        return SimpleNamespace(points=points)

    def optimize(self) -> None:
        """Build the indexes that a server builds by itself in the background."""
        for made in self._made.values():
            made.shard.optimize()

    def close(self) -> None:
        for made in self._made.values():
            made.shard.close()

    def _of(self, name: str) -> Made:
        if name not in self._made:
            raise ValueError(f"Collection {name} not found")
        return self._made[name]

    def _update(self, name: str, operation: Any) -> None:
        self._of(name).shard.update(operation)


def _wanted(what: Any) -> Any:
    return list(what) if isinstance(what, list) or not isinstance(what, bool) else what


def _record(one: Any) -> models.Record:
    return models.Record(id=str(one.id), payload=one.payload or {}, vector=shown(one.vector))


def _params(params: models.SearchParams | None) -> Any:
    if params is None:
        return None
    if params.idf is None:
        return edge.SearchParams(exact=bool(params.exact))
    assert isinstance(params.idf, models.IdfCorpusParams)
    return edge.SearchParams(exact=bool(params.exact), idf=edge.IdfParams(corpus=filter_of(params.idf.corpus)))


def _query(query: Any, using: str | None) -> Any:
    if isinstance(query, models.RrfQuery):
        return edge.Fusion.Rrf(k=query.rrf.k or 2, weights=query.rrf.weights)
    nearest = query.nearest if isinstance(query, models.NearestQuery) else query
    return edge.Query.Nearest(_vector(nearest), using=using)


def _operation(operation: Any) -> Any:
    """An operation of a batch, by ids or by filter."""
    made = edge.UpdateOperation
    if isinstance(operation, models.SetPayloadOperation):
        given = operation.set_payload
        if given.points is not None:
            return made.set_payload([identity(one) for one in given.points], given.payload)
        return made.set_payload_by_filter(filter_of(given.filter), given.payload)
    if isinstance(operation, models.DeletePayloadOperation):
        return made.delete_payload_by_filter(filter_of(operation.delete_payload.filter), operation.delete_payload.keys)
    if isinstance(operation, models.DeleteOperation):
        assert isinstance(operation.delete, models.FilterSelector)
        return made.delete_points_by_filter(filter_of(operation.delete.filter))
    assert isinstance(operation, models.DeleteVectorsOperation)
    vectors = operation.delete_vectors
    return made.delete_vectors_by_filter(filter_of(vectors.filter), list(vectors.vector))
