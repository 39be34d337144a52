"""Files that are known by size and time, so that a run need not read them again."""

import heapq
import time
from collections.abc import Iterator
from typing import Any

from ragstone.core.ports import FileMemory, ListedFile, NotingSource, Source
from ragstone.core.types import Document
from ragstone.ingestion.local_stamps import find_file_memory
from ragstone.ingestion.packed_rows import PackedRows
from ragstone.ingestion.run_context import RunContext

# A file that changed within this time before the run may change again without another time: file systems keep times
# as coarse as two seconds (FAT).
MARGIN = 2_000_000_000  # nanoseconds
CONTAINERS = "\n"  # behind a source's name: its notes of containers, which no name of a source ends with


class FileStamps:
    """The stamps of a source's files: what the last run noted, and what this run notes, both in the order of paths.

    A stamp is size, times of change and number of the file. Without a memory every file is read.
    """

    def __init__(self, memory: FileMemory | None, source: str, *, now: int) -> None:
        """`now`: nanoseconds, before the files were listed."""
        self._memory = memory
        self._source = source
        self._settled = now - MARGIN
        self._before = PackedRows()
        self._cursor: Iterator[tuple[int, list[Any]]] = iter(())
        self._next: tuple[int, list[Any]] | None = None
        self._same = bytearray()  # of each row before: whether it still holds
        self._noted = PackedRows()

    async def recall(self) -> None:
        """Read what the last run noted."""
        if self._memory is not None:
            self._before = load_stamps(await self._memory.recall_files(self._source))
            self._same = bytearray(len(self._before))
            self._cursor = enumerate(self._before)
            self._next = next(self._cursor, None)

    def is_unchanged(self, entry: ListedFile, before: Document | None) -> bool:
        """Whether the file holds what its document was made of; to be asked in the order of paths. Notes it again if
        so."""
        while self._next is not None and self._next[1][0] < entry.path:
            self._next = next(self._cursor, None)
        if before is None or entry.stamp is None or self._next is None:
            return False
        number, row = self._next
        if row != _make_stamp(entry, before.version):
            return False
        self._same[number] = True
        return True

    def note(self, entry: ListedFile, version: str) -> None:
        """Note what a file that was read held; in the order of paths."""
        if entry.stamp is not None and max(entry.stamp[1], entry.stamp[2]) < self._settled:
            self._noted.append(_make_stamp(entry, version))

    async def save(self) -> None:
        """Keep the notes of this run for the next one."""
        if self._memory is not None and (len(self._noted) or not all(self._same)):
            await self._memory.remember_files(self._source, self._merge_notes().dump())

    def _merge_notes(self) -> PackedRows:
        """What holds of the notes before, and those of this run."""
        if not any(self._same):
            return self._noted
        kept = (row for row, holds in zip(self._before, self._same, strict=True) if holds)
        return PackedRows(heapq.merge(kept, self._noted, key=lambda row: str(row[0])))


def _make_stamp(entry: ListedFile, version: str) -> list[Any]:
    """The row of a file; half of the digest of its bytes tells versions apart."""
    return [entry.path, *(entry.stamp or ()), version[:32]]


def load_stamps(notes: bytes) -> PackedRows:
    """The rows of stamps, each a path, a stamp and a version; none where they are damaged: then all is read again."""
    try:
        return PackedRows.load(notes, is_valid=_is_stamp)
    except ValueError:
        return PackedRows()


def _is_stamp(row: object) -> bool:
    return isinstance(row, list) and len(row) > 1 and isinstance(row[0], str)


async def open_stamps(context: RunContext, source: str, *, now: int) -> FileStamps:
    """The stamps of a run, with those of the last one unless all files are to be read."""
    memory = await find_file_memory(context.store, context.builder.scope, context.stamps_folder)
    stamps = FileStamps(memory, source, now=now)
    if not context.checksum:
        await stamps.recall()
    return stamps


async def recall_notes(context: RunContext, source: Source) -> None:
    """Give a source its notes of containers of the last run, unless all are to be opened."""
    anew = context.checksum or context.refresh or context.chosen is not None
    if anew or not isinstance(source, NotingSource) or not await context.store.admin.exists(context.builder.scope):
        return
    memory = await find_file_memory(context.store, context.builder.scope, context.stamps_folder)
    if memory is not None:
        source.take_notes(await memory.recall_files(f"{source.name}{CONTAINERS}"))


async def save_stamps(context: RunContext, source: Source, stamps: FileStamps) -> None:
    """Keep the stamps of a run over a whole source, and the notes of that source about its containers."""
    if context.chosen is not None:
        return
    await stamps.save()
    notes = source.give_notes() if isinstance(source, NotingSource) else b""
    memory = await find_file_memory(context.store, context.builder.scope, context.stamps_folder) if notes else None
    if memory is not None:
        await memory.remember_files(f"{source.name}{CONTAINERS}", notes)


def read_clock() -> int:
    """The time in nanoseconds, as files have it."""
    return time.time_ns()
