"""A revision made ready to be written: what costs time is done before any lock is taken."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import google_crc32c
import msgspec

from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores import bm25
from ragstone.stores.effective import due_at
from ragstone.stores.packing import document_of, packed, record_packed
from ragstone.stores.postgres import facts
from ragstone.stores.postgres.rows import SHOWN_FOR_NUL, body_of, chunk_of, key_bytes, shown

ESCAPED = re.compile(rb"\\\\|\\u0000")  # a backslash that stands for itself, or a NUL


@dataclass(frozen=True, slots=True)
class Active:
    """What questions read of one chunk, and its words."""

    chunk_key: int
    chunk: Chunk
    key: bytes
    facts: bytes
    frequencies: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class Written:
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

    def active(self, chunk_key: int) -> Active:
        return Active(chunk_key, self.chunk, self.key, self.facts, self.frequencies, self.length)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A revision as its rows hold it; its chunks by ordinal."""

    document: Document
    facts: bytes
    due: float | None
    record: bytes
    layout: bytes | None
    chunks: tuple[Written, ...]
    checksum: int


def prepared(revision: Revision) -> Prepared:
    """Count terms, compress, encode; raises `UsageError` or `StoreError` for what cannot be stored."""
    document = revision.document
    own = packed(document, place=document.path)
    record = record_packed(revision.record, place=document.path)
    layout = revision.layout.pack() if revision.layout is not None else None
    back = document_of(own)
    chunks = tuple(_written(chunk, back, own) for chunk in sorted(revision.chunks, key=lambda chunk: chunk.ordinal))
    proof = checksum(back, own, record, layout, ((c.chunk.id, c.chunk.ordinal, c.key, c.text, c.body) for c in chunks))
    return Prepared(back, own, due_at(document), record, layout, chunks, proof)


def _written(chunk: Chunk, document: Document, own: bytes) -> Written:
    key = key_bytes(chunk.vector_key, place=f"{document.path}#{chunk.ordinal}")
    text, body = shown(chunk.text), body_of(chunk)
    back = chunk_of((chunk.id, chunk.ordinal, key, text, body, own), {own: document})
    return Written(
        back,
        key,
        text,
        _json(list(back.heading_path)),
        _json(back.metadata),
        body,
        facts_json(back),
        *bm25.frequencies(back),
    )


def _json(value: object) -> bytes:
    """JSON that jsonb takes: a NUL would be refused. For the eyes of SQL alone; `body` has what was written."""
    return ESCAPED.sub(
        lambda found: SHOWN_FOR_NUL.encode() if found[0].endswith(b"0") else found[0], msgspec.json.encode(value)
    )


def facts_json(chunk: Chunk) -> bytes:
    """The column `facts` of an active chunk."""
    return msgspec.json.encode(facts.facts_of(chunk))


def asked_json(document: Document) -> str:
    """The column `asked` of a version."""
    return msgspec.json.encode(facts.asked_of(document)).decode()


def activated(chunk_key: int, chunk: Chunk) -> Active:
    """The same of a chunk that was stored before."""
    key = key_bytes(chunk.vector_key, place=chunk.document.path)
    return Active(chunk_key, chunk, key, facts_json(chunk), *bm25.frequencies(chunk))


def checksum(
    document: Document,
    own: bytes,
    record: bytes,
    layout: bytes | None,
    chunks: Iterable[tuple[str, int, bytes, str, bytes]],
) -> int:
    """CRC32-C of the rows that make a revision: chunks as id, ordinal, vector key, text, body."""
    value = google_crc32c.value(_line((document.id, document.source, document.path, document.revision)))
    for part in (own, record, layout or b""):
        value = google_crc32c.extend(value, part)
    for identity, ordinal, key, text, body in chunks:
        data = text.encode()
        value = google_crc32c.extend(value, _line((identity, ordinal, key.hex(), len(data), len(body))))
        for part in (data, body):
            value = google_crc32c.extend(value, part)
    return int(value)


def _line(values: Sequence[object]) -> bytes:
    return "\0".join(map(str, values)).encode()
