"""The trace of one question or run: seconds per stage, notes, a model's steps. Failing open lives here and only
here."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ragstone.core.answers import Note, Step
from ragstone.core.errors import UsageError

T = TypeVar("T")
log = logging.getLogger("ragstone")


class Trace:
    """Collects timings (seconds) and notes; not shared between questions."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self.notes: list[Note] = []
        self.steps: list[Step] = []
        self.counts: dict[str, int] = {}

    @contextmanager
    def time_stage(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to `stage`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start

    def note(self, code: str, message: str) -> None:
        """Add a note for the caller, once."""
        note = Note(code, message)
        if note not in self.notes:
            self.notes.append(note)

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count: the candidates of a retriever, passages, tokens."""
        self.counts[name] = self.counts.get(name, 0) + number

    def join(self, other: "Trace") -> None:
        """Append the notes and steps of another trace; add its timings and counts."""
        for stage, seconds in other.timings.items():
            self.timings[stage] = self.timings.get(stage, 0.0) + seconds
        for note in other.notes:
            self.note(note.code, note.message)
        for name, number in other.counts.items():
            self.count(name, number)
        self.steps += other.steps

    def usage(self) -> dict[str, int]:
        """The tokens of all steps together."""
        names = dict.fromkeys(name for step in self.steps for name in step.usage)
        return {name: sum(step.usage.get(name, 0) for step in self.steps) for name in names}

    async def attempt(
        self,
        stage: str,
        work: Awaitable[T],
        default: T,
        *,
        code: str | None = None,
        seconds: float | None = None,
        refused: str | None = None,
    ) -> T:
        """Await an optional stage; on failure give `default`, leave a note (`code`, else the stage's) and a log line.

        One that takes longer than `seconds` has failed, and is cancelled. A caller's mistake (`UsageError`) is raised,
        unless `refused` is the code of a note for it.
        """
        try:
            with self.time_stage(stage):
                async with asyncio.timeout(seconds) as patience:
                    return await work
        except UsageError as error:
            if refused is None:
                raise
            code, why = refused, str(error)
        except Exception as error:  # the one place where any failure may pass
            why = f"it took longer than {seconds:g} s" if patience.expired() else str(error)
            log.debug("%s failed", stage, exc_info=True)
        log.warning("%s failed: %s", stage, why)
        self.note(code or f"{stage}_failed", f"{stage} failed and was left out: {why}")
        return default
