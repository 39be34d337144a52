"""Rows of values in their order, packed: a few dozen bytes each in place of objects of some hundred."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

BLOCK = 1024  # rows that are packed together: they have much in common
HEAD = 8  # bytes: how many rows a block has and how long it is, before it in a file


class PackedRows:
    """Rows that JSON can carry, to be gone through as often as needed, by several threads too once they are whole.

    `block` rows are packed together: the fewer, the cheaper is the row at any place, and the more bytes has each.
    """

    def __init__(self, rows: Iterable[Any] = (), *, block: int = BLOCK) -> None:
        self._block = block
        self._blocks: list[tuple[int, bytes]] = []
        self._open: list[Any] = []
        self._count = 0
        self._unpacked: tuple[int, list[Any]] = -1, []
        for row in rows:
            self.append(row)

    def append(self, row: Any) -> None:
        """Add a row at the end."""
        self._open.append(row)
        self._count += 1
        if len(self._open) == self._block:
            self._close_block()

    def _close_block(self) -> None:
        if self._open:
            packed = zlib.compress(json.dumps(self._open, separators=(",", ":")).encode(), 1)
            self._blocks.append((len(self._open), packed))
            self._open = []

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        for _, block in self._blocks:
            yield from json.loads(zlib.decompress(block))
        yield from self._open

    def __getitem__(self, place: int) -> Any:
        """The row at a place; its neighbours are at hand for the next call. Not of rows that were loaded."""
        number, at = divmod(place, self._block)
        if number == len(self._blocks):
            return self._open[at]
        if self._unpacked[0] != number:
            self._unpacked = number, json.loads(zlib.decompress(self._blocks[number][1]))
        return self._unpacked[1][at]

    def dump(self) -> bytes:
        """The rows as bytes."""
        self._close_block()
        return b"".join(
            count.to_bytes(HEAD // 2) + len(block).to_bytes(HEAD // 2) + block for count, block in self._blocks
        )

    @classmethod
    def load(cls, data: bytes, *, is_valid: Callable[[Any], bool]) -> Self:
        """Rows from their bytes; raises `ValueError` where these are damaged or a row is not valid."""
        rows, start = cls(), 0
        try:
            while start < len(data):
                count, size = (int.from_bytes(data[at : at + HEAD // 2]) for at in (start, start + HEAD // 2))
                start += HEAD + size
                block = data[start - size : start]
                found = json.loads(zlib.decompress(block))
                if len(found) != count or not all(map(is_valid, found)):
                    raise ValueError("a block has other rows than it should")
                rows._blocks.append((count, block))
                rows._count += count
        except (zlib.error, TypeError, RecursionError) as error:
            raise ValueError(f"the rows are damaged: {error}") from error
        return rows
