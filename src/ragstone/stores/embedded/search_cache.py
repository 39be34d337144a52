"""Earlier searches of a collection: a file in its directory, so that it goes with it and is encrypted as it is."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from ragstone.core.ports import CachedSearch
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import database_key
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.search_cache_file import SearchCacheFile

T = TypeVar("T")
CACHE_FILE_NAME = "searches.sqlite"


class EmbeddedSearchCache:
    """Caches searches in a file beside the collection; implements `SearchCache`. `collection` opens it."""

    def __init__(self, collection: Callable[[], Collection], threads: ThreadPool) -> None:
        self._collection = collection
        self._threads = threads

    async def find_by_key(self, key: str) -> list[CachedSearch]:
        return await self._threads.run(lambda: self._run_on_file(lambda file: file.find_by_key(key)))

    async def put_search(self, one: CachedSearch, *, most: int) -> None:
        await self._threads.run(lambda: self._run_on_file(lambda file: file.put_search(one, most=most)))

    async def mark_used(self, identity: str, *, at: datetime) -> None:
        await self._threads.run(lambda: self._run_on_file(lambda file: file.mark_used(identity, at=at)))

    async def remove_before(self, *, before: int) -> None:
        await self._threads.run(lambda: self._run_on_file(lambda file: file.remove_before(before=before)))

    def _run_on_file(self, work: Callable[[SearchCacheFile], T]) -> T:
        place = self._collection().place
        with map_errors(place.directory):
            return work(SearchCacheFile(place.directory / CACHE_FILE_NAME, database_key(place.key)))
