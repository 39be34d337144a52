"""Earlier searches of a collection: a file of their own beside the one that holds all else."""

import asyncio
from datetime import datetime

from ragstone.core.ports import Remembered
from ragstone.core.types import Scope
from ragstone.stores.foreign import mapped
from ragstone.stores.jsonfile.file import JsonFile


class JsonMemory:
    """See `ragstone.core.ports.Memory`."""

    def __init__(self, file: JsonFile, scope: Scope) -> None:
        self._file = file
        self._scope = scope
        self._kept = file.searches(scope)

    async def of(self, key: str) -> list[Remembered]:
        with mapped(self._kept.path):
            return await asyncio.to_thread(self._kept.of, key)

    async def keep(self, one: Remembered, *, most: int) -> None:
        await self._file.beside(self._scope, lambda: self._kept.keep(one, most=most))

    async def used(self, identity: str, *, at: datetime) -> None:
        with mapped(self._kept.path):
            await asyncio.to_thread(self._kept.used, identity, at=at)

    async def forget(self, *, before: int) -> None:
        with mapped(self._kept.path):
            await asyncio.to_thread(self._kept.forget, before=before)
