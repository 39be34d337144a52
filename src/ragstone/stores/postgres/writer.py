"""The writer of an ingestion: each call is one transaction, done again when the connection is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import psycopg

from ragstone.core.errors import StoreError
from ragstone.core.ports import Vectors
from ragstone.core.types import Chunk, Document, Revision, Scope
from ragstone.stores.postgres import activation, binary_copy, settling, vectors
from ragstone.stores.postgres.catalogue import CounterChange, lock_collection, read_collection, update_counters
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.preparation import (
    ActiveChunk,
    PreparedRevision,
    WrittenChunk,
    encode_document_facts,
    prepare_revision,
)
from ragstone.stores.postgres.rows import CollectionRow, replace_nul

T = TypeVar("T")
NEWEST_REVISIONS = """SELECT doc_id, max(revision) FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND doc_id = ANY(%s) GROUP BY doc_id"""
STORED_VERSIONS = """SELECT doc_id, revision, version, checksum FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND doc_id = ANY(%s)"""
DOCUMENTS = """INSERT INTO documents (collection_id, tenant_id, doc_id, source, path, source_type, source_uri, title,
        content_hash)
    SELECT %s, %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
    ON CONFLICT (collection_id, doc_id) DO UPDATE SET source_type = excluded.source_type, title = excluded.title,
        content_hash = excluded.content_hash"""
VERSION = """INSERT INTO document_versions (tenant_id, collection_id, doc_id, revision, version, recipe, edition,
        version_label, effective_at, status, extracted_artifact_uri, facts, asked, record, layout, checksum)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, to_timestamp(%s), 'kept', %s, %s, %s::jsonb, %s, %s, %s)
    RETURNING doc_version_id"""
KEYS = """SELECT nextval(pg_get_serial_sequence('ragstone.chunks', 'chunk_key')) FROM generate_series(1, %s)"""
COLUMNS = """chunk_key tenant_id collection_id doc_version_id chunk_id ordinal heading_path chunk_type text token_count
    metadata vector_key body"""


class PostgresWriter:
    """Writes revisions and vectors to tables; implements `Writer`. It keeps `keep` revisions per document; `now` is
    the clock; `opened` is the collection as it was when this was opened."""

    def __init__(
        self, pool: Pool, scope: Scope, opened: CollectionRow, *, keep: int, now: Callable[[], datetime]
    ) -> None:
        self._pool = pool
        self._scope = scope
        self._held = opened.model_identity
        self._keep = keep
        self._now = now
        self._missing = vectors.MissingVectors(counted=True)
        self._one = asyncio.Lock()

    async def replace(self, revisions: Sequence[Revision]) -> None:
        if revisions:
            made = await asyncio.to_thread(lambda: [prepare_revision(revision) for revision in revisions])
            ready = sorted(made, key=lambda one: one.document.id)
            await self._run_transaction(lambda cursor, tries: self._replace(cursor, ready, again=tries > 0))

    async def renew(self, revisions: Sequence[Revision]) -> None:
        if revisions:
            made = await asyncio.to_thread(lambda: [prepare_revision(revision) for revision in revisions])
            await self._run_transaction(lambda cursor, _: self._renew(cursor, made))

    async def remove(self, documents: Sequence[str]) -> None:
        wanted = sorted({document for document in documents if "\0" not in document})
        await self._run_transaction(lambda cursor, _: self._remove(cursor, wanted))

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        return await self._run_transaction(lambda cursor, _: self._find_unembedded(cursor, limit))

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._run_transaction(lambda cursor, _: self._put(cursor, vectors))

    async def settle(self) -> None:
        # First, for what comes after has to look at all that was written.
        await self._run_transaction(lambda cursor, _: cursor.execute("SELECT ragstone.count_rows()"))
        async with self._one:
            await settling.settle_collection(self._pool, self._scope)
        await self._run_transaction(lambda cursor, _: self._ensure_index(cursor))

    async def _run_transaction(self, work: Callable[[Cursor, int], Awaitable[T]]) -> T:
        async with self._one:
            return await self._pool.run_transaction(self._scope.tenant, work)

    # Documents

    async def _replace(self, cursor: Cursor, ready: Sequence[PreparedRevision], *, again: bool) -> None:
        collection = await read_collection(cursor, self._scope)
        if again:
            ready = await _keep_unwritten(cursor, collection, ready)
        for batch in _split_rounds(ready):
            await self._write_batch(cursor, collection, batch)

    async def _renew(self, cursor: Cursor, ready: Sequence[PreparedRevision]) -> None:
        """Done again after a lost connection it leaves the same."""
        await self._remove(cursor, sorted({one.document.id for one in ready}))
        for batch in _split_rounds(ready):
            await self._write_batch(cursor, await read_collection(cursor, self._scope), batch)

    async def _write_batch(self, cursor: Cursor, collection: CollectionRow, ready: Sequence[PreparedRevision]) -> None:
        await _check_newer(cursor, collection, ready)
        await cursor.execute(DOCUMENTS, (collection.collection_id, collection.tenant, *_document_columns(ready)))
        versions = [await _insert_version(cursor, collection, one) for one in ready]
        chunks = [(version, chunk) for version, one in zip(versions, ready, strict=True) for chunk in one.chunks]
        await cursor.execute(KEYS, (len(chunks),))
        keys = [key for (key,) in await cursor.fetchall()]
        rows = (_chunk_row(collection, key, version, chunk) for key, (version, chunk) in zip(keys, chunks, strict=True))
        await binary_copy.copy_rows(cursor, "chunks", COLUMNS, rows)
        ours = {"tenant": collection.tenant, "collection": collection.collection_id, "keys": keys}
        await cursor.execute(f"{activation.INSERT_FTS} AND chunk_key = ANY(%(keys)s)".encode(), ours)
        active: dict[int, list[ActiveChunk]] = {version: [] for version in versions}
        for key, (version, chunk) in zip(keys, chunks, strict=True):
            active[version].append(chunk.make_active(key))
        held = await lock_collection(cursor, self._scope)
        documents = [one.document.id for one in ready]
        await activation.activate_newest(cursor, held, documents, ready=active, now=self._now(), keep=self._keep)

    async def _remove(self, cursor: Cursor, documents: Sequence[str]) -> None:
        collection = await read_collection(cursor, self._scope)
        statement = """SELECT FROM documents WHERE tenant_id = %s AND collection_id = %s AND doc_id = ANY(%s)
            ORDER BY doc_id FOR UPDATE"""
        await cursor.execute(statement, (collection.tenant, collection.collection_id, list(documents)))
        held = await lock_collection(cursor, self._scope)
        await activation.remove_documents(cursor, held, documents, now=self._now())

    # Vectors

    async def _find_unembedded(self, cursor: Cursor, limit: int) -> list[Chunk]:
        """Vectors that a sibling collection has are taken from there first."""
        collection = await read_collection(cursor, self._scope)
        while True:
            lacking = await self._missing.find(cursor, collection, limit)
            if not lacking or not await self._copy_from_siblings(cursor, collection, [key for key, _ in lacking]):
                return await vectors.read_chunks(cursor, collection, [chunk for _, chunk in lacking])

    async def _copy_from_siblings(self, cursor: Cursor, collection: CollectionRow, keys: Sequence[bytes]) -> int:
        if collection.dimension is None or not await vectors.has_lendable(cursor, collection, keys):
            return 0
        held = await lock_collection(cursor, self._scope)
        served = await vectors.copy_from_siblings(cursor, held, keys)
        if served:
            await update_counters(cursor, held, CounterChange(pending=-served), now=self._now())
        return served

    async def _put(self, cursor: Cursor, given: Mapping[str, Vectors]) -> None:
        rows = vectors.check_vectors(given, self._held[2] or (await read_collection(cursor, self._scope)).dimension)
        if rows:
            held = await lock_collection(cursor, self._scope)
            if self._held[2] is not None and held.model_identity != self._held:
                raise StoreError("the collection was switched to another model meanwhile; run again with that model")
            served = await vectors.insert_vectors(cursor, held, rows)
            await update_counters(cursor, held, CounterChange(pending=-served), now=self._now())

    # The end of a run

    async def _ensure_index(self, cursor: Cursor) -> None:
        await vectors.ensure_vector_index(cursor, await read_collection(cursor, self._scope))


def _split_rounds(ready: Sequence[PreparedRevision]) -> list[list[PreparedRevision]]:
    """A document that comes twice in one batch is written twice, the lower revision first."""
    rounds: list[list[PreparedRevision]] = []
    seen: dict[str, int] = {}
    for one in sorted(ready, key=lambda one: (one.document.id, one.document.revision)):
        turn = seen.get(one.document.id, 0)
        seen[one.document.id] = turn + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(one)
    return rounds


async def _keep_unwritten(
    cursor: Cursor, collection: CollectionRow, ready: Sequence[PreparedRevision]
) -> list[PreparedRevision]:
    """What a lost call did not write after all."""
    await cursor.execute(
        STORED_VERSIONS, (collection.tenant, collection.collection_id, [one.document.id for one in ready])
    )
    done = set(await cursor.fetchall())
    return [one for one in ready if _version_key(one) not in done]


def _version_key(one: PreparedRevision) -> tuple[str, int, str, int]:
    return one.document.id, one.document.revision, one.document.version, one.checksum


async def _check_newer(cursor: Cursor, collection: CollectionRow, ready: Sequence[PreparedRevision]) -> None:
    await cursor.execute(
        NEWEST_REVISIONS, (collection.tenant, collection.collection_id, [one.document.id for one in ready])
    )
    newest: dict[str, int] = dict(await cursor.fetchall())
    for one in ready:
        known = newest.get(one.document.id)
        if known is not None and one.document.revision <= known:
            raise _not_newer_error(one.document, known)


def _not_newer_error(document: Document, known: int) -> StoreError:
    return StoreError(
        f"{document.path}: revision {document.revision} is not newer than revision {known}, which is stored"
    )


def _document_columns(ready: Sequence[PreparedRevision]) -> tuple[list[str | None], ...]:
    documents = [one.document for one in ready]
    return (
        [document.id for document in documents],
        [document.source for document in documents],
        [document.path for document in documents],
        [document.media_type for document in documents],
        [f"{document.source}:{document.path}" for document in documents],
        [None if document.title is None else replace_nul(document.title) for document in documents],
        [document.version for document in documents],
    )


async def _insert_version(cursor: Cursor, collection: CollectionRow, one: PreparedRevision) -> int:
    document = one.document
    made = (document.version, document.recipe, replace_nul(document.edition), document.version_label)
    about = (document.id, document.revision, *made, one.due)
    artifact = document.meta.get("extracted_artifact_uri")
    uri = replace_nul(artifact) if isinstance(artifact, str) else None
    kept = (uri, one.facts, encode_document_facts(document), one.record, one.layout, one.checksum)
    try:
        await cursor.execute(VERSION, (collection.tenant, collection.collection_id, *about, *kept))
    except psycopg.errors.UniqueViolation as error:  # another writer was quicker
        raise _not_newer_error(document, document.revision) from error
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


def _chunk_row(collection: CollectionRow, key: int, version: int, written: WrittenChunk) -> binary_copy.Row:
    chunk = written.chunk
    return (
        binary_copy.encode_int8(key),
        binary_copy.encode_text(collection.tenant),
        binary_copy.encode_int4(collection.collection_id),
        binary_copy.encode_int8(version),
        binary_copy.encode_text(chunk.id),
        binary_copy.encode_int4(chunk.ordinal),
        binary_copy.encode_jsonb(written.headings),
        binary_copy.encode_text(replace_nul(chunk.kind)),
        binary_copy.encode_text(written.text),
        binary_copy.encode_int4(chunk.tokens),
        binary_copy.encode_jsonb(written.metadata),
        written.key,
        written.body,
    )
