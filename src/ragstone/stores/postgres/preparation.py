"""A revision made ready to be written: what costs time is done before any lock is taken."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import google_crc32c
import msgspec

from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores import bm25
from ragstone.stores.encoding import decode_document, encode_record, encode_value
from ragstone.stores.postgres import filter_facts
from ragstone.stores.postgres.rows import NUL_REPLACEMENT, decode_chunk, encode_body, encode_vector_key, replace_nul
from ragstone.stores.revision_status import due_at

ESCAPED_NUL = re.compile(rb"\\\\|\\u0000")  # a backslash that stands for itself, or a NUL


@dataclass(frozen=True, slots=True)
class ActiveChunk:
    """The columns of one chunk that questions read, and its words."""

    chunk_key: int
    chunk: Chunk
    key: bytes
    facts: bytes
    frequencies: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class WrittenChunk:
    """One chunk as its row holds it."""

    chunk: Chunk
    key: bytes
    text: str
    headings: bytes
    metadata: bytes
    body: bytes
    facts: bytes
    frequencies: Mapping[str, int]
    length: int

    def make_active(self, chunk_key: int) -> ActiveChunk:
        return ActiveChunk(chunk_key, self.chunk, self.key, self.facts, self.frequencies, self.length)


@dataclass(frozen=True, slots=True)
class PreparedRevision:
    """A revision as its rows hold it; its chunks by ordinal."""

    document: Document
    facts: bytes
    due: float | None
    record: bytes
    layout: bytes | None
    chunks: tuple[WrittenChunk, ...]
    checksum: int


def prepare_revision(revision: Revision) -> PreparedRevision:
    """Count terms, compress, encode; raises `UsageError` or `StoreError` for what cannot be stored."""
    document = revision.document
    own = encode_value(document, place=document.path)
    record = encode_record(revision.record, place=document.path)
    layout = revision.layout.pack() if revision.layout is not None else None
    back = decode_document(own)
    chunks = tuple(
        _prepare_chunk(chunk, back, own) for chunk in sorted(revision.chunks, key=lambda chunk: chunk.ordinal)
    )
    proof = compute_checksum(
        back, own, record, layout, ((c.chunk.id, c.chunk.ordinal, c.key, c.text, c.body) for c in chunks)
    )
    return PreparedRevision(back, own, due_at(document), record, layout, chunks, proof)


def _prepare_chunk(chunk: Chunk, document: Document, own: bytes) -> WrittenChunk:
    key = encode_vector_key(chunk.vector_key, place=f"{document.path}#{chunk.ordinal}")
    text, body = replace_nul(chunk.text), encode_body(chunk)
    back = decode_chunk((chunk.id, chunk.ordinal, key, text, body, own), {own: document})
    return WrittenChunk(
        back,
        key,
        text,
        _encode_jsonb(list(back.heading_path)),
        _encode_jsonb(back.metadata),
        body,
        encode_chunk_facts(back),
        *bm25.term_frequencies(back),
    )


def _encode_jsonb(value: object) -> bytes:
    """JSON that jsonb takes: a NUL would be refused. Only SQL reads it; `body` keeps the original."""
    return ESCAPED_NUL.sub(
        lambda found: NUL_REPLACEMENT.encode() if found[0].endswith(b"0") else found[0], msgspec.json.encode(value)
    )


def encode_chunk_facts(chunk: Chunk) -> bytes:
    """The column `filter_facts` of an active chunk."""
    return msgspec.json.encode(filter_facts.collect_chunk_facts(chunk))


def encode_document_facts(document: Document) -> str:
    """The column `asked` of a version."""
    return msgspec.json.encode(filter_facts.collect_document_facts(document)).decode()


def make_active_chunk(chunk_key: int, chunk: Chunk) -> ActiveChunk:
    """The row of `mv_active_chunks` for a chunk that is stored already."""
    key = encode_vector_key(chunk.vector_key, place=chunk.document.path)
    return ActiveChunk(chunk_key, chunk, key, encode_chunk_facts(chunk), *bm25.term_frequencies(chunk))


def compute_checksum(
    document: Document,
    own: bytes,
    record: bytes,
    layout: bytes | None,
    chunks: Iterable[tuple[str, int, bytes, str, bytes]],
) -> int:
    """CRC32-C of the rows that make a revision: chunks as id, ordinal, vector key, text, body."""
    value = google_crc32c.value(_checksum_line((document.id, document.source, document.path, document.revision)))
    for part in (own, record, layout or b""):
        value = google_crc32c.extend(value, part)
    for identity, ordinal, key, text, body in chunks:
        data = text.encode()
        value = google_crc32c.extend(value, _checksum_line((identity, ordinal, key.hex(), len(data), len(body))))
        for part in (data, body):
            value = google_crc32c.extend(value, part)
    return int(value)


def _checksum_line(values: Sequence[object]) -> bytes:
    return "\0".join(map(str, values)).encode()
