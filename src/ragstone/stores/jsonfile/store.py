"""The json: store as a whole."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from ragstone.core.errors import UsageError
from ragstone.core.ports import Keys
from ragstone.core.types import Scope
from ragstone.stores.durable_files import file_identity
from ragstone.stores.jsonfile.admin import JsonAdmin
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.stores.jsonfile.ledger import JsonLedger
from ragstone.stores.jsonfile.memory import JsonSearchCache
from ragstone.stores.jsonfile.reader import PROVIDER, JsonReader
from ragstone.stores.jsonfile.writer import JsonWriter
from ragstone.stores.revision_status import utc_now


class JsonStore:
    """See `ragstone.core.ports.Store`. `keep_versions` revisions of a document stay; `now` is the clock."""

    def __init__(self, path: Path, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._path = path
        self._keep = keep_versions
        self._now = now
        self._file = JsonFile(path, now=now)
        self._admin = JsonAdmin(self._file, now=now)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"keyword", "filter", "versions", "snapshot", "export"})

    @property
    def admin(self) -> JsonAdmin:
        return self._admin

    @property
    def keys(self) -> Keys:
        raise UsageError(f"a {PROVIDER} store keeps no keys; use embedded:PATH or postgresql://…, or tokens (JWT)")

    def ledger(self, scope: Scope) -> JsonLedger:
        return JsonLedger(self._file, scope)

    def search_cache(self, scope: Scope) -> JsonSearchCache:
        """See `ragstone.core.ports.SearchCachingStore`."""
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
