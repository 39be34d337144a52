"""The json: store as a whole."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ragstone.stores.jsonfile.admin import JsonAdmin
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.stores.jsonfile.ledger import JsonLedger
from ragstone.stores.jsonfile.reader import PROVIDER, JsonReader
from ragstone.stores.jsonfile.writer import JsonWriter
from ragstone.types import Scope


class JsonStore:
    """See `ragstone.ports.Store`."""

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path)
        self._admin = JsonAdmin(self._file)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"keyword", "filter", "snapshot"})

    @property
    def admin(self) -> JsonAdmin:
        return self._admin

    def ledger(self, scope: Scope) -> JsonLedger:
        return JsonLedger(self._file, scope)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[JsonReader]:
        content = await self._file.content(scope)
        yield JsonReader(scope, content, self._file.size())

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[JsonWriter]:
        await self._file.content(scope)
        yield JsonWriter(self._file, scope)

    async def close(self) -> None:
        self._file.close()
