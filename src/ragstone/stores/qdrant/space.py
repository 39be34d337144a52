"""A collection in Qdrant: its name, its vectors, its indexes. One serves all tenants that use the same model."""

import hashlib
from dataclasses import dataclass, replace

from qdrant_client import models

from ragstone.core.errors import UsageError
from ragstone.core.records import Info
from ragstone.stores.qdrant.client import QdrantConnection
from ragstone.stores.qdrant.scheme import OWN_SCHEME, Scheme
from ragstone.stores.qdrant.url import QdrantUrl

DENSE, SPARSE = "dense", "sparse"
KEYWORD_FIELDS = ("collection", "doc", "origin", "path", "sha", "key", "chunk", "state", "heading")
IndexParams = models.KeywordIndexParams | models.BoolIndexParams | models.FloatIndexParams | models.TextIndexParams
OWN_PREFIX = "ragstone-"  # how the names of collections begin that the URL does not name
LIST_FIELDS = ("category", "tags", "project", "doc_type", "confidentiality")


@dataclass(frozen=True, slots=True)
class Space:
    """The collection's name, how many numbers its dense vectors have, what its vectors are called ("" for the one
    without a name; no `sparse` where there are none) and its points."""

    name: str
    dimension: int
    scheme: Scheme = OWN_SCHEME
    dense: str = DENSE
    sparse: str | None = SPARSE

    @property
    def with_dense(self) -> bool | list[str]:
        """The query parameter for the dense vectors."""
        return [self.dense] if self.dense else True

    @property
    def has_dense(self) -> models.HasVectorCondition:
        """Points with a dense vector."""
        return models.HasVectorCondition(has_vector=self.dense)


def resolve_space(url: QdrantUrl, info: Info) -> Space | None:
    """Where the points of a collection of ours are; None while it has no embedding model."""
    if info.dimension is None:
        return None
    digest = hashlib.sha256(f"{info.model}\n{info.variant}".encode()).hexdigest()[:8]
    name = url.collection or f"{OWN_PREFIX}{info.dimension}-{digest}"
    if not url.scheme.is_foreign:
        return Space(name, info.dimension)
    return Space(name, info.dimension, url.scheme, dense="", sparse=SPARSE if url.scheme.ids == "uuid5" else None)


async def ensure_space(client: QdrantConnection, space: Space) -> Space:
    """Make the collection and its indexes, or check that it holds such vectors; what it is like then.

    Raises `UsageError` when it was made for others.
    """
    if not await client.call(lambda c: c.collection_exists(space.name)):
        await _create_collection(client, space)
    info = await client.call(lambda c: c.get_collection(space.name))
    found = _check_space(client, space, info.config.params)
    if not client.is_local:
        await _create_indexes(client, space, set(info.payload_schema))
    return found


async def _create_collection(client: QdrantConnection, space: Space) -> None:
    url = client.url
    dense = models.VectorParams(size=space.dimension, distance=models.Distance.COSINE)
    sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
    try:
        await client.call(
            lambda c: c.create_collection(
                space.name,
                vectors_config={space.dense: dense} if space.dense else dense,
                sparse_vectors_config={space.sparse: sparse} if space.sparse else None,
                shard_number=url.shards,
                replication_factor=url.replicas,
                write_consistency_factor=url.write_consistency,
            )
        )
    except Exception:
        if not await client.call(lambda c: c.collection_exists(space.name)):
            raise  # else another process was quicker


async def _create_indexes(client: QdrantConnection, space: Space, there: set[str]) -> None:
    """Payload indexes that are not there. Links of the HNSW graph by payload stay off: they made a build several times
    slower."""
    keyword = models.KeywordIndexType.KEYWORD
    schemas: dict[str, IndexParams] = {
        name: models.KeywordIndexParams(type=keyword, enable_hnsw=False) for name in (*KEYWORD_FIELDS, *LIST_FIELDS)
    }
    schemas["tenant"] = models.KeywordIndexParams(type=keyword, is_tenant=True)
    schemas["restricted"] = models.BoolIndexParams(type=models.BoolIndexType.BOOL, enable_hnsw=False)
    schemas["since"] = models.FloatIndexParams(type=models.FloatIndexType.FLOAT, enable_hnsw=False)
    schemas["text"] = models.TextIndexParams(
        type=models.TextIndexType.TEXT, tokenizer=models.TokenizerType.WORD, lowercase=True, enable_hnsw=False
    )
    for name, schema in schemas.items():
        if name not in there:
            await _create_index(client, space, name, schema)


async def _create_index(client: QdrantConnection, space: Space, name: str, schema: IndexParams) -> None:
    await client.call(lambda c: c.create_payload_index(space.name, name, schema, wait=True))


def _check_space(client: QdrantConnection, space: Space, params: models.CollectionParams) -> Space:
    """The space with the names of its vectors, which a collection that others made may call otherwise."""
    vectors = params.vectors if isinstance(params.vectors, dict) else {"": params.vectors}
    sparse = list(params.sparse_vectors or {})
    found = space
    if space.scheme.is_foreign:
        dense_name = "" if "" in vectors else next(iter(vectors), "")
        sparse_name = SPARSE if SPARSE in sparse else next(iter(sparse), None)
        found = replace(space, dense=dense_name, sparse=sparse_name)
    dense = vectors.get(found.dense)
    where = f"{client.url.shown}: the collection {space.name!r} in Qdrant"
    if dense is None or (found.sparse is not None and found.sparse not in sparse):
        raise UsageError(f"{where} lacks the vectors {DENSE!r} or {SPARSE!r}; name another by collection= in the URL")
    if dense.size != space.dimension or dense.distance != models.Distance.COSINE:
        raise UsageError(
            f"{where} holds vectors of {dense.size} dimensions ({dense.distance.value}); this model's have "
            f"{space.dimension} (Cosine): name another by collection= in the URL"
        )
    return found


async def erase_tenant(client: QdrantConnection, tenant: str) -> int:
    """Delete all points of a tenant, in every collection that is ours; how many there were."""
    held = await client.call(lambda c: c.get_collections())
    named = client.url.collection
    names = [
        one.name for one in held.collections if one.name == named or (not named and one.name.startswith(OWN_PREFIX))
    ]
    own = models.Filter(must=[models.FieldCondition(key="tenant", match=models.MatchValue(value=tenant))])
    return sum([await _erase_points(client, name, own) for name in names])


async def _erase_points(client: QdrantConnection, name: str, own: models.Filter) -> int:
    count = (await client.call(lambda c: c.count(name, count_filter=own, exact=True))).count
    selector = models.FilterSelector(filter=own)
    await client.call(lambda c: c.delete(name, points_selector=selector, wait=True))
    return count
