"""Hits as what is read of them: those whose chunk is shown with others get them from the store."""

from collections.abc import Sequence
from typing import Protocol

from ragstone import answering as answering
from ragstone.core.ids import chunk_id
from ragstone.core.types import Chunk, Document, Hit


class Shelf(Protocol):
    """What is needed of a view: see `ragstone.core.ports.Reader`."""

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]: ...


async def read(shelf: Shelf, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those of a `sentence-window` as their windows; all others as they are, at no cost."""
    wanted = answering.around(hits)
    if not wanted:
        return list(hits)
    beside = await shelf.chunks([chunk_id(document, ordinal) for document, ordinal in wanted])
    documents = {document.id: document for document, _ in wanted}
    records = await shelf.records(list(documents.values()))
    return answering.widened(hits, beside, records)
