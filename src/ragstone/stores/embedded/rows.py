"""Documents, chunks and runs as rows, and back."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import google_crc32c
import msgspec

from ragstone.errors import Corrupt, StoreError
from ragstone.layout import Layout
from ragstone.types import Chunk, Document, Run, Secret, Span
from ragstone.where import Facts

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """What a filter can ask about a chunk beside its document."""

    kind: str
    tokens: int
    risk_score: float
    flags: tuple[str, ...]
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkBody:
    """The rest of a chunk."""

    text: str
    spans: tuple[Span, ...]
    embedded_tokens: int
    overlap: int
    header: str
    metadata: Mapping[str, Any]
    secrets: tuple[Secret, ...] = ()


_document = msgspec.json.Decoder(Document)
_facts = msgspec.json.Decoder(ChunkFacts)
_by_name = msgspec.json.Decoder(dict[str, Any])
_body = msgspec.json.Decoder(ChunkBody)
_run = msgspec.json.Decoder(Run)

CHUNK_COLUMNS = "c.id, c.ordinal, c.vector_key, c.facts, c.body, r.facts"
ACTIVE_CHUNKS = "chunks c JOIN revisions r ON r.key = c.rev AND r.status = 'active'"


def packed(value: Document | ChunkFacts | ChunkBody | Run, *, place: str) -> bytes:
    """A value as JSON; raises `StoreError` naming `place` when it holds what JSON cannot carry."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"{place!r} holds something that cannot be stored: {error}") from error


def document_of(facts: bytes) -> Document:
    """A document from its row."""
    return _unpacked(_document, facts)


def asked_of(document: Document, ordinal: int, facts: bytes) -> Facts:
    """What filters ask about, from a chunk's row: its keys are the names of `ChunkFacts`.

    Quicker than `where.facts` of a whole chunk, 5.2 µs for 8.2 with the matching; a test holds them together.
    """
    own = _unpacked(_by_name, facts)
    own["ordinal"], own["heading"] = ordinal, own.get("heading_path", ())
    return Facts(document, own["heading"], own)


def run_of(data: bytes) -> Run:
    """A run from its row."""
    return _unpacked(_run, data)


def _unpacked(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Corrupt(f"a row of the store cannot be read ({error}); run: ragstone doctor") from error


def chunk_parts(chunk: Chunk) -> tuple[bytes, bytes]:
    """The columns `facts` and `body` of a chunk."""
    facts = ChunkFacts(chunk.kind, chunk.tokens, chunk.risk_score, chunk.flags, chunk.heading_path)
    body = ChunkBody(
        chunk.text, chunk.spans, chunk.embedded_tokens, chunk.overlap, chunk.header, chunk.metadata, chunk.secrets
    )
    place = f"{chunk.document.path}#{chunk.ordinal}"
    return packed(facts, place=place), packed(body, place=place)


def chunk_of(row: tuple[Any, ...], documents: dict[bytes, Document] | None = None) -> Chunk:
    """A chunk from `CHUNK_COLUMNS`; `documents` lets chunks of one document share it."""
    identity, ordinal, vector_key, facts_data, body_data, document_data = row
    known = {} if documents is None else documents
    if document_data not in known:
        known[document_data] = document_of(document_data)
    facts, body = _unpacked(_facts, facts_data), _unpacked(_body, body_data)
    return Chunk(
        identity,
        known[document_data],
        ordinal,
        body.text,
        body.spans,
        heading_path=facts.heading_path,
        kind=facts.kind,
        tokens=facts.tokens,
        embedded_tokens=body.embedded_tokens,
        overlap=body.overlap,
        header=body.header,
        vector_key=vector_key,
        flags=facts.flags,
        risk_score=facts.risk_score,
        metadata=body.metadata,
        secrets=body.secrets,
    )


def record_packed(record: str, *, place: str) -> bytes:
    """A text of record as it is kept."""
    try:
        return zlib.compress(record.encode("utf-8"), 6)
    except UnicodeEncodeError as error:
        raise StoreError(f"the text of {place!r} is not valid Unicode: {error}") from error


def record_of(data: bytes) -> str:
    """A text of record from its row."""
    try:
        return zlib.decompress(data).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise Corrupt(f"a text of record cannot be read ({error}); run: ragstone doctor") from error


def layout_of(data: bytes, checksum: int, *, place: str) -> Layout:
    """A page layout from its row; raises `Corrupt` when it is not what was written."""
    if google_crc32c.value(data) != checksum:
        raise Corrupt(f"the page layout of {place} does not match its checksum; run: ragstone ingest --refresh")
    return Layout.unpack(data)
