"""The life of a document's states: written, active, superseded, gone; all inside the caller's transaction."""

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

import google_crc32c
import numpy as np

from ragstone.core.errors import StoreError
from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores import bm25
from ragstone.stores.embedded.chunk_rows import encode_chunk
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.postings import Postings, TermIds, encode_term_counts
from ragstone.stores.embedded.revision_checksums import ChunkRow, Damage, compute_checksum
from ragstone.stores.encoding import add_checksum, encode_record, encode_value
from ragstone.stores.revision_status import due_at, revision_statuses


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """A chunk made ready outside the transaction: its term counts, its number of terms, its packed columns."""

    chunk: Chunk
    frequencies: Mapping[str, int]
    length: int
    facts: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class PreparedRevision:
    """A revision made ready: what costs time is done before the write lock is taken."""

    document: Document
    facts: bytes
    due: float | None
    record: bytes
    layout: bytes | None
    chunks: tuple[ChunkTerms, ...]


def prepare_revision(revision: Revision) -> PreparedRevision:
    """Count terms, compress, encode; raises `UsageError` or `StoreError` for what cannot be stored."""
    document = revision.document
    return PreparedRevision(
        document,
        add_checksum(encode_value(document, place=document.path)),
        due_at(document),
        encode_record(revision.record, place=document.path),
        revision.layout.pack() if revision.layout is not None else None,
        tuple(_count_terms(chunk) for chunk in revision.chunks),
    )


def _count_terms(chunk: Chunk) -> ChunkTerms:
    return ChunkTerms(chunk, *bm25.term_frequencies(chunk), *encode_chunk(chunk))


def insert_revision(connection: sqlite3.Connection, revision: PreparedRevision, terms: Mapping[str, int]) -> None:
    """Add a revision, not active yet; raises `StoreError` unless it is newer than all that are kept."""
    document = revision.document
    newest = connection.execute("SELECT max(revision) FROM revisions WHERE document = ?", (document.id,)).fetchone()[0]
    if newest is not None and document.revision <= newest:
        raise StoreError(
            f"{document.path}: revision {document.revision} is not newer than revision {newest}, which is stored"
        )
    values = (document.id, document.source, document.path)
    connection.execute("INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING", values)
    chunks = [_chunk_row(words, terms) for words in sorted(revision.chunks, key=lambda words: words.chunk.ordinal)]
    proof = compute_checksum((*values, document.revision), revision.facts, revision.record, chunks)
    rev = connection.execute(
        "INSERT INTO revisions (document, revision, status, due, facts) VALUES (?, ?, 'kept', ?, ?)",
        (document.id, document.revision, revision.due, revision.facts),
    ).lastrowid
    connection.execute("INSERT INTO proofs VALUES (?, ?)", (rev, proof))
    connection.execute("INSERT INTO records VALUES (?, ?)", (rev, revision.record))
    if revision.layout is not None:
        kept = (rev, revision.layout, google_crc32c.value(revision.layout))
        connection.execute("INSERT INTO layouts VALUES (?, ?, ?)", kept)
    connection.executemany(
        "INSERT INTO chunks (rev, ordinal, id, vector_key, length, terms, facts, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((rev, *columns) for columns in chunks),
    )


def _chunk_row(words: ChunkTerms, terms: Mapping[str, int]) -> ChunkRow:
    blob = encode_term_counts({terms[term]: count for term, count in words.frequencies.items()})
    chunk = words.chunk
    return chunk.ordinal, chunk.id, chunk.vector_key, words.length, blob, words.facts, words.body


