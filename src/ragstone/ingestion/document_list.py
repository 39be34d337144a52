"""Stored documents, packed: a run holds some of them, a hundred bytes each."""

from collections.abc import Iterator

from ragstone.core.types import Document
from ragstone.ingestion.packed_rows import PackedRows
from ragstone.stores.encoding import decode_document, encode_value

BLOCK = 32  # documents that are unpacked for one: those that moved are looked up in any order


class DocumentList:
    """Documents in their order."""

    def __init__(self) -> None:
        self._rows = PackedRows(block=BLOCK)

    def append(self, document: Document) -> None:
        """Add a document at the end."""
        self._rows.append(pack_document(document))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Document]:
        return map(unpack_document, self._rows)

    def __getitem__(self, place: int) -> Document:
        return unpack_document(self._rows[place])


def pack_document(document: Document) -> str:
    """A stored document as a value of a row."""
    return encode_value(document, place=document.path).decode()


def unpack_document(facts: str) -> Document:
    """The document again."""
    return decode_document(facts.encode())
