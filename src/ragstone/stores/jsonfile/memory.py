"""Earlier searches of a collection: a file of their own beside the one that holds all else."""

import asyncio
from datetime import datetime

from ragstone.core.ports import CachedSearch
from ragstone.core.types import Scope
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.jsonfile.file import JsonFile


class JsonSearchCache:
    """See `ragstone.core.ports.SearchCache`."""

    def __init__(self, file: JsonFile, scope: Scope) -> None:
        self._file = file
        self._scope = scope
        self._kept = file.search_cache_file(scope)

    async def find_by_key(self, key: str) -> list[CachedSearch]:
        with map_errors(self._kept.path):
            return await asyncio.to_thread(self._kept.find_by_key, key)

    async def put_search(self, one: CachedSearch, *, most: int) -> None:
        await self._file.run_beside(self._scope, lambda: self._kept.put_search(one, most=most))

    async def mark_used(self, identity: str, *, at: datetime) -> None:
        with map_errors(self._kept.path):
            await asyncio.to_thread(self._kept.mark_used, identity, at=at)

    async def remove_before(self, *, before: int) -> None:
        with map_errors(self._kept.path):
            await asyncio.to_thread(self._kept.remove_before, before=before)
