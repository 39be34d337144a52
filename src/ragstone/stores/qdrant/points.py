"""A chunk as a point: its id, its vectors, its payload; and the filters that name points of one collection.

A point is `staged` (written, not yet switched to), `active`, or `retired`: emptied but for its vector and what
addresses it, so that views opened before still find it and a text that comes back is not embedded again. `since` is
when it was written or retired; for a revision whose date lies ahead, that date.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from qdrant_client import models

from ragstone.core.filters import RESTRICTED
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores import bm25
from ragstone.stores.qdrant.space import Space

PointState = Literal["staged", "active", "retired"]
AVERAGE_LENGTH = 120  # terms of a chunk: fixed, since a point's weights must not depend on its neighbours
FILTER_FIELDS = ("category", "tags", "project", "doc_type", "confidentiality")
TICK = 1e-6  # seconds: what a float of today's time can still tell apart
# What a retired point loses; it keeps tenant, collection, doc, revision, chunk, key, state and since.
FOREIGN_FIELDS = ["source", "section", "chunk_index", "header", "window_text", "file_path", "line_start", "source_sha"]
CLEARED_FIELDS = [
    "origin",
    "path",
    "sha",
    "ordinal",
    "title",
    "heading",
    "text",
    "restricted",
    *FILTER_FIELDS,
    *FOREIGN_FIELDS,
]


def make_point(
    space: Space, scope: Scope, chunk: Chunk, vector: Vectors | None, *, state: PointState, since: float
) -> models.PointStruct:
    """The point of a chunk; without a dense vector where there is none yet."""
    vectors: dict[str, Any] = {}
    if space.sparse is not None:
        vectors[space.sparse] = encode_sparse(chunk)
    if vector is not None:
        vectors[space.dense] = vector.tolist()
    payload = build_payload(scope, chunk, state=state, since=since) | replace_surrogates(
        dict(space.scheme.build_payload(chunk))
    )
    return models.PointStruct(id=space.scheme.point_id(chunk), vector=vectors, payload=payload)


def make_points(
    space: Space,
    scope: Scope,
    chunks: Iterable[Chunk],
    known: Mapping[str, Vectors],
    *,
    state: PointState,
    since: float,
) -> list[models.PointStruct]:
    """The points of chunks with the vectors that are known; each a moment after the one before, which is the order
    in which vectors are wanted."""
    return [
        make_point(space, scope, chunk, known.get(chunk.vector_key), state=state, since=since + number * TICK)
        for number, chunk in enumerate(chunks)
    ]


def build_payload(scope: Scope, chunk: Chunk, *, state: PointState, since: float) -> dict[str, Any]:
    """The payload beside the vectors: the address, the facts for filters, the text."""
    document = chunk.document
    payload: dict[str, Any] = {
        "tenant": scope.tenant,
        "collection": scope.collection,
        "doc": document.id,
        "revision": document.revision,
        "chunk": chunk.id,
        "key": chunk.vector_key,
        "state": state,
        "since": since,
        "origin": document.source,
        "path": document.path,
        "sha": document.version,
        "ordinal": chunk.ordinal,
        "title": document.title,
        "heading": list(chunk.heading_path),
        "text": chunk.text,
        "restricted": RESTRICTED in confidentiality_levels(document),
    }
    payload |= {name: as_texts(document.meta.get(name)) for name in FILTER_FIELDS}
    payload["confidentiality"] = confidentiality_levels(document)
    found: dict[str, Any] = replace_surrogates(payload)
    return found


def as_texts(value: Any) -> list[str]:
    """The elements of a fact as texts, as `where` compares them."""
    if value is None:
        return []
    return [str(element) for element in (value if isinstance(value, list | tuple) else [value])]


def confidentiality_levels(document: Document) -> list[str]:
    """A document's confidentiality in lower case."""
    return [level.lower() for level in as_texts(document.meta.get("confidentiality"))]


def replace_surrogates(value: Any) -> Any:
    """The value with lone surrogates replaced: no message can carry them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [replace_surrogates(element) for element in value]
    if isinstance(value, dict):
        return {key: replace_surrogates(element) for key, element in value.items()}
    return value


# Sparse vectors: only the order within Qdrant's own fusion depends on them


def encode_sparse(chunk: Chunk) -> models.SparseVector:
    """BM25's weight of each term without its rarity, which Qdrant multiplies in (modifier IDF)."""
    counts, length = bm25.term_frequencies(chunk)
    norms = bm25.length_norms(np.full(len(counts), length), AVERAGE_LENGTH)
    weights = bm25.term_weights(np.array(list(counts.values())), norms, weight=1.0)
    return _build_sparse(counts, weights.tolist())


def encode_sparse_query(query: str) -> models.SparseVector:
    """The terms of a question with what their repeats count; Qdrant's IDF makes the rare ones count."""
    terms = bm25.query_terms(query)
    return _build_sparse(terms, list(terms.values()))


def _build_sparse(terms: Iterable[str], weights: Sequence[float]) -> models.SparseVector:
    summed: dict[int, float] = {}
    for term, weight in zip(terms, weights, strict=True):
        at = zlib.crc32(term.encode("utf-8", "replace"))
        summed[at] = summed.get(at, 0.0) + weight
    return models.SparseVector(indices=list(summed), values=list(summed.values()))


def read_dense_vector(vector: Any, name: str) -> Vectors | None:
    """The dense vector of a point as float32, None where it has none."""
    dense = vector.get(name) if isinstance(vector, Mapping) else vector if name == "" else None
    return None if dense is None else np.asarray(dense, dtype=np.float32)


def read_payload_text(record: models.Record | models.ScoredPoint, field: str) -> str:
    """A text of a point's payload, empty where it has none."""
    value = (record.payload or {}).get(field)
    return value if isinstance(value, str) else ""


# Filters that name points


def scope_filter(scope: Scope, *more: models.Condition, without: Sequence[models.Condition] = ()) -> models.Filter:
    """The points of a collection, fewer by further conditions."""
    return models.Filter(
        must=[field_equals("tenant", scope.tenant), field_equals("collection", scope.collection), *more],
        must_not=list(without) or None,
    )


def field_equals(field: str, value: str | bool) -> models.FieldCondition:
    """Points whose field has this value."""
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def field_is_any(field: str, values: Iterable[str]) -> models.FieldCondition:
    """Points whose field has one of these values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def field_before(field: str, moment: float) -> models.FieldCondition:
    """Points whose field is less, as a time in seconds since 1970."""
    return models.FieldCondition(key=field, range=models.Range(lt=moment))


def field_after(field: str, moment: float) -> models.FieldCondition:
    """Points whose field is greater, as a time in seconds since 1970."""
    return models.FieldCondition(key=field, range=models.Range(gt=moment))


def has_point_id(ids: Iterable[str]) -> models.HasIdCondition:
    """Points with one of these ids."""
    return models.HasIdCondition(has_id=list(ids))


RETIRED = field_equals("state", "retired")
ACTIVE = field_equals("state", "active")
STAGED = field_equals("state", "staged")
