"""How signals end a command: the first as Ctrl-C does, with time to give everything back, a later one at once.

Python raises `KeyboardInterrupt` between any two instructions of the main thread, also where a module of its own has
taken a lock and not yet noted that: another thread then waits for ever. So the exception waits until the main thread
has left such a module, or stands still in it.
"""

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a supervisor's word, a terminal that is closed
INTERRUPTED = 128 + signal.SIGINT  # as shells count
CONTINUE = "interrupted: finished work is kept; run the same command to continue"
# Python's modules that hold locks by other means than the `with` of a C object, or start what nobody else knows yet.
FRAGILE = (
    "<frozen importlib._bootstrap>",
    "/_weakrefset.py",
    "/concurrent/futures/_base.py",
    "/concurrent/futures/thread.py",
    "/queue.py",
    "/subprocess.py",
    "/tempfile.py",
    "/threading.py",
)
LOOK_AGAIN_SECONDS = 0.002
REPEAT_SECONDS = 1.0  # in which a second signal is the same one: a terminal and a shell's job may both send it
EXIT_SECONDS = 1.0  # that what is to be done at an exit may take when a second signal has come


class Interrupts:
    """The signals of this process and what came of them."""

    def __init__(self) -> None:
        self._hear_others = sys.__unraisablehook__
        self._hear_threads = threading.__excepthook__
        self._catching = False
        self.reset()

    def reset(self) -> None:
        """As before the first command."""
        self.sentence = CONTINUE
        self._number: int | None = None
        self._since = 0.0
        self._told = False
        self._raised = False
        self._place: tuple[int, int] | None = None  # where the main thread was when last looked at
        self._finished: int | None = None

    @property
    def received(self) -> bool:
        """Whether a signal asked for the end."""
        return self._number is not None

    @property
    def status(self) -> int:
        """The exit status of a command that was interrupted."""
        return INTERRUPTED if self._number is None else 128 + self._number

    def catch(self) -> None:
        """Handle the signals that are not handled or ignored, as under nohup, already."""
        self.reset()
        for name in SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                with suppress(ValueError):  # only the main thread hears signals
                    signal.signal(number, self.handle)
        if not self._catching:
            self._catching = True
            atexit.register(self._ignore)
        if sys.unraisablehook != self._hear_swallowed:
            self._hear_others, sys.unraisablehook = sys.unraisablehook, self._hear_swallowed
        if threading.excepthook != self._hear_thread:
            self._hear_threads, threading.excepthook = threading.excepthook, self._hear_thread

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The first signal raises `KeyboardInterrupt` in the main thread; one that comes later ends the process."""
        if self._finished is not None:
            end_process(self._finished)
        if self._number is None:
            self._number, self._since = number, time.monotonic()
            self._raise_when_safe(frame)
        elif time.monotonic() - self._since > REPEAT_SECONDS:
            if not self._told:
                with suppress(OSError):
                    os.write(2, f"{self.sentence}\n".encode())
            end_process(self.status)

    def tell(self) -> int:
        """Say once that the command was interrupted; the exit status."""
        if not self._told:
            self._told = True
            with suppress(OSError):  # the terminal is closed
                print(self.sentence, file=sys.stderr, flush=True)
        return self.status

    def mark_told(self) -> int:
        """The command says in its own words that it was interrupted; the exit status."""
        self._told = True
        return self.status

    def finish(self, status: int) -> None:
        """All is done but Python's own end, which a signal cuts short."""
        self._finished = status
        # Python notes an interrupt that comes out of `exec`, as of a dataclass that is made, forgets it at the next
        # `exec`, and else ends by SIGINT in place of the status.
        exec("")  # noqa: S102  # nothing is executed

    def _ignore(self) -> None:
        """Python has next to nothing left to do, and no handlers any more: a signal would only change the status."""
        for name in SIGNALS:
            if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) == self.handle:
                with suppress(ValueError):  # in the thread that ends the process
                    signal.signal(number, signal.SIG_IGN)

    def _raise_when_safe(self, frame: FrameType | None) -> None:
        place = None if frame is None else (id(frame), frame.f_lasti)
        if frame is None or place == self._place or not frame.f_code.co_filename.endswith(FRAGILE):
            self._raised = True
            raise KeyboardInterrupt
        self._place = place
        signal.signal(signal.SIGALRM, self._look_again)
        signal.setitimer(signal.ITIMER_REAL, LOOK_AGAIN_SECONDS)

    def _look_again(self, _number: int, frame: FrameType | None) -> None:
        if self._finished is None and not self._raised:
            self._raise_when_safe(frame)

    def _hear_swallowed(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Where Python lets no exception pass, as in `__del__`, an interrupt is raised again a moment later. What else
        fails there after an interrupt, as an object that was not made to its end, has nothing to say."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt) and self._number is not None:
            self._raised, self._place = False, None
            signal.signal(signal.SIGALRM, self._look_again)
            signal.setitimer(signal.ITIMER_REAL, LOOK_AGAIN_SECONDS)
        elif not self.received:
            self._hear_others(unraisable)

    def _hear_thread(self, failed: "threading.ExceptHookArgs") -> None:
        """A thread that ends in an error after an interrupt, as a loop that is closed, has nothing to say."""
        if not self.received:
            self._hear_threads(failed)


interrupts = Interrupts()


def end_process(status: int) -> NoReturn:
    """End now. Children and temporary folders are given back as at any exit, if that takes no longer than a moment:
    the main thread may hold a lock that it would need."""
    done = _thread.allocate_lock()
    done.acquire()

    def give_back() -> None:
        with suppress(BaseException):
            atexit._run_exitfuncs()  # there is no public one
        done.release()

    with suppress(RuntimeError):  # Python is ending: no thread starts any more
        _thread.start_new_thread(give_back, ())
        done.acquire(timeout=EXIT_SECONDS)
    os._exit(status)