def assign_term_ids(connection: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """The ids of terms, given to new ones. Those of terms that were forgotten may come again."""
    listed = encode_list(sorted(set(terms)))
    connection.execute("INSERT OR IGNORE INTO terms (term) SELECT value FROM json_each(?)", (listed,))
    sql = "SELECT term, id FROM terms WHERE term IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(sql, (listed,)).fetchall())


def forget_terms(connection: sqlite3.Connection, active: TermIds) -> None:
    """Remove the terms that no chunk holds any more, so that a word goes with its last document.

    `active` are the ids that active chunks hold; those of other kept revisions are looked up.
    """
    sql = "SELECT c.terms FROM chunks c JOIN revisions r ON r.key = c.rev WHERE r.status != 'active'"
    others = Postings.from_blobs([blob for (blob,) in connection.execute(sql)]).terms
    known = np.array(array("q", chain.from_iterable(connection.execute("SELECT id FROM terms"))), dtype=np.int64)
    gone = np.setdiff1d(known, np.concatenate([active, others]).astype(np.int64))
    listed = encode_list(gone.tolist())
    connection.execute("DELETE FROM terms WHERE id IN (SELECT value FROM json_each(?))", (listed,))


def activate_newest(connection: sqlite3.Connection, document: str, *, now: datetime, keep: int) -> None:
    """Make the newest effective revision active and remove what is older than the `keep` newest of those."""
    sql = "SELECT key, status, due FROM revisions WHERE document = ? ORDER BY revision DESC"
    found = connection.execute(sql, (document,)).fetchall()
    waits = [status != "active" and due is not None and due > now.timestamp() for _, status, due in found]
    goals = list(zip(found, revision_statuses(waits, keep=keep), strict=True))
    for (key, old, _), new in reversed(goals):  # from the oldest up: the one that was active gives way first
        _set_status(connection, key, old, new)


def _set_status(connection: sqlite3.Connection, key: int, old: str, new: str) -> None:
    if old != new and "active" in (old, new):
        _log_change(connection, key, active=new == "active")
    if new == "gone":
        connection.execute("DELETE FROM revisions WHERE key = ?", (key,))
    elif old != new:
        connection.execute("UPDATE revisions SET status = ? WHERE key = ?", (new, key))


def _log_change(connection: sqlite3.Connection, rev: int, *, active: bool) -> None:
    sql = "INSERT INTO changes (generation, rev, active) SELECT value + 1, ?, ? FROM meta WHERE key = 'generation'"
    connection.execute(sql, (rev, int(active)))


def remove_documents(connection: sqlite3.Connection, documents: Sequence[str]) -> int:
    """Take documents away with all their revisions; how many were there."""
    listed = encode_list(list(documents))
    here = "document IN (SELECT value FROM json_each(?))"
    active = connection.execute(f"SELECT key FROM revisions WHERE status = 'active' AND {here}", (listed,))  # noqa: S608
    for (key,) in active.fetchall():
        _log_change(connection, key, active=False)
    sql = "DELETE FROM documents WHERE id IN (SELECT value FROM json_each(?))"
    found = connection.execute(sql, (listed,)).rowcount
    if found:
        _count_erasure(connection)
    return found


def remove_damaged(connection: sqlite3.Connection, damages: Sequence[Damage]) -> None:
    """Remove damaged revisions; a document whose active one is damaged goes with all, so that no old one shows."""
    remove_documents(connection, [damage.document for damage in damages if damage.status == "active"])
    for damage in damages:
        if connection.execute("DELETE FROM revisions WHERE key = ?", (damage.key,)).rowcount:
            _count_erasure(connection)


def _count_erasure(connection: sqlite3.Connection) -> None:
    sql = "INSERT INTO meta VALUES ('erasures', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    connection.execute(sql)


def last_unwiped_erasure(connection: sqlite3.Connection) -> int:
    """The number of the last erasure of which the file may still hold traces, 0 when there is none."""
    found = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('erasures', 'wiped')").fetchall())
    last = int(found.get("erasures", 0))
    return last if last > int(found.get("wiped", 0)) else 0


def record_wipe(connection: sqlite3.Connection, last: int) -> None:
    """Remember that the traces of all erasures up to this one are gone."""
    sql = "INSERT INTO meta VALUES ('wiped', ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)"
    connection.execute(sql, (last,))


def find_due_documents(connection: sqlite3.Connection, *, now: datetime) -> list[str]:
    """The documents with a revision that waits and whose time has come."""
    sql = "SELECT document FROM revisions WHERE status = 'pending' AND due <= ?"
    return sorted({document for (document,) in connection.execute(sql, (now.timestamp(),))})


def advance_generation(connection: sqlite3.Connection, *, now: datetime) -> None:
    """Count a change: the last statement of every write that readers can see."""
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    connection.execute("REPLACE INTO meta VALUES ('built_at', ?)", (now.isoformat(timespec="seconds"),))
