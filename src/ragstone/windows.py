"""Hits as what is read of them: those whose chunk is shown with others get them from the store."""

from collections.abc import Sequence
from typing import Protocol

from ragstone import answer as answering
from ragstone.ids import chunk_id
from ragstone.types import Chunk, Document, Hit


class Shelf(Protocol):
    """What is needed of a view: see `ragstone.ports.Reader`."""

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...

    async def record(self, document: Document) -> str | None: ...


async def read(shelf: Shelf, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those of a `sentence-window` as their windows; all others as they are, at no cost."""
    wanted = answering.around(hits)
    if not wanted:
        return list(hits)
    beside = await shelf.chunks([chunk_id(document, ordinal) for document, ordinal in wanted])
    documents = {document.id: document for document, _ in wanted}
    records = {one.id: text for one in documents.values() if (text := await shelf.record(one)) is not None}
    return answering.widened(hits, beside, records)
