"""Work that no signal breaks off: in a thread of its own, while the main thread waits.

Python raises `KeyboardInterrupt` between any two instructions of the main thread. Between taking a place of a pool and
giving it back, the place would be gone: after a few interrupts in a notebook the next document would wait for ever.
"""

import _thread
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

LOOK_SECONDS = 0.2  # a signal that another thread was given wakes nobody: whether one came is looked at so often
CLEANUP_SECONDS = 5.0  # that work which was given up has to end


def run_uninterrupted(work: Callable[[], R], give_up: Callable[[], None]) -> R:
    """Call `work`. An interrupt calls `give_up`, after which `work` should end soon, and is raised when it has."""
    if threading.current_thread() is not threading.main_thread():  # no signal is handled there
        return work()
    ended = _thread.allocate_lock()
    ended.acquire()
    outcome: list[tuple[R, None] | tuple[None, BaseException]] = []

    def run() -> None:
        try:
            outcome.append((work(), None))
        except BaseException as error:  # raised in the thread that waits
            outcome.append((None, error))
        finally:
            ended.release()

    begun = False
    try:
        # `threading.Thread` would wait for the start with locks that an interrupt can leave taken.
        _thread.start_new_thread(contextvars.copy_context().run, (run,))
        begun = True
        while not outcome:
            ended.acquire(timeout=LOOK_SECONDS)
    except BaseException:
        give_up()
        if begun and not outcome:
            ended.acquire(timeout=CLEANUP_SECONDS)
        raise
    result, error = outcome.pop()
    try:
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # there is one where there is no error
    finally:
        del error  # its traceback holds this frame: a circle would keep a refused document's bytes
