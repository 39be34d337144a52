"""Causes of waits, told to the one that cuts them off: a deadline that passes names the cause beside itself."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WaitCause:
    """The cause of a wait in a sentence; `is_busy`: the other side answers, and works for others now."""

    said: str
    is_busy: bool = False


_CAUSES: ContextVar[list[WaitCause] | None] = ContextVar("ragstone_waits", default=None)


@contextmanager
def collect_waits() -> Iterator[list[WaitCause]]:
    """The causes of waits that are cut off in this block, also in tasks that it starts."""
    causes: list[WaitCause] = []
    token = _CAUSES.set(causes)
    try:
        yield causes
    finally:
        _CAUSES.reset(token)


@contextmanager
def explain_wait(describe: Callable[[], WaitCause]) -> Iterator[None]:
    """A block that waits for another program: where it is cut off, `describe` gives the cause.

    >>> with collect_waits() as causes:
    ...     try:
    ...         with explain_wait(lambda: WaitCause("the server does not answer")):
    ...             raise asyncio.CancelledError
    ...     except asyncio.CancelledError:
    ...         print(causes[0].said)
    the server does not answer
    """
    try:
        yield
    except asyncio.CancelledError:
        if (causes := _CAUSES.get()) is not None:
            causes.append(describe())
        raise
