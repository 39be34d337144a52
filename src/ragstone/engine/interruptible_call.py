"""A coroutine that an event loop runs while another thread waits for it, and may be interrupted at any instruction."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent import futures
from typing import Any, Generic, cast

from ragstone.engine.waiting import R


class InterruptibleCall(Generic[R]):
    """A coroutine on a loop that may be given up at any moment, even while it is handed over.

    The waiting thread takes no lock that the loop needs: an interrupt between taking and giving back one of
    `concurrent.futures` or of a `threading.Event` would stop the loop for ever.
    """

    def __init__(self, work: Coroutine[Any, Any, R]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._running = False
        self._given_up = False
        self._result: R | None = None
        self._error: BaseException | None = None
        self._gate = threading.Lock()  # locked until the coroutine has ended; nobody but the waiting threads takes it
        self._gate.acquire()
        self.ended = False

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False where it did not come in time."""
        if not self.ended and self._gate.acquire(timeout=seconds):
            self._gate.release()  # another thread may wait too
        return self.ended

    def result(self) -> R:
        """The coroutine's result after its end; raises what it raised, `futures.CancelledError` where it was
        cancelled."""
        error, self._error = self._error, None
        try:
            if isinstance(error, asyncio.CancelledError):
                raise futures.CancelledError from error
            if error is not None:
                raise error
            return cast(R, self._result)
        finally:
            del error  # its traceback holds this frame: a circle would keep all values on its way alive

    def begin(self) -> None:
        """Start the coroutine; called on the loop."""
        if not self.ended:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def give_up(self) -> None:
        """Cancel the coroutine, or close it where it does not run yet; called on the loop, after `begin`."""
        self._given_up = True
        if self._running and self._task is not None:
            self._task.cancel()
        elif self._task is None and not self.ended:
            self._discard()

    async def _run(self) -> None:
        """Run the coroutine and keep what comes of it, also what would end the loop if it were raised there (by a
        `tell` that wants to stop, say)."""
        if self._given_up:  # a task that is cancelled before its first step never takes it
            self._discard()
            return
        self._running = True
        try:
            self._result = await self._work
        except BaseException as error:  # raised in the thread that waits
            self._end(error)
        else:
            self._end(None)

    def _discard(self) -> None:
        self._work.close()
        self._end(asyncio.CancelledError())

    def _end(self, error: BaseException | None) -> None:
        # The loop's thread lets go of the task: where it goes, Python calls back and swallows an interrupt.
        self._task = None
        self._error, self.ended = error, True
        self._gate.release()
