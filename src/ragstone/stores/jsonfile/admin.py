"""The collections of a json: store."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from ragstone.core.errors import Corrupt
from ragstone.core.records import Tenant
from ragstone.core.types import Scope
from ragstone.stores.chunk_spans import find_misplaced_chunks
from ragstone.stores.jsonfile.file import JsonFile


class JsonAdmin:
    """Creates, checks and erases collections in the file; implements `Admin`. `now` is the clock that decides which
    revisions are active."""

    def __init__(self, file: JsonFile, *, now: Callable[[], datetime]) -> None:
        self._file = file
        self._now = now

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:  # noqa: ARG002
        """The model does not matter: no vectors are kept."""
        if not await self.exists(scope):
            await self._file.change_scope(scope, lambda content: content, make=True)

    async def exists(self, scope: Scope) -> bool:
        return (scope.tenant, scope.collection) in await self._file.read_all()

    async def drop(self, scope: Scope) -> bool:
        return await self._file.erase_scope(scope)

    async def collections(self, tenant: str) -> list[str]:
        return sorted(collection for owner, collection in await self._file.read_all() if owner == tenant)

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        """Nothing to write down: no vectors are kept."""

    async def tenants(self, own: str) -> list[Tenant]:  # noqa: ARG002  # anyone who can read the file sees everything
        counts = Counter(owner for owner, _ in await self._file.read_all())
        return [Tenant(owner, count) for owner, count in sorted(counts.items())]

    async def begin_erasing(self, tenant: str) -> bool:
        """Nothing to write down: all of a tenant goes in one step."""
        return bool(await self.collections(tenant))

    async def erase(self, tenant: str) -> bool:
        return bool(await self.collections(tenant)) and await self._file.erase_tenant(tenant)

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:  # noqa: ARG002
        """The file is whole or it is not: there is nothing to repair."""
        try:
            content = await self._file.read_scope(scope)
        except Corrupt as error:
            return [str(error)]
        states = [state for state, status in content.list_statuses(self._now(), keep=1) if status == "active"]
        counts = Counter(chunk.id for state in states for chunk in state.chunks)
        twice = [f"duplicate chunk {one}" for one, times in counts.items() if times > 1]
        texts = [
            f"{state.document.path!r} of source {state.document.source!r} is stored damaged (chunk {ordinal} is not "
            "what the text of the document says there); delete the document and ingest it again"
            for state in states
            for ordinal in find_misplaced_chunks(state.chunks, state.record)[:1]
        ]
        return twice + texts
