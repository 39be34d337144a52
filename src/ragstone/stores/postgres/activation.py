"""Which version of a document is active, and what follows from it: active chunks, postings, counters.

All of it inside the caller's transaction, which holds the collection's row.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ragstone.core.types import Document
from ragstone.stores.postgres import binary_copy, removed_words, segments, vectors
from ragstone.stores.postgres.catalogue import CounterChange, update_counters
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.filter_facts import is_restricted
from ragstone.stores.postgres.preparation import ActiveChunk, make_active_chunk
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, CollectionRow, decode_chunk, replace_nul
from ragstone.stores.revision_status import Status, revision_statuses

VERSIONS = """SELECT doc_version_id, doc_id, status, effective_at FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND doc_id = ANY(%s) ORDER BY doc_id, revision DESC"""
STORED_CHUNKS = f"""SELECT v.doc_version_id, c.chunk_key, {CHUNK_COLUMNS}
    FROM chunks c JOIN document_versions v USING (doc_version_id)
    WHERE v.tenant_id = %s AND v.collection_id = %s AND c.doc_version_id = ANY(%s) ORDER BY 1, c.ordinal"""  # noqa: S608
DELETE_ACTIVE = """DELETE FROM mv_active_chunks WHERE tenant_id = %s AND collection_id = %s AND doc_version_id = ANY(%s)
    RETURNING number, length, vector_key"""
RESET = """UPDATE collections SET chunks = 0, terms = 0, pending = 0, documents = 0, next_number = 0,
    segments = 0, merged = 0 WHERE tenant_id = %s AND collection_id = %s"""
# Postings may still hold words of earlier texts of these documents; no row says which words those are.
MARK_EARLIER = """UPDATE postings_dead SET terms = '{}'
    WHERE tenant_id = %(tenant)s AND collection_id = %(collection)s AND terms IS NULL AND EXISTS (
        SELECT FROM document_versions WHERE tenant_id = %(tenant)s AND collection_id = %(collection)s
            AND doc_id = ANY(%(documents)s) AND revision > 1)"""
RECORD_ERASURE = "UPDATE collections SET erased = generation WHERE tenant_id = %s AND collection_id = %s"
PAGE = 100  # versions made active at once
COLUMNS = """collection_id number tenant_id chunk_key chunk_id doc_id doc_version_id source path ordinal length
    vector_key heading_path restricted facts"""

ReadyChunks = Mapping[int, Sequence[ActiveChunk]]
# Texts whose words the server cannot index whole are cut: a tsvector holds 1 MB.
INSERT_FTS = """INSERT INTO chunk_fts (chunk_key, tenant_id, collection_id, tsv)
    SELECT chunk_key, tenant_id, collection_id,
        to_tsvector('english', left(text, 200000)) || ragstone.fts_mark(collection_id)
    FROM chunks WHERE tenant_id = %(tenant)s AND collection_id = %(collection)s"""


@dataclass(slots=True)
class StatusChanges:
    """Changes of the versions of some documents: deactivated, activated, removed, or waiting."""

    off: list[int] = field(default_factory=list)
    on: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    others: dict[Status, list[int]] = field(default_factory=dict)
    documents: int = 0


async def activate_newest(
    cursor: Cursor, collection: CollectionRow, documents: Iterable[str], *, ready: ReadyChunks, now: datetime, keep: int
) -> None:
    """Make the newest effective version of each document active, remove what is older than the `keep` newest.

    `ready` has the chunks of versions that were just written; those of others are read.
    """
    scope = (collection.tenant, collection.collection_id)
    await cursor.execute(VERSIONS, (*scope, sorted(set(documents))))
    turn = _plan_status_changes(await cursor.fetchall(), now=now, keep=keep)
    removed = await _deactivate(cursor, collection, turn)
    added = await _activate(cursor, collection, turn.on, ready)
    change = CounterChange(
        added.chunks + removed.chunks,
        added.terms + removed.terms,
        added.pending + removed.pending,
        turn.documents,
        added.numbers,
    )
    await update_counters(cursor, collection, change, now=now)


async def remove_documents(
    cursor: Cursor, collection: CollectionRow, documents: Sequence[str], *, now: datetime
) -> int:
    """Take documents away with all their versions; how many were there."""
    scope = (collection.tenant, collection.collection_id)
    await cursor.execute(VERSIONS, (*scope, list(documents)))
    active = [version for version, _, status, _ in await cursor.fetchall() if status == "active"]
    turn = StatusChanges(off=active)
    change = replace(await _deactivate(cursor, collection, turn, removed=True), documents=-len(active))
    await cursor.execute(MARK_EARLIER, segments.name_collection(collection, documents=list(documents)))
    statement = "DELETE FROM documents WHERE tenant_id = %s AND collection_id = %s AND doc_id = ANY(%s)"
    await cursor.execute(statement, (*scope, list(documents)))
    number = cursor.rowcount
    if number:
        await update_counters(cursor, collection, change, now=now)
        await cursor.execute(RECORD_ERASURE, scope)
    return number


async def rebuild_active_chunks(cursor: Cursor, collection: CollectionRow, *, now: datetime) -> None:
    """Make the active chunks, their postings and the counters anew, where all of these were taken away."""
    scope = (collection.tenant, collection.collection_id)
    await cursor.execute(RESET, scope)
    statement = """SELECT doc_version_id FROM document_versions
        WHERE tenant_id = %s AND collection_id = %s AND status = 'active' ORDER BY doc_id"""
    await cursor.execute(statement, scope)
    versions = [version for (version,) in await cursor.fetchall()]
    fresh = replace(collection, chunks=0, terms=0, pending=0, documents=0)
    for start in range(0, len(versions), PAGE):
        some = versions[start : start + PAGE]
        change = await _activate(cursor, fresh, some, {})
        await update_counters(cursor, fresh, replace(change, documents=len(some)), now=now)
    if not versions:
        await update_counters(cursor, fresh, CounterChange(), now=now)


def _plan_status_changes(
    rows: Sequence[tuple[int, str, str, datetime | None]], *, now: datetime, keep: int
) -> StatusChanges:
    turn = StatusChanges()
    by_document: dict[str, list[tuple[int, str, datetime | None]]] = {}
    for version, document, status, effective in rows:
        by_document.setdefault(document, []).append((version, status, effective))
    for versions in by_document.values():
        waits = [status != "active" and at is not None and at > now for _, status, at in versions]
        for (version, old, _), new in zip(versions, revision_statuses(waits, keep=keep), strict=True):
            if old == "active" != new:
                turn.off.append(version)
                turn.documents -= 1
            if new == "gone":
                turn.gone.append(version)
            elif new == "active" != old:
                turn.on.append(version)
                turn.documents += 1
            elif new != old:
                turn.others.setdefault(new, []).append(version)
    return turn


async def _deactivate(
    cursor: Cursor, collection: CollectionRow, turn: StatusChanges, *, removed: bool = False
) -> CounterChange:
    scope = (collection.tenant, collection.collection_id)
    change = CounterChange()
    if turn.off:
        await cursor.execute(DELETE_ACTIVE, (*scope, turn.off))
        rows = await cursor.fetchall()
        if rows:
            terms = await _list_removed_terms(cursor, collection, turn.off, len(rows)) if removed else None
            await segments.record_dead_numbers(cursor, collection, [row[0] for row in rows], terms=terms)
            lacking = await vectors.count_missing(cursor, collection, [bytes(row[2]) for row in rows])
            change = CounterChange(-len(rows), -sum(row[1] for row in rows), -lacking)
    if turn.gone:
        statement = (
            "DELETE FROM document_versions WHERE tenant_id = %s AND collection_id = %s AND doc_version_id = ANY(%s)"
        )
        await cursor.execute(statement, (*scope, turn.gone))
    for status, versions in turn.others.items():
        await _set_status(cursor, scope, status, versions)
    return change


async def _list_removed_terms(
    cursor: Cursor, collection: CollectionRow, versions: list[int], chunks: int
) -> Sequence[str]:
    if chunks > removed_words.MOST_CHUNKS:
        return removed_words.UNKNOWN
    stored = await _read_stored_chunks(cursor, collection, versions)
    return removed_words.list_terms([chunk for own in stored.values() for chunk in own])


async def _set_status(cursor: Cursor, scope: tuple[str, int], status: str, versions: list[int]) -> None:
    statement = """UPDATE document_versions SET status = %s
        WHERE tenant_id = %s AND collection_id = %s AND doc_version_id = ANY(%s)"""
    await cursor.execute(statement, (status, *scope, versions))


async def _activate(
    cursor: Cursor, collection: CollectionRow, versions: list[int], ready: ReadyChunks
) -> CounterChange:
    if not versions:
        return CounterChange()
    scope = (collection.tenant, collection.collection_id)
    await _set_status(cursor, scope, "active", versions)
    stored = await _read_stored_chunks(cursor, collection, [version for version in versions if version not in ready])
    chunks = [(version, chunk) for version in versions for chunk in {**stored, **ready}.get(version, ())]
    if not chunks:
        return CounterChange()
    first = await _read_next_number(cursor, collection)
    numbered = list(zip(range(first, first + len(chunks)), chunks, strict=True))
    await binary_copy.copy_rows(
        cursor, "mv_active_chunks", COLUMNS, (_active_chunk_row(collection, *each) for each in numbered)
    )
    await segments.append_segment(cursor, collection, [(number, chunk) for number, (_, chunk) in numbered])
    lacking = await vectors.count_missing(cursor, collection, [chunk.key for _, chunk in chunks])
    return CounterChange(len(chunks), sum(chunk.length for _, chunk in chunks), lacking, 0, len(chunks))


async def _read_next_number(cursor: Cursor, collection: CollectionRow) -> int:
    statement = "SELECT next_number FROM collections WHERE tenant_id = %s AND collection_id = %s"
    await cursor.execute(statement, (collection.tenant, collection.collection_id))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _read_stored_chunks(
    cursor: Cursor, collection: CollectionRow, versions: list[int]
) -> dict[int, list[ActiveChunk]]:
    if not versions:
        return {}
    await cursor.execute(STORED_CHUNKS.encode(), (collection.tenant, collection.collection_id, versions))
    rows = await cursor.fetchall()
    return await asyncio.to_thread(_make_active_chunks, rows)  # their words are counted, which would hold up others


def _make_active_chunks(rows: Sequence[tuple[Any, ...]]) -> dict[int, list[ActiveChunk]]:
    documents: dict[bytes, Document] = {}
    found: dict[int, list[ActiveChunk]] = {}
    for version, chunk_key, *row in rows:
        found.setdefault(version, []).append(make_active_chunk(chunk_key, decode_chunk(row, documents)))
    return found


def _active_chunk_row(collection: CollectionRow, number: int, of: tuple[int, ActiveChunk]) -> binary_copy.Row:
    version, active = of
    chunk, document = active.chunk, active.chunk.document
    return (
        binary_copy.encode_int4(collection.collection_id),
        binary_copy.encode_int4(number),
        binary_copy.encode_text(collection.tenant),
        binary_copy.encode_int8(active.chunk_key),
        binary_copy.encode_text(chunk.id),
        binary_copy.encode_text(document.id),
        binary_copy.encode_int8(version),
        binary_copy.encode_text(document.source),
        binary_copy.encode_text(document.path),
        binary_copy.encode_int4(chunk.ordinal),
        binary_copy.encode_int4(active.length),
        active.key,
        binary_copy.encode_text_array([replace_nul(heading) for heading in chunk.heading_path]),
        binary_copy.encode_boolean(is_restricted(document.meta)),
        binary_copy.encode_jsonb(active.facts),
    )
