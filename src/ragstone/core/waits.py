"""Causes of waits, told to the one that cuts them off: a deadline that passes names the cause beside itself."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LATE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WaitCause:
    """The cause of a wait in a sentence; `is_busy`: the other side answers, and works for others now."""

    said: str
    is_busy: bool = False


_CAUSES: ContextVar[list[WaitCause] | None] = ContextVar("ragstone_waits", default=None)
# Whether a client waits for what is done now: it is told at once of a server that is known to be lost.
HAS_CLIENT: ContextVar[bool] = ContextVar("ragstone_has_client", default=False)


def is_limited() -> bool:
    """Whether somebody waits who would rather be told at once than late: a client, or a block with a deadline."""
    return HAS_CLIENT.get() or _CAUSES.get() is not None


@contextmanager
def collect_waits() -> Iterator[list[WaitCause]]:
    """The causes of waits in this block that are cut off, or last for long, also in tasks that it starts."""
    causes: list[WaitCause] = []
    token = _CAUSES.set(causes)
    try:
        yield causes
    finally:
        _CAUSES.reset(token)


@contextmanager
def explain_wait(describe: Callable[[], WaitCause], *, known: WaitCause | None = None) -> Iterator[None]:
    """A block that waits for another program: where it is cut off, `describe` gives the cause. A cause that is `known`
    when it begins counts too where the wait ends after all, but late: little time is left then.

    >>> with collect_waits() as causes:
    ...     try:
    ...         with explain_wait(lambda: WaitCause("the server does not answer")):
    ...             raise asyncio.CancelledError
    ...     except asyncio.CancelledError:
    ...         print(causes[0].said)
    the server does not answer
    """
    causes, begun = _CAUSES.get(), time.monotonic()
    try:
        yield
    except asyncio.CancelledError:
        if causes is not None:
            causes.append(describe())
        raise
    if causes is not None and known is not None and time.monotonic() - begun > LATE_SECONDS:
        causes.append(known)
