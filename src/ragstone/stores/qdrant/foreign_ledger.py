"""The ledger of a collection that another program wrote: its documents, until an ingestion makes it one of ours."""

from collections.abc import AsyncGenerator, Sequence

from ragstone.core.errors import NotBuilt
from ragstone.core.ports import FileMemory, Ledger
from ragstone.core.records import Run
from ragstone.core.types import Document
from ragstone.stores.listed_documents import is_listed
from ragstone.stores.qdrant.foreign_reader import ForeignCollection


class ForeignLedger:
    """Passes calls to the ledger; where that has no such collection, lists the documents that the points name.
    Implements `Ledger` and `FileMemory`."""

    def __init__(self, inner: Ledger, foreign: ForeignCollection) -> None:
        self._inner = inner
        self._foreign = foreign

    async def documents(
        self, source: str | None = None, *, within: str | None = None, identity: str | None = None
    ) -> list[Document]:
        try:
            return await self._inner.documents(source, within=within, identity=identity)
        except NotBuilt:
            content = await self._foreign.read()
            if content is None:
                raise
            return [one for one in content.documents if is_listed(one, source, within, identity)]

    async def find_documents(self, source: str, paths: Sequence[str]) -> list[Document]:
        try:
            return await self._inner.find_documents(source, paths)
        except NotBuilt:
            return [document for document in await self.documents(source) if document.path in set(paths)]

    async def scan_documents(self) -> AsyncGenerator[Sequence[Document]]:
        try:
            async for page in self._inner.scan_documents():
                yield page
        except NotBuilt:
            yield sorted(await self.documents(), key=lambda document: (document.path, document.source))

    async def list_all_revisions(self) -> list[Document]:
        return await self._inner.list_all_revisions()

    async def recall_files(self, source: str) -> bytes:
        return await self._inner.recall_files(source) if isinstance(self._inner, FileMemory) else b""

    async def remember_files(self, source: str, notes: bytes) -> None:
        if isinstance(self._inner, FileMemory):
            await self._inner.remember_files(source, notes)

    async def start(self, run: Run) -> None:
        await self._inner.start(run)

    async def update(self, run: Run) -> None:
        await self._inner.update(run)

    async def finish(self, run: Run) -> None:
        await self._inner.finish(run)

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._inner.runs(limit)
