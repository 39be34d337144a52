"""The collections of a json: store."""

from ragstone.errors import Corrupt
from ragstone.stores.jsonfile.file import JsonFile
from ragstone.types import Scope


class JsonAdmin:
    """See `ragstone.ports.Admin`."""

    def __init__(self, file: JsonFile) -> None:
        self._file = file

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:  # noqa: ARG002
        """The model does not matter: no vectors are kept."""
        if not await self.exists(scope):
            await self._file.change(scope, lambda content: content, make=True)

    async def exists(self, scope: Scope) -> bool:
        return (scope.tenant, scope.collection) in await self._file.everything()

    async def drop(self, scope: Scope) -> bool:
        return await self._file.erase(scope)

    async def collections(self, tenant: str) -> list[str]:
        return sorted(collection for owner, collection in await self._file.everything() if owner == tenant)

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:  # noqa: ARG002
        """The file is whole or it is not: there is nothing to repair."""
        try:
            content = await self._file.content(scope)
        except Corrupt as error:
            return [str(error)]
        seen: set[str] = set()
        doubled = [chunk.id for chunk in content.chunks if chunk.id in seen or seen.add(chunk.id)]  # type: ignore[func-returns-value]  # add is None
        return [f"chunk {one} stands there twice" for one in doubled]
