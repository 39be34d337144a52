"""Documents, runs, texts of record and layouts as bytes, and back: the same in every store that keeps rows."""

import re
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
CHECKSUM = re.compile(rb',"crc":(\d{1,10})\}\Z')
CHECKSUM_BYTES = 18  # the longest of them


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


def add_checksum(data: bytes, *bound: bytes) -> bytes:
    """An encoded value that holds a checksum of itself and of what it belongs to."""
    return b'%b,"crc":%d}' % (data[:-1], _compute_checksum(data, bound))


def check_checksum(data: bytes, *bound: bytes, what: str) -> None:
    """Raises `Corrupt` unless a value is as `add_checksum` made it; one without a checksum is not judged."""
    end = CHECKSUM.search(data, max(0, len(data) - CHECKSUM_BYTES))
    if end is not None and int(end[1]) != _compute_checksum(data[: end.start()] + b"}", bound):
        raise Corrupt(f"{what} does not match its checksum; run: ragstone doctor --repair")


def _compute_checksum(data: bytes, bound: tuple[bytes, ...]) -> int:
    value: int = google_crc32c.value(b"\0".join((data, *bound)))
    return value


def decode_document(facts: bytes) -> Document:
    """A document from its row; raises `Corrupt` for a row that was changed."""
    check_checksum(facts, what="the row of a document")
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
