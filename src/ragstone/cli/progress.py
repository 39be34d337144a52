"""How far a run is: bars in a terminal, JSON lines with `--json`, else nothing."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from ragstone.core.answers import Event

LABELS = {
    "pages": "pages",
    "listed": "files listed",
    "text": "documents",
    "vectors": "vectors",
    "sparse": "sparse vectors",
    "written": "vectors of summaries and questions",
    "copied": "copied",
    "verified": "verified",
}
BEFORE = "starting"  # until the first event
EVERY_SECONDS = 1.0


class ProgressDisplay:
    """Hears a run's events. With `ndjson`: a JSON line a second on stdout. Else, in a terminal: bars with time, rate
    and time left, on stderr; they move between events too, so that a long document does not look like a stop."""

    def __init__(self, *, ndjson: bool) -> None:
        self._ndjson = ndjson
        self._bars: Any = make_bars() if not ndjson and sys.stderr.isatty() else None
        self._waiting: Any = self._bars.add_task(BEFORE, total=None) if self._bars is not None else None
        self._tasks: dict[str, Any] = {}
        self._since = self._bars.get_time() if self._bars is not None else 0.0
        self._last = 0.0

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def show_event(self, event: Event) -> None:
        """Show an event with `done` and `total`, and of which collection it is where there are several."""
        if event.name not in LABELS:
            return
        done, total = event.data["done"], event.data["total"]
        of = {name: event.data[name] for name in ("collection",) if name in event.data}
        if self._bars is not None:
            self._draw(" ".join([*of.values(), LABELS[event.name]]), done, total)
        elif self._ndjson and (done == total or time.monotonic() - self._last >= EVERY_SECONDS):
            self._last = time.monotonic()
            line = {"schema": 1, "event": event.name, **of, "done": done, "total": total}
            with suppress(OSError):  # whether somebody looks on must not decide the run
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()

    def _draw(self, name: str, done: int, total: int | None) -> None:
        if self._waiting is not None:
            self._bars.remove_task(self._waiting)
            self._waiting = None
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total)
            self._bars.tasks[-1].start_time = self._since  # the first event comes with work done since the last stage
        self._since = self._bars.get_time()
        self._bars.update(self._tasks[name], completed=done, total=total)


@contextmanager
def show_activity(label: str) -> Iterator[Callable[[], None]]:
    """A line on a terminal's stderr that moves until the block ends, or until the function that it gives is called."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console

    status = Console(stderr=True).status(label)
    status.start()
    try:
        yield status.stop
    finally:
        status.stop()


def estimate_remaining(done: float, total: float, seconds: float) -> float | None:
    """The seconds that are left after `seconds` of work, by the mean rate: it settles as work goes on, and grows
    while a long document holds the work up.

    >>> estimate_remaining(10, 40, 5.0)
    15.0
    """
    return seconds * (total - done) / done if done > 0 else None


def make_bars(console: Any = None, get_time: Callable[[], float] | None = None) -> Any:
    """Bars that draw themselves ten times a second on a terminal, by default on stderr, and by a clock in seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Any) -> Text:
            if task.total is None:
                return Text(f"{task.completed:.0f}" if task.completed else "")
            rate = f" {task.completed / task.elapsed:.1f}/s" if task.elapsed else ""
            return Text(f"{task.completed:.0f}/{task.total:.0f}{rate}")

    class Remaining(ProgressColumn):
        def render(self, task: Any) -> Text:
            left = None if task.total is None else estimate_remaining(task.completed, task.total, task.elapsed or 0.0)
            return Text(f"{timedelta(seconds=round(left))} left" if left else "")

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), Rate(), TimeElapsedColumn(), Remaining())
    return Bars(*columns, console=console or Console(stderr=True), get_time=get_time)
