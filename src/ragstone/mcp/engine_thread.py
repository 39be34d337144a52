"""Engines on an event loop of their own: while one works, the protocol's loop answers, and hears of a cancellation."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ragstone.config.settings import Settings
from ragstone.core.trace import HIDES_PLACES
from ragstone.engine.engine_pool import EnginePool

R = TypeVar("R")
CLEANUP_SECONDS = 30


class EngineThread:
    """A pool of engines and the thread that they work in, from `start` to `close`."""

    def __init__(self, settings: Settings) -> None:
        self.pool = EnginePool(settings)
        self._calls: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ragstone-engines", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    async def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine there and wait for its result; if the wait is cancelled, so is the work."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._track(work), self._loop))

    async def _track(self, work: Coroutine[Any, Any, R]) -> R:
        HIDES_PLACES.set(True)  # in this task alone
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            return await work
        finally:
            self._calls.discard(task)

    async def close(self) -> None:
        """Cancel what still runs, so that a run is marked interrupted, and give back stores, models and the thread."""
        try:
            await self.run(self._finish())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            await asyncio.to_thread(self._thread.join)
            self._loop.close()

    async def _finish(self) -> None:
        others = self._calls - {asyncio.current_task()}  # other tasks, as of a pool of connections, end with it
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=CLEANUP_SECONDS)
        await self.pool.close()
