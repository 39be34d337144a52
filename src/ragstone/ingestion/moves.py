"""Files that moved inside their source: the same bytes under another path."""

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile, Source
from ragstone.core.types import Document
from ragstone.ingestion.document_list import DocumentList

# In a document's metadata: the path under which its chunks were embedded, where that is an earlier one.
EMBEDDED_AS = "embedded_as"


class Moves:
    """Documents that are gone, by the paths that their files have now."""

    def __init__(self, gone: DocumentList) -> None:
        self._gone = gone
        self._places: dict[str, int] = {}

    def add(self, path: str, place: int) -> None:
        """The document at a place among those that are gone has this path now."""
        self._places[path] = place

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def get(self, path: str) -> Document | None:
        """The document that a path was before, if any."""
        return self._gone[self._places[path]] if path in self._places else None

    def find_unmoved(self) -> Iterator[Document]:
        """The documents that are gone and were not found again."""
        moved = set(self._places.values())
        return (document for place, document in enumerate(self._gone) if place not in moved)


def find_moves(source: Source, new: Iterable[ListedFile], gone: DocumentList, max_bytes: int) -> Moves:
    """The documents that are gone by their new paths, of a version from the first path on. Only new files of the same
    size are read."""
    moves = Moves(gone)
    left: dict[str, deque[int]] = defaultdict(deque)
    sizes = set()
    for place, document in enumerate(gone):
        left[document.version].append(place)
        sizes.add(document.bytes)
    for entry in new if sizes else ():
        if entry.size not in sizes:
            continue
        try:
            version = hashlib.sha256(source.read(entry.path, max_bytes)).hexdigest()
        except Refused:
            continue
        if left[version]:
            moves.add(entry.path, left[version].popleft())
    return moves


def embedded_path(path: str, version: str, before: Document | None) -> str | None:
    """The path under which the chunks of these bytes were embedded, None if that is `path` itself."""
    if before is None or before.version != version:
        return None
    name = str(before.meta.get(EMBEDDED_AS) or before.path)
    return None if name == path else name
