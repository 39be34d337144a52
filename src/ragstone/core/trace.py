"""The trace of one question or run: seconds per stage, notes, a model's steps. Failing open lives here and only
here."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

from ragstone.core.answers import Note, Step
from ragstone.core.errors import UsageError, is_for_operator, tell_caller
from ragstone.core.spans import NOTHING, Value, open_span

T = TypeVar("T")
log = logging.getLogger("ragstone")

# Set where callers are not the operator: notes name no place and no setting of the server; its log does.
HIDES_PLACES: ContextVar[bool] = ContextVar("hides_places", default=False)
LOG_HINT = "see the server's log for this request id"


class Trace:
    """Collects timings (seconds) and notes; not shared between questions."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self.notes: list[Note] = []
        self.steps: list[Step] = []
        self.counts: dict[str, int] = {}

    @contextmanager
    def time_stage(
        self, stage: str, *, span: str | None = None, attributes: Mapping[str, Value] = NOTHING
    ) -> Iterator[None]:
        """Add the wall time of the block to `stage`; `span` is the name of its span [default: the stage's], "" for
        none."""
        start = time.perf_counter()
        try:
            with nullcontext() if span == "" else open_span(span or stage, attributes):
                yield
        finally:
            self.add_seconds(stage, time.perf_counter() - start)

    def add_seconds(self, stage: str, seconds: float) -> None:
        """Add seconds that were measured elsewhere to `stage`."""
        self.timings[stage] = self.timings.get(stage, 0.0) + seconds

    def note(self, code: str, message: str) -> None:
        """Add a note for the caller, once."""
        note = Note(code, message)
        if note not in self.notes:
            self.notes.append(note)

    def forget_results(self, since: "Trace") -> None:
        """Go back to the notes and counts of a copy that was made before; the time that passed stays."""
        self.notes, self.counts = list(since.notes), dict(since.counts)

    def copy_results(self) -> "Trace":
        """A trace with the notes and counts so far."""
        made = Trace()
        made.notes, made.counts = list(self.notes), dict(self.counts)
        return made

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count: the candidates of a retriever, passages, tokens."""
        self.counts[name] = self.counts.get(name, 0) + number

    def join_slowest(self, other: "Trace") -> None:
        """Take over the timings of one of several works that run at once: of each stage the longest."""
        for stage, seconds in other.timings.items():
            self.timings[stage] = max(self.timings.get(stage, 0.0), seconds)

    def join(self, other: "Trace", *, at_once: bool = False) -> None:
        """Append the notes and steps of another trace; add its timings and counts. Of works that run `at_once` the
        longest time of each stage counts."""
        if at_once:
            self.join_slowest(other)
        else:
            for stage, seconds in other.timings.items():
                self.add_seconds(stage, seconds)
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
        span: str | None = None,
    ) -> T:
        """Await an optional stage; on failure give `default`, leave a note (`code`, else the stage's) and a log line.

        One that takes longer than `seconds` has failed, and is cancelled. A caller's mistake (`UsageError`) is raised,
        unless `refused` is the code of a note for it.
        """
        try:
            with self.time_stage(stage, span=span):
                async with asyncio.timeout(seconds) as patience:
                    return await work
        except UsageError as error:
            if refused is None:
                raise
            code, why, said = refused, str(error), _tell(error)
        except Exception as error:  # the one place where any failure may pass
            late = f"it took longer than {seconds:g} s" if patience.expired() else None
            why, said = late or str(error), late or _tell(error)
            log.debug("%s failed", stage, exc_info=True)
        log.warning("%s failed: %s", stage, why)
        self.note(code or f"{stage}_failed", f"{stage} failed and was left out: {said}")
        return default


def _tell(error: Exception) -> str:
    """The sentence of an error for the caller of this question."""
    if not HIDES_PLACES.get():
        return str(error)
    return f"{tell_caller(error)}: {LOG_HINT}" if is_for_operator(error) else tell_caller(error)
