"""Collections, documents and chunks as rows of PostgreSQL, and back.

A chunk's `text` column is for everybody's SQL; where PostgreSQL cannot hold the text (it has a NUL), `body` has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from ragstone.core.errors import StoreError
from ragstone.core.types import Chunk, Document, Secret, Span
from ragstone.stores.encoding import ChunkFacts, decode_document, decode_value, encode_value

COLLECTION_COLUMNS = """collection_id, tenant_id, name, embedding_model, embedding_variant, embedding_dim,
    generation, chunks, terms, pending, documents, coalesce(embedding_label, embedding_model), second_model,
    second_variant, second_dim, second_label, second_was_active, built_at, written_model, written_variant,
    written_dim"""
# With `chunks c` and `document_versions v`: what `decode_chunk` reads.
CHUNK_COLUMNS = "c.chunk_id, c.ordinal, c.vector_key, c.text, c.body, v.facts"
KEY_BYTES = 32  # a sha256
NUL_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """The row of a collection as one transaction saw it; `terms` counts those of its active chunks, `pending` the
    active chunks whose vector is missing, `built_at` is ISO 8601 in UTC. Vectors are found by their model's `label`;
    `second` is model, variant, dimension and label of the one beside, None where there is none; `written` is model,
    variant and dimension of the vectors of summaries and questions."""

    collection_id: int
    tenant: str
    name: str
    model: str | None
    variant: str | None
    dimension: int | None
    generation: int
    chunks: int
    terms: int
    pending: int
    documents: int
    label: str | None
    second: tuple[str | None, str | None, int | None, str | None]
    second_was_active: bool
    built_at: str | None
    written: tuple[str, str | None, int] | None = None

    @property
    def model_identity(self) -> tuple[str | None, str | None, int | None]:
        """The model and variant of the vectors."""
        return self.model, self.variant, self.dimension


@dataclass(frozen=True, slots=True)
class ChunkBody:
    """The parts of a chunk that no other column has exactly. `text` only where the column cannot hold it."""

    own: ChunkFacts
    spans: tuple[Span, ...]
    embedded_tokens: int
    overlap: int
    header: str
    metadata: dict[str, Any]
    secrets: tuple[Secret, ...] = ()
    text: str | None = None


_body_decoder = msgspec.json.Decoder(ChunkBody)


def decode_collection(row: Sequence[Any]) -> CollectionRow:
    """A collection from `COLLECTION_COLUMNS`."""
    plain: list[Any]
    *plain, second_model, second_variant, second_dim, second_label, was_active, built_at, model, variant, size = row
    second = (second_model, second_variant, second_dim, second_label)
    written = None if model is None else (model, variant, size)
    return CollectionRow(*[*plain, second, was_active, format_moment(built_at), written])


def format_moment(at: datetime | None) -> str | None:
    """A time of the database as text."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="seconds")


def encode_vector_key(key: str, *, place: str) -> bytes:
    """The address of a vector as it is kept; raises `StoreError` for an invalid sha256; an empty key is allowed."""
    try:
        data = bytes.fromhex(key)
    except ValueError:
        data = None
    if data is None or len(data) not in (0, KEY_BYTES) or data.hex() != key:
        raise StoreError(f"{place}: vector key {key!r:.80} is not a sha256 in hexadecimal")
    return data


def replace_nul(text: str) -> str:
    """A text as PostgreSQL can hold it."""
    return text.replace("\0", NUL_REPLACEMENT)


def encode_body(chunk: Chunk) -> bytes:
    """The column `body` of a chunk; raises `StoreError` for what JSON cannot carry."""
    own = ChunkFacts(chunk.kind, chunk.tokens, chunk.risk_score, chunk.flags, chunk.heading_path)
    rest = ChunkBody(
        own,
        chunk.spans,
        chunk.embedded_tokens,
        chunk.overlap,
        chunk.header,
        dict(chunk.metadata),
        chunk.secrets,
        chunk.text if "\0" in chunk.text else None,
    )
    return encode_value(rest, place=f"{chunk.document.path}#{chunk.ordinal}")


def decode_chunk(row: Sequence[Any], documents: dict[bytes, Document] | None = None) -> Chunk:
    """A chunk from `CHUNK_COLUMNS`; `documents` lets chunks of one document share it."""
    identity, ordinal, key, text, body, facts = row
    known = {} if documents is None else documents
    facts = bytes(facts)
    if facts not in known:
        known[facts] = decode_document(facts)
    rest = decode_value(_body_decoder, bytes(body))
    return Chunk(
        identity,
        known[facts],
        ordinal,
        text if rest.text is None else rest.text,
        rest.spans,
        heading_path=rest.own.heading_path,
        kind=rest.own.kind,
        tokens=rest.own.tokens,
        embedded_tokens=rest.embedded_tokens,
        overlap=rest.overlap,
        header=rest.header,
        vector_key=bytes(key).hex(),
        flags=rest.own.flags,
        risk_score=rest.own.risk_score,
        metadata=rest.metadata,
        secrets=rest.secrets,
    )
