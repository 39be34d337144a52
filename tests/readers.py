"""Processes that read files, handed from one test's engine to the next: to start one takes longer than most tests."""

import os
import threading

from ragstone.extraction.sandbox.child import Child
from ragstone.extraction.sandbox.pool import Pool, _Use

_handed: list[Child] = []
_lock = threading.Lock()


class Readers(Pool):
    """As in an engine that stays open, the next document is read by the child that has nothing to do."""

    def close(self) -> None:
        for child in self._children.take_all_idle():
            self._children.remove(child)
            with _lock:
                _handed.append(child)
        super().close()

    def _start_child(self, use: _Use) -> Child:
        with _lock:
            child = _handed.pop() if _handed else None
        if child is None:
            return super()._start_child(use)
        if not child.is_quiet():  # it has ended, or is about to
            _ended(child)
            return self._start_child(use)
        self._children.add(child)
        use.begin(child)
        return child


def end_all() -> None:
    """For a test that counts processes or looks at how they start, and after the last one."""
    while _handed:
        _ended(_handed.pop())


def _ended(child: Child) -> None:
    child.end()
    child.close()


def _forget() -> None:
    while _handed:
        _handed.pop().forget()


os.register_at_fork(after_in_child=_forget)
