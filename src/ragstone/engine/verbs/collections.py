"""What makes collections, lists them, looks after them and erases."""

from ragstone.core.errors import ConfigError, NoKey, NotBuilt, RagstoneError, StoreError
from ragstone.core.types import Info, Run, Scope
from ragstone.engine.arguments import checked
from ragstone.engine.artifact_cleanup import dropped, forgotten, kept_at, sweep
from ragstone.engine.run_setup import intake_of, pin
from ragstone.engine.verbs.base import Group
from ragstone.engine.visible_documents import newest, state_of
from ragstone.ingestion import artifacts


class Care(Group):
    """The verbs for collections as a whole."""

    @checked()
    async def delete(self, path: str, *, source: str | None = None) -> int:
        """Take documents with this path away; returns how many."""
        doomed = [document.id for document in await newest(self._parts, source) if document.path == path]
        async with self.store.writer(self.scope) as writer:
            await writer.remove(doomed)
            await writer.settle()
        await forgotten(self._parts)
        await sweep(self._parts, self.scope, await kept_at(self._parts, self.scope))
        return len(doomed)

    @checked()
    async def runs(self, limit: int = 20) -> list[Run]:
        """The latest ingestion runs."""
        return await self.store.ledger(self.scope).runs(limit)

    async def collections(self) -> list[Info]:
        """The tenant's collections."""
        out = []
        for name in await self.store.admin.collections(self.scope.tenant):
            scope = Scope(self.scope.tenant, name)
            try:
                async with self.store.reader(scope) as reader:
                    out.append(await reader.info())
            except NotBuilt:
                continue  # erased meanwhile
            except NoKey:
                raise  # of the tenant, not of this collection
            except StoreError as error:
                out.append(Info.broken(scope, self.store.provider, str(error)))
        return out

    async def create(self) -> Info:
        """Make this collection, empty, for vectors of the configured model; nothing changes where it exists."""
        await self._parts.embedders.learn()
        await pin(self._parts)
        making = intake_of(self._parts).making
        model = making.model
        await self.store.admin.create(
            self.scope,
            model=model.name if model else None,
            variant=making.variant,
            dimension=model.dimension if model else None,
        )
        return await state_of(self._parts)

    async def exists(self) -> bool:
        """Whether this collection was ever made."""
        return await self.store.admin.exists(self.scope)

    @checked()
    async def drop(self, collection: str) -> bool:
        """Erase a collection of the tenant, then its artifacts; False when there was neither.

        Raises `StoreError` when the collection is erased and artifacts are left, because their place cannot be reached.
        """
        return await dropped(self._parts, collection)

    @checked()
    async def doctor(self, *, repair: bool = False) -> list[str]:
        """What is wrong with the models and the store, a sentence each with what mends it.

        Raises `NoKey` when the tenant is encrypted and its key, or the configured master key, is missing or wrong.
        """
        problems = await self._model_problems()
        try:
            problems += await self.store.admin.check(self.scope, repair=repair)
        except NoKey:
            raise
        except RagstoneError as error:
            problems.append(str(error))
        return problems + await self._artifact_problems(repair=repair) + await self._tenant_problems()

    async def _tenant_problems(self) -> list[str]:
        """What is wrong with whole tenants; with a credential, with the own one alone."""
        try:
            found = await self.store.admin.tenants(self.scope.tenant)
        except RagstoneError as error:
            return [str(error)]
        every = self.entrance.credential is None
        return [one.problem for one in found if one.problem and (every or one.name == self.scope.tenant)]

    async def _model_problems(self) -> list[str]:
        """What keeps embedder, language model and judge from working; vendors are asked for a vector or a list."""
        problems = []
        for look in (self._parts.embedders.problems, self._parts.completions.problems):
            try:
                problems += await look()
            except ConfigError as error:
                problems.append(str(error))
        return problems

    async def _artifact_problems(self, *, repair: bool) -> list[str]:
        try:
            where = await kept_at(self._parts, self.scope)
            if repair:
                await artifacts.sweep(self.store, self.scope, where)
            return await artifacts.examine(self.store, self.scope, where)
        except RagstoneError as error:
            return [str(error)]
