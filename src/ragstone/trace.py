"""What one question or run did: seconds a stage, and notes. Failing open lives here and only here."""

import logging
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ragstone.errors import UsageError
from ragstone.types import Note

T = TypeVar("T")
log = logging.getLogger("ragstone")


class Trace:
    """Collects timings (seconds) and notes; not shared between questions."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self.notes: list[Note] = []

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to `stage`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start

    def note(self, code: str, message: str) -> None:
        """Tell the caller something, once."""
        note = Note(code, message)
        if note not in self.notes:
            self.notes.append(note)

    async def attempt(self, stage: str, work: Awaitable[T], default: T, *, code: str | None = None) -> T:
        """Await an optional stage; on failure give `default`, leave a note (`code`, else the stage's) and a log line.

        A caller's mistake (`UsageError`) is no reason to go on and is raised.
        """
        try:
            with self.timed(stage):
                return await work
        except UsageError:
            raise
        except Exception as error:  # the one place where any failure may pass
            log.warning("%s failed: %s", stage, error, exc_info=log.isEnabledFor(logging.DEBUG))
            self.note(code or f"{stage}_failed", f"{stage} failed and was left out: {error}")
            return default
