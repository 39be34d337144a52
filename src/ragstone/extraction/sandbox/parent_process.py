"""Tells a child that is deep in a parser that its parent has ended: the kernel's signal needs no help of Python's."""

import fcntl
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def end_with_parent(lifeline: int) -> Iterator[None]:
    """During this block, the end of the process that holds the lifeline (`ragstone.extraction.sandbox.lifeline`) ends
    this process and its group.

    Linux ends on SIGIO; elsewhere the signal is ignored and others watch.
    """
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    own = os.getpid()
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -own if os.getpgrp() == own else own)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        if _has_hung_up(lifeline):  # before the signal was asked for
            raise EOFError
        yield
    finally:
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags)


def _has_hung_up(pipe: int) -> bool:
    poll = select.poll()
    poll.register(pipe, 0)
    return bool(poll.poll(0))
