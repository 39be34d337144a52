"""Where blocking work runs: one small pool of threads for a store."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ragstone.core.errors import StoreError

T = TypeVar("T")
MAX_THREADS = 4


class ThreadPool:
    """A bounded executor, started when first used."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=name)
        self.closed = False

    async def run(self, work: Callable[[], T], *, undo: Callable[[T], None] | None = None) -> T:
        """Do blocking work elsewhere; when no caller waits for its result any more, `undo` takes the result back.

        Raises `StoreError` after `close`.
        """
        try:
            future = self._pool.submit(work)
        except RuntimeError as error:
            why = "the store is closed" if self.closed else f"the store cannot start a thread ({error})"
            raise StoreError(f"{why}; open it anew") from error
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if undo is not None:
                future.add_done_callback(lambda done: _undo_result(done, undo))
            raise

    async def release(self, work: Callable[[], None]) -> None:
        """Close the opened resources: elsewhere as all work, or here when the threads have ended before."""
        if self.closed:
            work()
        else:
            await self.run(work)

    def close(self) -> None:
        """Wait for what runs, then end the threads."""
        self.closed = True
        self._pool.shutdown(wait=True)


def _undo_result(future: "Future[T]", undo: Callable[[T], None]) -> None:
    if not future.cancelled() and future.exception() is None:
        undo(future.result())
