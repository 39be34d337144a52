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

State = Literal["staged", "active", "retired"]
AVERAGE = 120  # terms of a chunk: fixed, since a point's weights must not depend on its neighbours
ABOUT = ("category", "tags", "project", "doc_type", "confidentiality")
TICK = 1e-6  # seconds: what a float of today's time can still tell apart
# What a retired point loses; it keeps tenant, collection, doc, revision, chunk, key, state and since.
FOREIGN = ["source", "section", "chunk_index", "header", "window_text", "file_path", "line_start", "source_sha"]
EMPTIED = ["origin", "path", "sha", "ordinal", "title", "heading", "text", "restricted", *ABOUT, *FOREIGN]


def point_of(
    space: Space, scope: Scope, chunk: Chunk, vector: Vectors | None, *, state: State, since: float
) -> models.PointStruct:
    """The point of a chunk; without a dense vector where there is none yet."""
    vectors: dict[str, Any] = {}
    if space.sparse is not None:
        vectors[space.sparse] = sparse_of(chunk)
    if vector is not None:
        vectors[space.dense] = vector.tolist()
    payload = payload_of(scope, chunk, state=state, since=since) | printable(dict(space.scheme.payload(chunk)))
    return models.PointStruct(id=space.scheme.point_id(chunk), vector=vectors, payload=payload)


def points_of(
    space: Space, scope: Scope, chunks: Iterable[Chunk], known: Mapping[str, Vectors], *, state: State, since: float
) -> list[models.PointStruct]:
    """The points of chunks with the vectors that are known; each a moment after the one before, which is the order
    in which vectors are wanted."""
    return [
        point_of(space, scope, chunk, known.get(chunk.vector_key), state=state, since=since + number * TICK)
        for number, chunk in enumerate(chunks)
    ]


def payload_of(scope: Scope, chunk: Chunk, *, state: State, since: float) -> dict[str, Any]:
    """What stands beside the vectors: the address, what filters narrow by, the text."""
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
        "restricted": RESTRICTED in levels(document),
    }
    payload |= {name: texts(document.meta.get(name)) for name in ABOUT}
    payload["confidentiality"] = levels(document)
    found: dict[str, Any] = printable(payload)
    return found


def texts(value: Any) -> list[str]:
    """The elements of a fact as texts, as `where` compares them."""
    if value is None:
        return []
    return [str(element) for element in (value if isinstance(value, list | tuple) else [value])]


def levels(document: Document) -> list[str]:
    """A document's confidentiality in lower case."""
    return [level.lower() for level in texts(document.meta.get("confidentiality"))]


def printable(value: Any) -> Any:
    """The value with lone surrogates replaced: no message can carry them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [printable(element) for element in value]
    if isinstance(value, dict):
        return {key: printable(element) for key, element in value.items()}
    return value


# Sparse vectors: only the order within Qdrant's own fusion depends on them


def sparse_of(chunk: Chunk) -> models.SparseVector:
    """BM25's weight of each term without its rarity, which Qdrant multiplies in (modifier IDF)."""
    counts, length = bm25.frequencies(chunk)
    lengths = np.full(len(counts), length)
    weights = bm25.weight(np.array(list(counts.values())), lengths, idf=1.0, average=AVERAGE)
    return _sparse(counts, weights.tolist())


def sparse_query(query: str) -> models.SparseVector:
    """The terms of a question, each once; Qdrant's IDF makes the rare ones count."""
    terms = bm25.query_terms(query)
    return _sparse(terms, [1.0] * len(terms))


def _sparse(terms: Iterable[str], weights: Sequence[float]) -> models.SparseVector:
    summed: dict[int, float] = {}
    for term, weight in zip(terms, weights, strict=True):
        at = zlib.crc32(term.encode("utf-8", "replace"))
        summed[at] = summed.get(at, 0.0) + weight
    return models.SparseVector(indices=list(summed), values=list(summed.values()))


def row_of(vector: Any, name: str) -> Vectors | None:
    """The dense vector of a point as float32, None where it has none."""
    dense = vector.get(name) if isinstance(vector, Mapping) else vector if name == "" else None
    return None if dense is None else np.asarray(dense, dtype=np.float32)


def said(record: models.Record | models.ScoredPoint, field: str) -> str:
    """A text of a point's payload, empty where it has none."""
    value = (record.payload or {}).get(field)
    return value if isinstance(value, str) else ""


# Filters that name points


def ours(scope: Scope, *more: models.Condition, without: Sequence[models.Condition] = ()) -> models.Filter:
    """The points of a collection, fewer by further conditions."""
    return models.Filter(
        must=[is_("tenant", scope.tenant), is_("collection", scope.collection), *more], must_not=list(without) or None
    )


def is_(field: str, value: str | bool) -> models.FieldCondition:
    """Points whose field has this value."""
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def any_of(field: str, values: Iterable[str]) -> models.FieldCondition:
    """Points whose field has one of these values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def before(field: str, moment: float) -> models.FieldCondition:
    """Points whose field is less, as a time in seconds since 1970."""
    return models.FieldCondition(key=field, range=models.Range(lt=moment))


def after(field: str, moment: float) -> models.FieldCondition:
    """Points whose field is greater, as a time in seconds since 1970."""
    return models.FieldCondition(key=field, range=models.Range(gt=moment))


def among(ids: Iterable[str]) -> models.HasIdCondition:
    """Points with one of these ids."""
    return models.HasIdCondition(has_id=list(ids))


RETIRED = is_("state", "retired")
ACTIVE = is_("state", "active")
STAGED = is_("state", "staged")
