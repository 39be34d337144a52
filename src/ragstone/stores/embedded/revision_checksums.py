"""Whether a document is stored as it was written: a checksum of each revision, and its chunks held against its record.

The checksum is the CRC32-C of the rows that make a revision. A revision that an earlier format wrote has none; its
chunks are still held against its record.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import google_crc32c

from ragstone.core.errors import Corrupt
from ragstone.stores.chunk_spans import find_misplaced_chunks
from ragstone.stores.embedded.chunk_rows import decode_chunk
from ragstone.stores.encoding import decode_record

# id, source and path of a document, the number of a revision
RevisionPlace = tuple[str, str, str, int]
# ordinal, id, vector key, number of terms; terms, facts, body
ChunkRow = tuple[int, str, str, int, bytes, bytes, bytes]

ALL_REVISIONS = """SELECT r.key, r.status, p.checksum, r.facts, c.record, d.id, d.source, d.path, r.revision
    FROM revisions r JOIN documents d ON d.id = r.document JOIN records c ON c.rev = r.key
    LEFT JOIN {proofs} p ON p.rev = r.key ORDER BY r.key"""
NO_PROOFS = "(SELECT NULL rev, NULL checksum)"  # where a format that has none may only be read
CHUNKS_OF_REVISION = (
    "SELECT ordinal, id, vector_key, length, terms, facts, body FROM chunks WHERE rev = ? ORDER BY ordinal"
)


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged revision."""

    key: int
    document: str
    source: str
    path: str
    status: str
    what: str


def compute_checksum(place: RevisionPlace, facts: bytes, record: bytes, chunks: Iterable[ChunkRow]) -> int:
    """The checksum of a revision; its chunks by ordinal."""
    value = google_crc32c.value(_checksum_line(place))
    for part in (facts, record):
        value = google_crc32c.extend(value, part)
    for *plain, terms, facts_, body in chunks:
        value = google_crc32c.extend(value, _checksum_line([*plain, len(terms), len(facts_), len(body)]))
        for part in (terms, facts_, body):
            value = google_crc32c.extend(value, part)
    return int(value)


def _checksum_line(values: Iterable[object]) -> bytes:
    return "\0".join(map(str, values)).encode()


def find_damages(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Every damaged revision; one document at a time is in memory."""
    known = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'proofs'").fetchone()[0]
    sql = ALL_REVISIONS.format(proofs="proofs" if known else NO_PROOFS)
    for key, status, value, facts, record, *place in connection.execute(sql):
        chunks = connection.execute(CHUNKS_OF_REVISION, (key,)).fetchall()
        document, source, path, revision = place
        if what := describe_damage((document, source, path, revision), value, facts, record, chunks):
            yield Damage(key, document, source, path, status, what)


def describe_damage(
    place: RevisionPlace, value: int | None, facts: bytes, record: bytes, chunks: list[Any]
) -> str | None:
    """The damage in the rows of a revision (chunks as `ChunkRow`, by ordinal), None when they are as written."""
    try:
        if value is not None and value != compute_checksum(place, facts, record, chunks):
            return "it does not match its checksum"
        whole = (
            decode_chunk((identity, ordinal, key, own, body, facts))
            for ordinal, identity, key, _, _, own, body in chunks
        )
        if moved := find_misplaced_chunks(whole, decode_record(record)):
            return f"chunk {moved[0]} is not what the text of the document says there"
    except (Corrupt, TypeError) as error:
        return f"it cannot be read: {error}".partition(";")[0]
    return None
