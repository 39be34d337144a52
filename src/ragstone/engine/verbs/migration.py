"""Methods that move a collection to another store or another model."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone import stores
from ragstone.access import Permission
from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import CollectionModel, Store
from ragstone.core.records import Run
from ragstone.core.suggestions import suggest_name
from ragstone.core.types import Scope
from ragstone.engine.arguments import ANYTHING
from ragstone.engine.permission_checks import verb
from ragstone.engine.run_setup import build_run_context, pin_tenant_model
from ragstone.engine.verbs.base import VerbGroup
from ragstone.engine.visible_documents import read_info

if TYPE_CHECKING:  # what moves a collection is loaded by the verb that does it
    from ragstone.engine import transfer
    from ragstone.ingestion.progress import EventCallback


class MigrationVerbs(VerbGroup):
    """The verbs that move collections."""

    @verb(Permission.EXPORT)
    async def copy(
        self,
        to: str,
        *,
        collections: Sequence[str] = (),
        allow_removals: bool = False,
        tell: EventCallback = lambda _event: None,
    ) -> list[transfer.CopyResult]:
        """Copy collections of the tenant (all unless named) to the store at another URL, as they are: revisions, texts,
        layouts, chunks, vectors, runs, the model that the tenant is pinned to. Then both sides are read and compared;
        see `Copied.differing`.

        The same call goes on where an earlier one stopped, and brings a copy up to date. Raises `UsageError`, before
        anything is written there, for a collection that the target holds with contents of its own, and for one that
        would lose more documents than `limits.removals` without `allow_removals`.
        """
        from ragstone.engine import transfer

        source = self.store
        target = self._components.stores.open_unpruned(to)
        try:
            if self._components.stores.own:
                source = self._components.stores.open_unpruned(self.settings.store)
            if await transfer.is_same_store(source, target):
                raise UsageError(
                    f"{stores.redact_url(to)} is where these collections are: name another store to copy to"
                )
            scopes = await self._select_scopes(source, collections)
            way = transfer.CopyRoute(source, target, stores.redact_url(self.settings.store))
            removals = 1.0 if allow_removals else self._components.tenant_settings.limits.removals
            return [
                await self._copy_scope(way, scope, tell=_add_collection_name(scope, tell), removals=removals)
                for scope in scopes
            ]
        finally:
            await target.close()
            if source is not self.store:
                await source.close()

    @verb(Permission.EXPORT)
    async def backup(self, to: str, *, tell: EventCallback = lambda _event: None) -> list[transfer.CopyResult]:
        """Copy all collections of the tenant to a new folder, which appears when it is whole and compared.

        Until then it is called `TO.partial`; the same call goes on where an earlier one stopped. Where the two sides
        differ it keeps that name. Raises `UsageError` for a folder that exists.
        """
        from ragstone.engine.transfer.backup import choose_place, finish_backup

        place = choose_place(to)
        partial = f"embedded:{place.partial}"
        done = await self.copy(partial, allow_removals=True, tell=tell)
        await self._drop_others(partial, [one.scope for one in done])
        if not any(one.differing for one in done):
            await asyncio.to_thread(finish_backup, place)
        return done

    async def _drop_others(self, url: str, kept: Sequence[Scope]) -> None:
        """Erase what an earlier call copied and the source no longer has."""
        target = self._components.stores.open_unpruned(url)
        try:
            for name in await target.admin.collections(self.scope.tenant):
                if (scope := Scope(self.scope.tenant, name)) not in kept:
                    await target.admin.drop(scope)
        finally:
            await target.close()

    async def _copy_scope(
        self, way: transfer.CopyRoute, scope: Scope, *, tell: EventCallback, removals: float
    ) -> transfer.CopyResult:
        from ragstone.engine import transfer
        from ragstone.retrieval import semantic_cache

        done = await transfer.copy_collection(way, scope, tell=tell, removals=removals)
        async with way.target.reader(scope) as reader:
            generation = (await reader.info()).generation
        with contextlib.suppress(StoreError):  # they serve nobody; the next search does it
            await semantic_cache.forget(way.target, scope, generation)
        ours, theirs = [await _is_encrypted(store, scope.tenant) for store in (way.source, way.target)]
        if ours and not theirs:
            done = replace(done, notes=(*done.notes, f"tenant {scope.tenant!r} is encrypted here, and not in the copy"))
        return done

    async def _select_scopes(self, source: Store, collections: Sequence[str]) -> list[Scope]:
        tenant, here = self.scope.tenant, stores.redact_url(self.settings.store)
        names = await source.admin.collections(tenant)
        known = [name for name in names if await source.admin.exists(Scope(tenant, name))]  # some are only begun
        if missing := next((name for name in collections if name not in known), None):
            raise UsageError(
                f"{here} has no collection {missing!r} of tenant {tenant!r}; it has: {_format_names(known)}"
            )
        if not known:
            others = [one.name for one in await source.admin.tenants(tenant)]
            near = suggest_name(tenant, others) if self.authenticator.credential is None else ""
            raise UsageError(f"{here} has no collection of tenant {tenant!r}: there is nothing to copy{near}")
        return [Scope(tenant, name) for name in dict.fromkeys(collections or known)]

    @verb(Permission.WRITE)
    async def reembed(self, *, tell: EventCallback = lambda _event: None) -> Run:
        """Compute vectors of this engine's model as a second model of the collection; questions still use the old one.

        Repeat the call to continue an interrupted one. Raises `UsageError` if the collection has this model already, or
        another second one.
        """
        from ragstone.ingestion import reembed

        if self._components.embedders.own is None:
            raise UsageError("re-embedding needs a model: name it in `embed`")
        if self._components.embedders.missing:
            raise UsageError(self._components.embedders.missing)
        await self._components.embedders.learn()
        return await reembed.fill_second_model(
            reembed.ReembedJob(self.store, build_run_context(self._components).builder, self._components.embedders.own),
            tell=tell,
        )

    @verb(Permission.SEARCH)
    async def models(self) -> list[CollectionModel]:
        """The models of the collection: the active one, then the second one."""
        from ragstone.ingestion import reembed

        return await reembed.require_reembedding(self.store).models(self.scope)

    @verb(Permission.WRITE, to=ANYTHING)
    async def switch_model(self, to: CollectionModel | None = None) -> list[CollectionModel]:
        """Make the second model the active one, at once for all later questions; the old one is kept.

        Raises `UsageError` while a chunk lacks a vector of it, and when it is another one than `to`.
        """
        from ragstone.ingestion import reembed

        await reembed.require_reembedding(self.store).switch(self.scope, to=to)
        held = await self.models()
        with contextlib.suppress(UsageError):  # other collections of the tenant are still to be switched
            await pin_tenant_model(self._components, held[0].model, held[0].dimension, anew=True)
        return held

    @verb(Permission.WRITE)
    async def check_chunking(self) -> str | None:
        """A sentence about how the next ingest treats documents that were chunked for another model; None if there
        are none."""
        from ragstone.ingestion import chunker_compatibility

        await self._components.embedders.learn()
        context = build_run_context(self._components)
        return chunker_compatibility.describe_mismatch(
            context.builder, await read_info(self._components), context.counts
        )

    @verb(Permission.WRITE)
    async def drop_model(self) -> None:
        """Delete the second model with its vectors."""
        from ragstone.ingestion import reembed

        await reembed.require_reembedding(self.store).forget(self.scope)


async def _is_encrypted(store: Store, tenant: str) -> bool:
    return any(one.encrypted for one in await store.admin.tenants(tenant) if one.name == tenant)


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _add_collection_name(scope: Scope, tell: EventCallback) -> EventCallback:
    """Events that say of which collection they are."""
    return lambda event: tell(replace(event, data={**event.data, "collection": scope.collection}))
