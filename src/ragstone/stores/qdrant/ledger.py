"""What is known about documents and runs: the ledger store's own, one verb for all."""

from ragstone.core.ports import Ledger
from ragstone.core.types import Document, Run


class QdrantLedger:
    """See `ragstone.core.ports.Ledger`."""

    def __init__(self, inner: Ledger) -> None:
        self._inner = inner

    async def documents(self, source: str | None = None) -> list[Document]:
        return await self._inner.documents(source)

    async def list_all_revisions(self) -> list[Document]:
        return await self._inner.list_all_revisions()

    async def start(self, run: Run) -> None:
        await self._inner.start(run)

    async def update(self, run: Run) -> None:
        await self._inner.update(run)

    async def finish(self, run: Run) -> None:
        await self._inner.finish(run)

    async def runs(self, limit: int = 20) -> list[Run]:
        return await self._inner.runs(limit)
