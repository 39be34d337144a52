"""The part of a view of a collection that reads its texts and documents."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.page_layout import Layout
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores.embedded import export
from ragstone.stores.embedded.chunk_rows import (
    ACTIVE_CHUNKS,
    CHUNK_COLUMNS,
    OWN_COLUMNS,
    decode_chunk,
    decode_own_columns,
)
from ragstone.stores.embedded.collection import Collection, CollectionView
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.frozen_files import check_unchanged
from ragstone.stores.embedded.mirror import Int64s
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors

T = TypeVar("T")


class EmbeddedTexts:
    """Reads the texts of a snapshot of a collection; implements `Exporter`, and that part of `Reader` that needs no
    index."""

    def __init__(self, collection: Collection, view: CollectionView, threads: ThreadPool) -> None:
        self._collection = collection
        self._view = view
        self._threads = threads
        self._lock = threading.Lock()
        self._closed = False
        self._rows_by_id: dict[str, int] = {}  # of the chunks that were found or rated

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        return await self._run(lambda: self._read_chunks(ids))

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        return await self._run(lambda: self._read_chunk_at(path, ordinal, source))

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        return await self._run(lambda: export.load_records(self._fetch_rows, documents)) if documents else {}

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        return await self._run(lambda: export.load_layouts(self._fetch_rows, documents)) if documents else {}

    async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
        return await self._run(lambda: export.read_next_revisions(self._fetch_rows, after, limit))

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        return await self._run(lambda: export.load_revisions(self._fetch_rows, documents))

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return await self._run(lambda: export.load_vectors(self._fetch_rows, self._view.rows, keys, self._view.tables))

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._threads.run(lambda: self._run_alone(work))

    def _run_alone(self, work: Callable[[], T]) -> T:
        """The connection serves one thread at a time, and another view once this one was closed: a thread whose caller
        has gone comes here later than that."""
        with self._lock, map_errors(self._collection.place.directory):
            if self._closed:
                raise StoreError("the view is closed; open another")
            try:
                return work()
            finally:  # also what went wrong may come from that
                check_unchanged(self._view.connection)

    def close(self) -> None:
        """End the view; waits for a call that is still running."""
        with self._lock:
            self._closed = True
            self._collection.release(self._view.connection)

    def _fetch_rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self._view.connection.execute(sql, parameters).fetchall()

    def _find_rows(self, ids: Sequence[str]) -> dict[str, int]:
        """The rows of those of these chunks that are active, each once."""
        found = self._rows_by_id
        if missing := [identity for identity in ids if identity not in found]:
            sql = f"SELECT c.id, c.row FROM {ACTIVE_CHUNKS} WHERE c.id IN (SELECT value FROM json_each(?))"  # noqa: S608
            found |= dict(self._fetch_rows(sql, encode_list(missing)))
        return {identity: found[identity] for identity in dict.fromkeys(ids) if identity in found}

    def _find_documents(self, keys: Int64s) -> Mapping[int, Document]:
        """The documents of active revisions by key, and others; those that this process read before it has at hand."""
        return self._view.mirror.revisions.documents.load(self._view.connection, keys)

    def _read_chunks(self, ids: Sequence[str]) -> list[Chunk]:
        rows = self._find_rows(ids)
        sql = f"SELECT c.rev, {OWN_COLUMNS} FROM chunks c WHERE c.row IN (SELECT value FROM json_each(?))"  # noqa: S608
        read = self._fetch_rows(sql, encode_list(list(rows.values())))
        documents = self._find_documents(np.array([key for key, *_ in read], dtype=np.int64))
        found = {identity: decode_own_columns(documents[key], identity, *rest) for key, identity, *rest in read}
        if lost := [identity for identity in rows if identity not in found]:
            raise Corrupt(
                f"an index of {self._collection.place.database} is damaged: it does not lead to chunk {lost[0]}; run: "
                "ragstone doctor --repair"
            )
        return [found[identity] for identity in ids if identity in found]

    def _read_chunk_at(self, path: str, ordinal: int, source: str | None) -> Chunk | None:
        sql = f"""SELECT {CHUNK_COLUMNS} FROM documents d
            JOIN revisions r ON r.document = d.id AND r.status = 'active'
            JOIN chunks c ON c.rev = r.key AND c.ordinal = ?
            WHERE d.path = ? AND (? IS NULL OR d.source = ?) ORDER BY d.source LIMIT 1"""  # noqa: S608
        rows = self._fetch_rows(sql, ordinal, path, source, source)
        return decode_chunk(rows[0]) if rows else None
