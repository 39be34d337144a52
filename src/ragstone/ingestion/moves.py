"""Files that moved inside their source: the same bytes under another path."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile, Source
from ragstone.core.types import Document

# In a document's metadata: the path under which its chunks were embedded, where that is an earlier one.
EMBEDDED_AS = "embedded_as"


def find_moves(
    source: Source,
    listed: Iterable[ListedFile],
    known: Mapping[str, Document],
    gone: Sequence[Document],
    max_bytes: int,
) -> dict[str, Document]:
    """The documents that are gone by their new paths. Only new files of the same size are read."""
    if not gone:
        return {}
    left: dict[str, list[Document]] = defaultdict(list)
    for document in sorted(gone, key=lambda document: document.path, reverse=True):
        left[document.version].append(document)
    sizes = {document.bytes for document in gone}
    moves: dict[str, Document] = {}
    for entry in listed:
        if entry.path in known or entry.size not in sizes:
            continue
        try:
            version = hashlib.sha256(source.read(entry.path, max_bytes)).hexdigest()
        except Refused:
            continue
        if left[version]:
            moves[entry.path] = left[version].pop()
    return moves


def drop_copies(
    gone: Sequence[Document], known: Mapping[str, Document], listed: Iterable[ListedFile]
) -> list[Document]:
    """The documents of which the source has no copy: a move that was interrupted has written it already."""
    if not gone:
        return []
    present = {known[entry.path].version for entry in listed if entry.path in known}
    return [document for document in gone if document.version not in present]


def embedded_path(path: str, version: str, before: Document | None) -> str | None:
    """The path under which the chunks of these bytes were embedded, None if that is `path` itself."""
    if before is None or before.version != version:
        return None
    name = str(before.meta.get(EMBEDDED_AS) or before.path)
    return None if name == path else name
