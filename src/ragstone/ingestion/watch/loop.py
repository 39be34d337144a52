"""The loop of a watcher: waits for changes, reindexes, flushes, and goes on after failures."""

import asyncio
import time
from collections.abc import Callable, Set
from typing import Protocol

from ragstone.core.answers import Event
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.ingestion.progress import EventCallback
from ragstone.ingestion.watch.changes import Changes
from ragstone.ingestion.watch.debounce import Delays, Pending, decide_step


class Actions(Protocol):
    """The work of a watcher."""

    async def reindex(self, names: Set[str], *, anyway: bool) -> bool:
        """Bring these sources up to date; False when nothing that matters changed. `anyway`: without that look."""
        ...

    async def flush(self) -> None:
        """Merge what reindexing left beside the index."""
        ...


class Watcher:
    """Follows `changes` until it is cancelled; then it flushes the rest.

    `tell` gets `flushed`, and `problem` with code and message: what failed is tried again.
    """

    def __init__(
        self,
        changes: Changes,
        actions: Actions,
        *,
        delays: Delays,
        tell: EventCallback,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._changes = changes
        self._actions = actions
        self._delays = delays
        self._tell = tell
        self._clock = clock
        self._pending = Pending()
        self._changed: set[str] = set()
        self._problem = ""
        self._dirty = False

    async def run(self, names: Set[str]) -> None:
        """Bring these sources up to date, without a look whether they changed, then follow them.

        Raises `UsageError` if the first run is refused: it would be refused again.
        """
        self._changed = set(names)
        try:
            await self._reindex(first=True)
            while True:
                step = decide_step(self._pending, self._delays, self._clock())
                if step.action == "reindex":
                    await self._reindex()
                elif step.action == "flush":
                    await self._flush()
                elif found := await self._changes.wait(step.seconds):
                    self._changed |= found
                    self._pending = self._pending.note_change(self._clock())
        finally:
            if self._dirty:
                await asyncio.shield(self._flush())

    async def _reindex(self, *, first: bool = False) -> None:
        names, self._changed = self._changed, set()
        before, self._dirty = self._dirty, True  # until it is known: it may be cancelled
        try:
            written = await self._actions.reindex(names, anyway=first or bool(self._problem))
        except RagstoneError as error:
            if first and isinstance(error, UsageError):
                raise
            self._changed |= names
            self._pending = self._pending.note_failure(self._clock(), self._delays)
            self._report(error)
        else:
            self._dirty = before or written
            self._pending = self._pending.note_reindex(self._clock()) if written else self._pending.note_nothing()
            self._problem = ""

    async def _flush(self) -> None:
        try:
            await self._actions.flush()
        except RagstoneError as error:
            self._pending = self._pending.note_reindex(self._clock())
            self._report(error)
        else:
            self._dirty = False
            self._pending = self._pending.note_flush()
            self._tell(Event("flushed", {}))

    def _report(self, error: RagstoneError) -> None:
        """Tell a problem once, however often it is tried again."""
        if str(error) != self._problem:
            self._problem = str(error)
            self._tell(Event("problem", {"code": error.code, "message": str(error)}))
