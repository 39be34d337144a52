"""Collections of a tenant: made, listed, erased, looked after; in the ledger first."""

import contextlib
from collections.abc import Awaitable, Callable

from ragstone.core.errors import StoreError, StoreNotReady, UsageError
from ragstone.core.plural import format_count
from ragstone.core.ports import Admin
from ragstone.core.records import Tenant
from ragstone.core.types import Scope
from ragstone.stores.fault_points import reach_point
from ragstone.stores.qdrant.client import QdrantConnection
from ragstone.stores.qdrant.foreign_reader import HOME, ForeignCollection
from ragstone.stores.qdrant.reconciliation import Reconciler, Survey
from ragstone.stores.qdrant.scope_points import ScopePoints
from ragstone.stores.qdrant.space import erase_tenant

OpenSecond = Callable[[Scope], Awaitable[ScopePoints | None]]
OpenPoints = Callable[[Scope], Awaitable[tuple[ScopePoints, Reconciler] | None]]


class QdrantAdmin:
    """Creates, checks and erases collections in Qdrant and its ledger; implements `Admin`. `inner` is the ledger's;
    `parts` gives the points of a collection, `also` those of a second model."""

    def __init__(
        self,
        inner: Admin,
        client: QdrantConnection,
        parts: OpenPoints,
        also: OpenSecond,
        forget: Callable[[Scope], None],
        foreign: ForeignCollection,
    ) -> None:
        self._client = client
        self._inner = inner
        self._also = also
        self._parts = parts
        self._forget = forget
        self._foreign = foreign

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        await self._client.ping()  # a collection without vectors asks Qdrant nothing else
        fresh = not await self._inner.exists(scope)
        await self._inner.create(scope, model=model, variant=variant, dimension=dimension)
        parts = await self._parts(scope)
        if parts is None:
            return
        if parts[0].space.scheme.is_foreign and await parts[0].count_others():
            raise UsageError(
                f"the collection {parts[0].space.name!r} in Qdrant holds points of another tenant or collection: ids "
                "that come from paths would overwrite them; name a collection of its own by collection= in the URL"
            )
        if fresh:
            await parts[0].erase()  # what an erasure that was cut short had left

    async def exists(self, scope: Scope) -> bool:
        return await self._inner.exists(scope)

    async def collections(self, tenant: str) -> list[str]:
        """Those of the ledger; while it has none, the one that another program wrote."""
        names = await self._inner.collections(tenant)
        if names:
            return names
        await self._client.ping()  # an empty ledger must not hide that the server is away
        home = Scope(tenant, HOME.collection)
        return [home.collection] if self._foreign.is_named_by(home) and await self._foreign.count() else []

    async def drop(self, scope: Scope) -> bool:
        """From the ledger first: from then on it is gone for everyone."""
        parts = also = None
        if await self._inner.exists(scope):
            with contextlib.suppress(StoreError):  # a damaged ledger can be erased all the same
                parts, also = await self._parts(scope), await self._also(scope)
        elif self._foreign.is_named_by(scope) and await self._foreign.count():
            raise UsageError(
                f"the collection {self._foreign.name!r} in Qdrant was written by another program: erase it there"
            )
        there = await self._inner.drop(scope)
        reach_point("drop.switched")
        self._forget(scope)
        for remote in (parts and parts[0], also):
            if remote is not None:
                await remote.erase()
        return there

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        await self._inner.pin(tenant, model=model, dimension=dimension, without=without)

    async def tenants(self, own: str) -> list[Tenant]:
        return await self._inner.tenants(own)

    async def begin_erasing(self, tenant: str) -> bool:
        return await self._inner.begin_erasing(tenant)

    async def erase(self, tenant: str) -> bool:
        """Its points first, while the ledger still says that there is a tenant; once more at the end, because
        readers may have repaired points meanwhile. They are erased independent of the ledger."""
        names = await self._inner.collections(tenant)
        found = await erase_tenant(self._client, tenant)
        reach_point("erase.switched")
        there = await self._inner.erase(tenant)
        for name in names:
            self._forget(Scope(tenant, name))
        return bool(await erase_tenant(self._client, tenant) or found) or there

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        try:
            await self._client.ping()
        except (StoreError, StoreNotReady) as error:  # of the ledger there is still something to say
            if not await self._inner.exists(scope):
                raise
            return [str(error), *await self._inner.check(scope, repair=repair)]
        if not await self._inner.exists(scope) and self._foreign.is_named_by(scope) and await self._foreign.count():
            return await self._foreign.find_problems()
        found = await self._inner.check(scope, repair=repair)
        parts = await self._parts(scope)
        if parts is None:
            return found
        remote, reconciler = parts
        if remote.space.scheme.is_foreign and (left := await self._foreign.count()):
            found = [*found, _describe_left(remote.space.name, left)]
        seen = await reconciler.survey()
        if repair and not seen.is_clean:
            await reconciler.repair(seen)
            seen = await reconciler.survey()
        if repair:
            await reconciler.forget_retired()
        return [*found, *_describe_survey(remote, seen)]


def _describe_left(name: str, count: int) -> str:
    return (
        f"{format_count(count, 'point')} of another program in {name!r} of Qdrant are found only after their documents "
        "are ingested; run: ragstone ingest FOLDER, or erase them there"
    )


def _describe_survey(remote: ScopePoints, seen: Survey) -> list[str]:
    name = remote.space.name
    told = []
    if seen.missing:
        first = seen.missing[0]
        told.append(
            f"{len(seen.missing)} chunks have no point in {name!r} of Qdrant (the first: {first.document.path}"
            f"#{first.ordinal}); run: ragstone doctor --repair, then ragstone ingest for their vectors"
        )
    if seen.late:
        told.append(
            f"{len(seen.late)} points in {name!r} of Qdrant were not switched to; run: ragstone doctor --repair"
        )
    if seen.stale:
        told.append(f"{len(seen.stale)} points in {name!r} of Qdrant belong to nothing; run: ragstone doctor --repair")
    return told
