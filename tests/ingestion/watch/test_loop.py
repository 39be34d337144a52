"""The watcher's loop over a clock and changes by hand: what is done when, also after failures and at the end."""

import asyncio
from collections.abc import Sequence, Set

import pytest

from ragstone.core.answers import Event
from ragstone.core.errors import StoreError, UsageError
from ragstone.ingestion.watch import Delays, Watcher


class Script:
    """Changes at given times, and the clock that goes with them; at the end it cancels the watcher."""

    def __init__(self, times: Sequence[float], *, end: float) -> None:
        self._times = list(times)
        self._end = end
        self.now = 0.0

    async def wait(self, seconds: float | None) -> set[str]:
        until = self._end if seconds is None else self.now + seconds
        if self._times and self._times[0] <= until:
            self.now = self._times.pop(0)
            return {"docs"}
        if until >= self._end:
            self.now = self._end
            raise asyncio.CancelledError
        self.now = until
        return set()


class Notes:
    """Writes down what a watcher does; `failing` are the reindexes, from 0, that fail."""

    def __init__(self, script: Script, *, failing: dict[int, Exception] | None = None, idle: Set[int] = frozenset()):
        self._script = script
        self._failing = failing or {}
        self._idle = idle
        self._count = 0
        self.done: list[tuple[str, float]] = []

    async def reindex(self, names: Set[str], *, anyway: bool) -> bool:
        self.done.append(("anyway" if anyway else "reindex", self._script.now))
        self._count += 1
        if error := self._failing.get(self._count - 1):
            raise error
        return self._count - 1 not in self._idle

    async def flush(self) -> None:
        self.done.append(("flush", self._script.now))


async def follow(script: Script, notes: Notes) -> list[str]:
    """Run a watcher to the end of its script; the events that it told."""
    told: list[Event] = []
    watcher = Watcher(script, notes, delays=Delays(), tell=told.append, clock=lambda: script.now)
    with pytest.raises(asyncio.CancelledError):
        await watcher.run({"docs"})
    return [event.data.get("message", event.name) for event in told]


async def test_a_burst_is_one_reindex_and_a_flush_follows() -> None:
    script = Script([40.0, 41.0, 42.5], end=100.0)
    notes = Notes(script)
    assert await follow(script, notes) == ["flushed", "flushed"]
    assert notes.done == [("anyway", 0.0), ("flush", 30.0), ("reindex", 44.5), ("flush", 74.5)]


async def test_a_stop_flushes_what_is_pending() -> None:
    script = Script([40.0], end=45.0)
    notes = Notes(script)
    await follow(script, notes)
    assert notes.done[-2:] == [("reindex", 42.0), ("flush", 45.0)]


async def test_changes_that_do_not_matter_lead_to_no_flush() -> None:
    script = Script([40.0], end=100.0)
    notes = Notes(script, idle={1})
    await follow(script, notes)
    assert notes.done == [("anyway", 0.0), ("flush", 30.0), ("reindex", 42.0)]


async def test_a_failure_is_told_once_and_tried_again_until_it_works() -> None:
    script = Script([40.0], end=200.0)
    away = StoreError("the database is away")
    notes = Notes(script, failing={1: away, 2: away})
    assert await follow(script, notes) == ["flushed", "the database is away", "flushed"]
    assert [what for what in notes.done if what[0] != "flush"] == [
        ("anyway", 0.0),
        ("reindex", 42.0),
        ("anyway", 72.0),
        ("anyway", 102.0),
    ]


async def test_what_the_first_run_refuses_ends_it() -> None:
    script = Script([], end=10.0)
    watcher = Watcher(script, Notes(script, failing={0: UsageError("no")}), delays=Delays(), tell=lambda _: None)
    with pytest.raises(UsageError):
        await watcher.run({"docs"})
