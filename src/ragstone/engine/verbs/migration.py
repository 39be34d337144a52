"""What moves a collection: to another store, to another model."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from ragstone import stores
from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import HeldModel, Store
from ragstone.core.types import Run, Scope
from ragstone.engine import transfer
from ragstone.engine.arguments import checked
from ragstone.engine.run_setup import intake_of, pin_to
from ragstone.engine.verbs.base import Group
from ragstone.engine.visible_documents import state_of
from ragstone.ingestion import chunker_compatibility, reembed
from ragstone.ingestion.progress import Tell
from ragstone.retrieval import semantic_cache


class Moving(Group):
    """The verbs that move collections."""

    @checked()
    async def copy(
        self,
        to: str,
        *,
        collections: Sequence[str] = (),
        allow_removals: bool = False,
        tell: Tell = lambda _event: None,
    ) -> list[transfer.Copied]:
        """Copy collections of the tenant (all unless named) to the store at another URL, as they are: revisions, texts,
        layouts, chunks, vectors, runs, the model that the tenant is pinned to. Then both sides are read and compared;
        see `Copied.differing`.

        The same call goes on where an earlier one stopped, and brings a copy up to date. Raises `UsageError`, before
        anything is written there, for a collection that the target holds with contents of its own, and for one that
        would lose more documents than `limits.removals` without `allow_removals`.
        """
        source = self.store
        target = self._parts.opened.whole(to)
        try:
            if self._parts.opened.own:
                source = self._parts.opened.whole(self.settings.store)
            if await transfer.same(source, target):
                raise UsageError(
                    f"{stores.concealed(to)} is where these collections are: name another store to copy to"
                )
            scopes = await self._to_copy(source, collections)
            way = transfer.Way(source, target, stores.concealed(self.settings.store))
            removals = 1.0 if allow_removals else self._parts.whole.limits.removals
            return [await self._copied(way, scope, tell=_named(scope, tell), removals=removals) for scope in scopes]
        finally:
            await target.close()
            if source is not self.store:
                await source.close()

    async def _copied(self, way: transfer.Way, scope: Scope, *, tell: Tell, removals: float) -> transfer.Copied:
        done = await transfer.copied(way, scope, tell=tell, removals=removals)
        async with way.target.reader(scope) as reader:
            generation = (await reader.info()).generation
        with contextlib.suppress(StoreError):  # they serve nobody; the next search does it
            await semantic_cache.forget(way.target, scope, generation)
        ours, theirs = [await _encrypted(store, scope.tenant) for store in (way.source, way.target)]
        if ours and not theirs:
            done = replace(done, notes=(*done.notes, f"tenant {scope.tenant!r} is encrypted here, and not in the copy"))
        return done

    async def _to_copy(self, source: Store, collections: Sequence[str]) -> list[Scope]:
        tenant, here = self.scope.tenant, stores.concealed(self.settings.store)
        names = await source.admin.collections(tenant)
        known = [name for name in names if await source.admin.exists(Scope(tenant, name))]  # some are only begun
        if missing := next((name for name in collections if name not in known), None):
            raise UsageError(f"{here} has no collection {missing!r} of tenant {tenant!r}; it has: {_listed(known)}")
        if not known:
            raise UsageError(f"{here} has no collection of tenant {tenant!r}: there is nothing to copy")
        return [Scope(tenant, name) for name in dict.fromkeys(collections or known)]

    @checked()
    async def reembed(self, *, tell: Tell = lambda _event: None) -> Run:
        """Fill in vectors of this engine's model beside those that the collection has; nothing else changes yet.

        The same call goes on where an earlier one stopped. Raises `UsageError` when the collection has this model, or
        another one beside its own.
        """
        if self._parts.embedders.own is None:
            raise UsageError("re-embedding needs a model: name it in `embed`")
        if self._parts.embedders.missing:
            raise UsageError(self._parts.embedders.missing)
        await self._parts.embedders.learn()
        return await reembed.renewed(
            reembed.Renewal(self.store, intake_of(self._parts).making, self._parts.embedders.own), tell=tell
        )

    async def models(self) -> list[HeldModel]:
        """The models whose vectors the collection holds: the active one, then the one beside it."""
        return await reembed.able(self.store).models(self.scope)

    async def switch_model(self, to: HeldModel | None = None) -> list[HeldModel]:
        """Make the model beside the active one: at once, for all questions to come; the other one is kept.

        Raises `UsageError` while a chunk lacks a vector of it, and when it is another one than `to`.
        """
        await reembed.able(self.store).switch(self.scope, to=to)
        held = await self.models()
        with contextlib.suppress(UsageError):  # other collections of the tenant are still to be switched
            await pin_to(self._parts, held[0].model, held[0].dimension, anew=True)
        return held

    async def cutting(self) -> str | None:
        """What the next ingest with this engine's model does about documents that were cut for another one, as a
        sentence; None where there is nothing to say."""
        await self._parts.embedders.learn()
        intake = intake_of(self._parts)
        return chunker_compatibility.said(intake.making, await state_of(self._parts), intake.counts)

    async def drop_model(self) -> None:
        """Give up the model beside the active one, with its vectors."""
        await reembed.able(self.store).forget(self.scope)


async def _encrypted(store: Store, tenant: str) -> bool:
    return any(one.encrypted for one in await store.admin.tenants(tenant) if one.name == tenant)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _named(scope: Scope, tell: Tell) -> Tell:
    """Events that say of which collection they are."""
    return lambda event: tell(replace(event, data={**event.data, "collection": scope.collection}))
