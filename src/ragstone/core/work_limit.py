"""How long the work on one document may take in this process: parsers of foreign formats run in limited processes of
their own, all else here. And the end of work that nobody waits for any more."""

import threading
import time
from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ragstone.core.errors import Refused


class _Limit(NamedTuple):
    end: float
    message: str


_limit: ContextVar[_Limit | None] = ContextVar("work_limit", default=None)
_left: ContextVar[threading.Event | None] = ContextVar("work_left", default=None)


@contextmanager
def limit_work(seconds: float, message: str) -> Iterator[None]:
    """While this lasts, `check_work` raises `Refused` (too_slow) with this message once the thread has used these
    seconds of the processor. Waiting does not count, so a busy machine skips no document."""
    token = _limit.set(_Limit(time.thread_time() + seconds, message))
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def end_work_with_caller() -> Iterator[None]:
    """Once this is left, `check_work` raises `CancelledError` in threads that were given work here: a run that was
    interrupted waits for them."""
    left = threading.Event()
    token = _left.set(left)
    try:
        yield
    finally:
        left.set()
        _left.reset(token)


def check_work() -> None:
    """Called between steps that are short by themselves. Without a limit it does nothing."""
    left = _left.get()
    if left is not None and left.is_set():
        raise CancelledError
    limit = _limit.get()
    if limit is not None and time.thread_time() > limit.end:
        raise Refused("too_slow", limit.message)
