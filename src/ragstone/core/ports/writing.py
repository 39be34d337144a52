"""The protocols for writing a store: documents, vectors, runs."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from ragstone.core.arrays import Vectors
from ragstone.core.records import Run
from ragstone.core.types import Chunk, Document, Revision


class Writer(Protocol):
    """Changes to one scope, each call atomic and durable when it returns."""

    async def replace(self, revisions: Sequence[Revision]) -> None:
        """Put whole documents in place of what stood there; readers see the old or the new, never both."""
        ...

    async def renew(self, revisions: Sequence[Revision]) -> None:
        """Leave of these documents exactly these revisions, each document's from the oldest up; all their other
        revisions go in the same step."""
        ...

    async def remove(self, documents: Sequence[str]) -> None:
        """Take documents away with all that belongs to them."""
        ...

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        """Chunks whose vector is missing, one for each vector key; [] when all are there."""
        ...

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by their key."""
        ...

    async def settle(self) -> None:
        """Bring derived files up to date and give back dead space: called at the end of a run."""
        ...


class Filler(Protocol):
    """The vectors of a collection's second model; each call atomic and durable when it returns."""

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        """Active chunks that lack a vector of this model, one for each vector key; [] when all are there."""
        ...

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by the key of the chunks that they are of."""
        ...

    async def settle(self) -> None:
        """Give back dead space."""
        ...


@runtime_checkable
class FileMemory(Protocol):
    """A ledger that keeps, from run to run, what the files of a source looked like."""

    async def recall_files(self, source: str) -> bytes:
        """The notes that were kept last; empty where there are none."""
        ...

    async def remember_files(self, source: str, notes: bytes) -> None:
        """Keep notes, which only an ingestion reads, in place of those of this source before."""
        ...


class Ledger(Protocol):
    """The record of documents and runs."""

    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        """The newest complete revision of each document, by source and path; of those at the path `within` and below it
        alone (`within/…`), where it is given; with `identity` the one with this id, if there is one."""
        ...

    async def find_documents(self, source: str, paths: Sequence[str]) -> list[Document]:
        """The newest complete revision of each document of a source at these paths, by path; its cost must depend on
        how many they are, not on how many there are."""
        ...

    def scan_documents(self) -> AsyncGenerator[Sequence[Document]]:
        """The newest complete revision of each document a page at a time, by path and source in code point order."""
        ...

    async def list_all_revisions(self) -> list[Document]:
        """Every revision that is there, active or not, by document and revision."""
        ...

    async def start(self, run: Run) -> None:
        """Record a run; raises `Busy` when another live process is ingesting the same source."""
        ...

    async def update(self, run: Run) -> None: ...

    async def finish(self, run: Run) -> None: ...

    async def runs(self, limit: int = 20) -> list[Run]:
        """The latest runs first; one whose process died is `interrupted`."""
        ...
