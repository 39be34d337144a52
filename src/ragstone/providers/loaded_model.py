"""A model that this process runs: loaded when it is first needed, on threads of its own."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class LoadedModel(Generic[T]):
    """A model that `load` gives, loaded once, with the threads that run it."""

    def __init__(self, load: Callable[[], T], *, threads: int, name: str) -> None:
        self._load = load
        self._threads = threads
        self._name = name
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._loading: Future[T] | None = None

    def start_loading(self) -> Future[T]:
        """Begin to load on a thread and return at once; further calls give the same future, unless it has failed."""
        with self._lock:
            failed = self._loading is not None and self._loading.done() and self._loading.exception() is not None
            if self._loading is None or failed:
                self._loading = self._open_pool().submit(self._load)
            return self._loading

    async def wait(self) -> tuple[T, ThreadPoolExecutor]:
        """The model once it is loaded, and its threads; raises the error of loading it."""
        loaded = await asyncio.shield(asyncio.wrap_future(self.start_loading()))
        with self._lock:
            return loaded, self._open_pool()

    def close(self) -> None:
        """Give back threads and memory; the next call would load again."""
        with self._lock:
            pool, self._pool, self._loading = self._pool, None, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _open_pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix=self._name)
        return self._pool
