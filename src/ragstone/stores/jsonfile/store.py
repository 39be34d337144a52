"""The json: store as a whole."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from ragstone.core.errors import UsageError
from ragstone.core.ports import CachedSearch, Keys
from ragstone.core.types import Scope
from ragstone.stores.durable_files import file_identity
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.jsonfile.admin import JsonAdmin
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.stores.jsonfile.ledger import JsonLedger
from ragstone.stores.jsonfile.reader import PROVIDER, JsonReader
from ragstone.stores.jsonfile.writer import JsonWriter
from ragstone.stores.revision_status import utc_now


class JsonSearchCache:
    """Caches searches in a file beside the store; implements `SearchCache`."""

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


class JsonStore:
    """Keeps collections without vectors in one JSON file; implements `Store`. It keeps `keep_versions` revisions per
    document; `now` is the clock."""

    provider = PROVIDER
    capabilities = frozenset({"keyword", "filter", "versions", "snapshot", "export"})

    def __init__(self, path: Path, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._path = path
        self._keep = keep_versions
        self._now = now
        self._file = JsonFile(path, now=now)
        self.admin = JsonAdmin(self._file, now=now)

    @property
    def keys(self) -> Keys:
        raise UsageError(f"a {PROVIDER} store keeps no keys; use embedded:PATH or postgresql://…, or tokens (JWT)")

    def ledger(self, scope: Scope) -> JsonLedger:
        return JsonLedger(self._file, scope)

    def search_cache(self, scope: Scope) -> JsonSearchCache:
        """The cached searches of a collection; implements `SearchCachingStore`."""
        return JsonSearchCache(self._file, scope)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[JsonReader]:
        content = await self._file.read_scope(scope)
        yield JsonReader(scope, content, self._file.size(), now=self._now(), keep=self._keep)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[JsonWriter]:
        await self._file.read_scope(scope)
        yield JsonWriter(self._file, scope, now=self._now, keep=self._keep)

    async def identity(self) -> str | None:
        return file_identity(self._path)

    async def close(self) -> None:
        self._file.close()
