"""Documents, runs, texts of record and layouts as bytes, and back: the same in every store that keeps rows."""

import zlib
from dataclasses import dataclass
from typing import TypeVar

import google_crc32c
import msgspec

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.page_layout import Layout
from ragstone.core.records import Run
from ragstone.core.types import Document

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChunkFacts:
    """The facts of a chunk for filters, beside its document's."""

    kind: str
    tokens: int
    risk_score: float
    flags: tuple[str, ...]
    heading_path: tuple[str, ...]


_document_decoder = msgspec.json.Decoder(Document)
_run_decoder = msgspec.json.Decoder(Run)


def encode_value(value: object, *, place: str) -> bytes:
    """A value as JSON; raises `StoreError` naming `place` when it holds what JSON cannot carry."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"{place!r} holds something that cannot be stored: {error}") from error


def decode_value(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """The value that `encode_value` encoded; raises `Corrupt` for what it cannot have made."""
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Corrupt(f"a row of the store cannot be read ({error}); run: ragstone doctor") from error


def decode_document(facts: bytes) -> Document:
    """A document from its row."""
    return decode_value(_document_decoder, facts)


def decode_run(data: bytes) -> Run:
    """A run from its row."""
    return decode_value(_run_decoder, data)


def encode_record(record: str, *, place: str) -> bytes:
    """A text of record as it is kept."""
    try:
        return zlib.compress(record.encode("utf-8"), 6)
    except UnicodeEncodeError as error:
        raise StoreError(f"the text of {place!r} is not valid Unicode: {error}") from error


def decode_record(data: bytes) -> str:
    """A text of record from its row."""
    try:
        return zlib.decompress(data).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise Corrupt(f"a text of record cannot be read ({error}); run: ragstone doctor") from error


def decode_layout(data: bytes, checksum: int, *, place: str) -> Layout:
    """A page layout from its row; raises `Corrupt` if it is damaged."""
    if google_crc32c.value(data) != checksum:
        raise Corrupt(f"the page layout of {place} does not match its checksum; run: ragstone ingest --refresh")
    return Layout.unpack(data)
