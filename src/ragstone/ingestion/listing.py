"""The files that a source lists, packed: two dozen bytes each in place of objects of some hundred."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple
from typing import Any

from ragstone.core.answers import Event
from ragstone.core.ports import ListedFile
from ragstone.core.types import Enclosing
from ragstone.ingestion.packed_rows import PackedRows


class Listing:
    """Files in their order, to be gone through as often as needed, by several threads too once it is whole."""

    def __init__(self, files: Iterable[ListedFile] = ()) -> None:
        self._rows = PackedRows()
        self._last = ""
        self._is_sorted = True
        for file in files:
            self._rows.append(pack_file(file))
            self._is_sorted = self._is_sorted and self._last <= file.path
            self._last = file.path

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ListedFile]:
        for row in self._rows:
            yield unpack_file(*row)

    def sort(self) -> "Listing":
        """The files in the order of their paths, in which sources give them; another order costs memory once."""
        return self if self._is_sorted else Listing(sorted(self, key=lambda file: file.path))


def pack_file(file: ListedFile) -> tuple[Any, ...]:
    """A file as a row."""
    member = (file.within, *astuple(file.enclosing)) if file.within else ()
    return file.path, file.size, file.stamp, *member


def unpack_file(path: str, size: int, stamp: Any, within: str = "", *enclosing: str) -> ListedFile:
    """The file of a row."""
    return ListedFile(path, size, None if stamp is None else tuple(stamp), within, Enclosing(*enclosing))


def tell_listing(tell: Callable[[Event], None], name: str) -> Callable[[int, int | None], None]:
    """A callback that tells from another thread how far a listing is."""
    loop = asyncio.get_running_loop()

    def report(done: int, total: int | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, Event(name, {"done": done, "total": total}))

    return report
