"""The part of a reader that asks the ledger alone: words, texts, revisions, and vectors that are not the chunks'."""

from collections.abc import Sequence

from ragstone.core.errors import StoreError
from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.ports import (
    Exporter,
    KeywordReader,
    Reader,
    SparseReader,
    SparseState,
    SparseVector,
    StoredRevision,
    Vectors,
    WrittenReader,
)
from ragstone.core.types import Candidate, Chunk, Document, Revision, Scope


class LedgerReader:
    """Reads from a ledger's view; implements `SparseReader`, `WrittenReader`, and that part of `Reader` and `Exporter`
    that needs no vector of a chunk."""

    def __init__(self, inner: Reader, scope: Scope) -> None:
        self._inner = inner
        self._scope = scope

    @property
    def keyword_signal(self) -> str:
        return self._inner.keyword_signal if isinstance(self._inner, KeywordReader) else "bm25"

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        return await self._inner.matching(query, where=where, limit=limit)

    async def idf(self, query: str) -> dict[str, float]:
        return await self._inner.idf(query)

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        return await self._inner.at(path, ordinal, source=source)

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        return await self._inner.records(documents)

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        return await self._inner.layouts(documents)

    async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
        return await self._exporter.list_revisions_after(after, limit=limit)

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        return await self._exporter.revisions(documents)

    async def sparse_state(self) -> SparseState | None:
        return await self._inner.sparse_state() if isinstance(self._inner, SparseReader) else None

    async def match_sparse(self, query: SparseVector, *, where: Where, limit: int) -> list[Candidate]:
        if not isinstance(self._inner, SparseReader):
            return []
        return await self._inner.match_sparse(query, where=where, limit=limit)

    async def rate_sparse(self, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
        return await self._inner.rate_sparse(ids, query) if isinstance(self._inner, SparseReader) else {}

    async def match_written(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        if not isinstance(self._inner, WrittenReader):
            return []
        return await self._inner.match_written(vector, where=where, limit=limit)

    async def rate_written(self, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
        return await self._inner.rate_written(ids, vector) if isinstance(self._inner, WrittenReader) else {}

    @property
    def _exporter(self) -> Exporter:
        if not isinstance(self._inner, Exporter):
            raise StoreError(f"the ledger of {self._scope.collection!r} does not support copying")
        return self._inner
