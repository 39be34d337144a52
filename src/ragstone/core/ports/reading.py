"""The protocols for reading a store: for questions and for copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from ragstone.core.arrays import Vectors
from ragstone.core.filters import Where
from ragstone.core.page_layout import Layout
from ragstone.core.records import Info
from ragstone.core.types import Candidate, Chunk, Document, Revision


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A stored revision as a view lists it."""

    document: Document
    status: Literal["active", "pending", "kept"]


class Reader(Protocol):
    """One consistent view of the active chunks of a scope."""

    async def info(self) -> Info: ...

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Cosine of the best chunks, in total order; chunks without a vector yet are left out."""
        ...

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        """BM25 of the best chunks with at least one term of the query, in total order."""
        ...

    async def rate(self, ids: Sequence[str], *, vector: Vectors | None, query: str) -> dict[str, dict[str, float]]:
        """Raw signals of given chunks: `cosine` where there is a vector, `bm25` always, unless the reader is a
        `KeywordReader` that counts otherwise."""
        ...

    async def idf(self, query: str) -> dict[str, float]:
        """The inverse document frequency of each term of the query among the active chunks, natural logarithm after
        Lucene: ln(2 N + 2) for a term in none of N chunks, by which a word is known to be in no passage."""
        ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The active chunks with these ids, in the order asked; unknown ones are left out."""
        ...

    async def at(self, path: str, ordinal: int, *, source: str | None = None) -> Chunk | None:
        """The active chunk at a place; without a source the first source by name that has it."""
        ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        """The texts of record of these revisions, one of each document, by its id; what is not kept is left out."""
        ...

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        """Where the characters of those texts stand on the pages; formats without pages are left out."""
        ...


@runtime_checkable
class SideBySideReader(Protocol):
    """A reader whose `nearest` and `matching` gain by running at once; others are asked one after the other."""

    @property
    def runs_side_by_side(self) -> bool: ...


@runtime_checkable
class FusingReader(Protocol):
    """A reader whose server can fuse both retrievers itself."""

    async def fuse_on_server(self, query: str, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """Candidates by the server's own RRF (k = 60, both retrievers alike), in one round trip."""
        ...


@runtime_checkable
class KeywordReader(Protocol):
    """A reader whose `matching` may score by another signal than BM25."""

    @property
    def keyword_signal(self) -> str:
        """The name of that signal, as `rate` gives it beside `bm25` or instead of it."""
        ...


def word_signal(reader: Reader) -> str:
    """The name of the signal that `matching` scores by."""
    return reader.keyword_signal if isinstance(reader, KeywordReader) else "bm25"


@runtime_checkable
class Exporter(Protocol):
    """A reader whose view gives all stored revisions, active or not: what a copy is made from."""

    async def list_revisions_after(self, after: tuple[str, int] | None, *, limit: int) -> list[StoredRevision]:
        """The next revisions after one (document id, number) in that order, ids by their UTF-8; [] at the end."""
        ...

    async def revisions(self, documents: Sequence[Document]) -> list[Revision]:
        """Kept revisions whole, chunks by ordinal, in the order asked; without artifacts, and without those that are
        not kept. Raises `Corrupt` for a damaged one."""
        ...

    async def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of the collection's model that have these keys, float32 of shape (dimension,); unknown keys are
        left out. A store need not have those of revisions that are neither active nor waiting."""
        ...
