"""When to reindex and when to flush: a pure function of the times of events, in seconds of any clock."""

from dataclasses import dataclass, replace
from typing import Literal

MOST = 10  # delays after the first event of a burst: a folder that is never quiet is not put off any longer


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds of quiet before changes are reindexed, and before reindexed changes are flushed."""

    reindex: float = 2.0
    flush: float = 30.0


@dataclass(frozen=True, slots=True)
class Burst:
    """The times of the first and the last event of a kind."""

    first: float
    last: float

    def find_due(self, quiet: float) -> float:
        """When the burst counts as over."""
        return min(self.last + quiet, self.first + MOST * quiet)


@dataclass(frozen=True, slots=True)
class Pending:
    """Work that waits: `changed` for a reindex, `indexed` for a flush."""

    changed: Burst | None = None
    indexed: Burst | None = None

    def note_change(self, at: float) -> "Pending":
        """Something changed."""
        return replace(self, changed=Burst(self.changed.first if self.changed else at, at))

    def note_reindex(self, at: float) -> "Pending":
        """All changes so far were reindexed."""
        return Pending(None, Burst(self.indexed.first if self.indexed else at, at))

    def note_nothing(self) -> "Pending":
        """The changes so far do not matter."""
        return replace(self, changed=None)

    def note_failure(self, at: float, delays: Delays) -> "Pending":
        """A reindex failed: it is tried again after `delays.flush`, or after the next change."""
        again = at + delays.flush - delays.reindex
        return replace(self, changed=Burst(again, again))

    def note_flush(self) -> "Pending":
        """All reindexed changes were flushed."""
        return replace(self, indexed=None)


@dataclass(frozen=True, slots=True)
class Step:
    """The work to do now; a wait lasts `seconds`, None for as long as nothing happens."""

    action: Literal["reindex", "flush", "wait"]
    seconds: float | None = None


def decide_step(pending: Pending, delays: Delays, now: float) -> Step:
    """The next step: what is due, a reindex before a flush, else a wait until something is."""
    reindex = pending.changed.find_due(delays.reindex) if pending.changed else None
    flush = pending.indexed.find_due(delays.flush) if pending.indexed else None
    if reindex is not None and reindex <= now:
        return Step("reindex")
    if flush is not None and flush <= now:
        return Step("flush")
    due = [at for at in (reindex, flush) if at is not None]
    return Step("wait", min(due) - now if due else None)
