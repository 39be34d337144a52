"""The files that a source lists, packed: two dozen bytes each in place of objects of some hundred."""

import json
import zlib
from collections.abc import Iterable, Iterator

from ragstone.core.ports import ListedFile

BLOCK = 1024  # files that are packed together: their paths have much in common


class Listing:
    """Files in their order, to be gone through as often as needed, by several threads too once it is whole."""

    def __init__(self, files: Iterable[ListedFile] = ()) -> None:
        self._blocks: list[bytes] = []
        self._open: list[ListedFile] = []
        self._count = 0
        self.extend(files)

    def extend(self, files: Iterable[ListedFile]) -> None:
        """Append files."""
        for file in files:
            self._open.append(file)
            self._count += 1
            if len(self._open) == BLOCK:
                self._blocks.append(_pack(self._open))
                self._open = []

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[ListedFile]:
        for block in self._blocks:
            yield from _unpack(block)
        yield from self._open


def _pack(files: list[ListedFile]) -> bytes:
    return zlib.compress(json.dumps([(file.path, file.size, file.stamp) for file in files]).encode(), 1)


def _unpack(block: bytes) -> Iterator[ListedFile]:
    for path, size, stamp in json.loads(zlib.decompress(block)):
        yield ListedFile(path, size, None if stamp is None else tuple(stamp))
