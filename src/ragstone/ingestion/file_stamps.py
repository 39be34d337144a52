"""Files that are known by size and time, so that a run need not read them again."""

import time
from typing import Any

from ragstone.core.ports import FileMemory, ListedFile
from ragstone.core.types import Document
from ragstone.ingestion.local_stamps import find_file_memory
from ragstone.ingestion.run_context import RunContext

# A file that changed within this time before the run may change again without another time: file systems keep times
# as coarse as two seconds (FAT).
MARGIN = 2_000_000_000  # nanoseconds


class FileStamps:
    """The stamps of a source's files: what the last run noted, and what this run notes.

    A stamp is size, times of change and number of the file. Without a memory every file is read.
    """

    def __init__(self, memory: FileMemory | None, source: str, *, now: int) -> None:
        """`now`: nanoseconds, before the files were listed."""
        self._memory = memory
        self._source = source
        self._settled = now - MARGIN
        self._before: dict[str, list[Any]] = {}
        self._noted: dict[str, list[Any]] = {}

    async def recall(self) -> None:
        """Read what the last run noted."""
        if self._memory is not None:
            self._before = await self._memory.recall_files(self._source)

    def is_unchanged(self, entry: ListedFile, before: Document | None) -> bool:
        """Whether the file holds what its document was made of. Notes it again if so."""
        if before is None or entry.stamp is None or self._before.get(entry.path) != [*entry.stamp, before.version]:
            return False
        self._noted[entry.path] = self._before[entry.path]
        return True

    def note(self, entry: ListedFile, version: str) -> None:
        """Note what a file that was read held."""
        if entry.stamp is not None and max(entry.stamp[1], entry.stamp[2]) < self._settled:
            self._noted[entry.path] = [*entry.stamp, version]

    async def save(self) -> None:
        """Keep the notes of this run for the next one."""
        if self._memory is not None and self._noted != self._before:
            await self._memory.remember_files(self._source, self._noted)


async def open_stamps(context: RunContext, source: str, *, now: int) -> FileStamps:
    """The stamps of a run, with those of the last one unless all files are to be read."""
    memory = await find_file_memory(context.store, context.builder.scope, context.stamps_folder)
    stamps = FileStamps(memory, source, now=now)
    if not context.checksum:
        await stamps.recall()
    return stamps


def read_clock() -> int:
    """The time in nanoseconds, as files have it."""
    return time.time_ns()
