"""The child processes of one pool: which there are, and which have nothing to do.

Two pools keep their children here. A child of the sandbox reads foreign bytes: it gets nothing of the parent's
environment, has limits of memory, time and system calls, answers in values that cannot act, and is killed where a
document breaks a limit. A worker of `ragstone.ingestion.workers` runs the caller's own rules, a tokenizer of his own
among them: it needs the environment and pickles, has no limits, and has a sandbox of its own for foreign bytes.
"""

import threading
from typing import Generic, TypeVar

C = TypeVar("C")


class Children(Generic[C]):
    """At most `most` at work: a thread holds one of `places` while it uses a child. Any thread may call."""

    def __init__(self, most: int) -> None:
        self.places = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._all: list[C] = []
        self._idle: list[C] = []

    def take_idle(self) -> C | None:
        """One that has nothing to do, now the caller's; None where a new one is needed."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def take_all_idle(self) -> list[C]:
        """All that have nothing to do, now the caller's."""
        with self._lock:
            idle, self._idle = self._idle, []
        return idle

    def add(self, child: C) -> None:
        """One that was started, for the caller's use."""
        with self._lock:
            self._all.append(child)

    def give_back(self, child: C) -> None:
        """The caller does not use it any more; it waits for the next."""
        with self._lock:
            self._idle.append(child)

    def remove(self, child: C) -> None:
        """One that has ended."""
        with self._lock:
            self._all.remove(child)

    def list_all(self) -> list[C]:
        """Those that work and those that do not."""
        with self._lock:
            return list(self._all)

    def list_working(self) -> list[C]:
        """Those that some thread uses."""
        with self._lock:
            return [child for child in self._all if child not in self._idle]

    def list_after_fork(self) -> list[C]:
        """All of them in a forked process: the thread that held the lock may not be there."""
        return list(self._all)
