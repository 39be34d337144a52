"""Plain data for JSON: collections, documents, chunks, pipelines; secrets masked."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypedDict

from ragstone import guard
from ragstone.answering.formats import document_json
from ragstone.answering.shapes import DocumentJson
from ragstone.core.json_shapes import SpanJson, span_json
from ragstone.core.records import Info
from ragstone.core.types import Chunk, Document, Json
from ragstone.engine.pipeline import PipelineInfo


class InfoJson(TypedDict):
    """One collection's state."""

    schema: int
    name: str
    tenant: str
    points: int
    documents: int
    dimension: int | None
    status: str
    provider: str
    index_version: int
    built_at: str | None
    embedding_model_id: str | None
    variant: str | None
    recipes: list[str]
    pending_vectors: int
    bytes: int
    warnings: list[str]


class FullDocumentJson(DocumentJson):
    """A document with everything that is known about it."""

    revision: int
    recipe: str
    media_type: str
    bytes: int
    meta: Mapping[str, Any]
    effective_at: str | None
    trimmed: bool
    notes: list[str]
    extracted_artifact_uri: str | None


class ChunkJson(TypedDict):
    """A chunk with everything that is stored with it."""

    schema: int
    id: str
    document: DocumentJson
    ordinal: int
    heading_path: list[str]
    kind: str
    text: str
    header: str
    spans: list[SpanJson]
    tokens: int
    embedded_tokens: int
    overlap: int
    flags: list[str]
    risk_score: float
    metadata: Mapping[str, Any]


def info_json(info: Info) -> InfoJson:
    """One collection's state as plain data (the names of an index's info)."""
    return {
        "schema": 1,
        "name": info.scope.collection,
        "tenant": info.scope.tenant,
        "points": info.chunks,
        "documents": info.documents,
        "dimension": info.dimension,
        "status": info.state,
        "provider": info.provider,
        "index_version": info.version,
        "built_at": info.built_at,
        "embedding_model_id": info.model,
        "variant": info.variant,
        "recipes": list(info.recipes),
        "pending_vectors": info.pending_vectors,
        "bytes": info.bytes,
        "warnings": list(info.warnings),
    }


def pipeline_json(info: PipelineInfo) -> Json:
    """A pipeline as its listing shows it."""
    return {"schema": 1, **asdict(info), "reads": list(info.reads), "notes": list(info.notes)}


def full_document_json(document: Document) -> FullDocumentJson:
    """A document with everything that is known about it, secrets in its title, metadata and notes masked."""
    from ragstone.ingestion.artifacts import ARTIFACT_KEY

    return {
        **document_json(document),
        "title": guard.mask_data(document.title),
        "revision": document.revision,
        "recipe": document.recipe,
        "media_type": document.media_type,
        "bytes": document.bytes,
        "meta": guard.mask_data(document.meta),
        "effective_at": document.effective_at,
        "trimmed": document.trimmed,
        "notes": guard.mask_data(document.notes),
        "extracted_artifact_uri": document.meta.get(ARTIFACT_KEY),
    }


def chunk_json(chunk: Chunk) -> ChunkJson:
    """A chunk with everything that is stored with it, its secrets masked."""
    chunk = guard.mask_chunk(chunk)
    return {
        "schema": 1,
        "id": chunk.id,
        "document": document_json(chunk.document),
        "ordinal": chunk.ordinal,
        "heading_path": list(chunk.heading_path),
        "kind": chunk.kind,
        "text": chunk.text,
        "header": chunk.header,
        "spans": [span_json(span) for span in chunk.spans],
        "tokens": chunk.tokens,
        "embedded_tokens": chunk.embedded_tokens,
        "overlap": chunk.overlap,
        "flags": list(chunk.flags),
        "risk_score": chunk.risk_score,
        "metadata": dict(chunk.metadata),
    }
