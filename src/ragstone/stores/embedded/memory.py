"""Earlier searches of a collection: a file in its directory, so that it goes with it and is encrypted as it is."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from ragstone.core.ports import Remembered
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import raw
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.foreign import mapped
from ragstone.stores.remembered import CacheFile

T = TypeVar("T")
FILE = "searches.sqlite"


class EmbeddedMemory:
    """See `ragstone.core.ports.Memory`. `collection` opens it."""

    def __init__(self, collection: Callable[[], Collection], threads: Threads) -> None:
        self._collection = collection
        self._threads = threads

    async def of(self, key: str) -> list[Remembered]:
        return await self._threads.run(lambda: self._on(lambda file: file.of(key)))

    async def keep(self, one: Remembered, *, most: int) -> None:
        await self._threads.run(lambda: self._on(lambda file: file.keep(one, most=most)))

    async def used(self, identity: str, *, at: datetime) -> None:
        await self._threads.run(lambda: self._on(lambda file: file.used(identity, at=at)))

    async def forget(self, *, before: int) -> None:
        await self._threads.run(lambda: self._on(lambda file: file.forget(before=before)))

    def _on(self, work: Callable[[CacheFile], T]) -> T:
        place = self._collection().place
        with mapped(place.directory):
            return work(CacheFile(place.directory / FILE, raw(place.key)))
