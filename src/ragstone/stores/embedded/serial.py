"""A connection of one's own to a collection, for one call at a time, on the store's threads."""

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors

T = TypeVar("T")


class SerialConnection:
    """What writers share: calls wait for one another, and no foreign error passes."""

    def __init__(self, collection: Collection, connection: sqlite3.Connection, threads: ThreadPool) -> None:
        self._collection = collection
        self._place = collection.place
        self._connection = connection
        self._threads = threads
        self._lock = threading.Lock()

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._threads.run(lambda: self._run_alone(work))

    def _run_alone(self, work: Callable[[], T]) -> T:
        with self._lock, map_errors(self._place.directory):
            return work()

    def close(self) -> None:
        """Give the connection back; waits for a call that is still running."""
        with self._lock:
            self._collection.release(self._connection)
