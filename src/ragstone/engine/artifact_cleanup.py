"""Where the artifacts of collections are kept, and what erases them with their collection."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from ragstone.config.environment import find_cache_folder
from ragstone.core.errors import StoreError
from ragstone.core.ports import QueueingStore
from ragstone.core.types import Scope

if TYPE_CHECKING:
    from ragstone.engine.components import Components
    from ragstone.ingestion import artifacts


def artifact_uri_of(components: Components, collection: str) -> str | None:
    """The absolute URI of the place where a collection's artifacts are kept; raises `ConfigError`."""
    from ragstone.ingestion import artifacts

    uri = components.tenant_settings.of(collection).artifacts
    return artifacts.open_place(uri).uri if uri else None


async def places_of(components: Components, scope: Scope) -> artifacts.ArtifactPlaces:
    """The places where a collection's artifacts are or were kept, the configured one and those that the store knows."""
    from ragstone.ingestion import artifacts

    return await artifacts.find_artifact_places(
        components.stores.store, scope, configured=artifact_uri_of(components, scope.collection)
    )


async def sweep_artifacts(
    components: Components,
    scope: Scope,
    where: artifacts.ArtifactPlaces,
    *,
    documents: Collection[str] | None = None,
) -> int:
    """Remove artifacts that nothing holds any more, those of some documents or of all; returns how many. Raises
    `StoreError` when some are left."""
    from ragstone.ingestion import artifacts

    removed, failed = await artifacts.remove_strays(components.stores.store, scope, where, documents=documents)
    if failed:
        raise StoreError(f"the change is done, but some artifacts are left: {failed[0]}")
    return removed


async def forget_stale_searches(components: Components) -> None:
    """Remove earlier searches of what the collection was before: they serve no question any more, and still contain
    erased text."""
    from ragstone.retrieval import semantic_cache

    with suppress(StoreError):  # the next search does it
        async with components.stores.store.reader(components.scope) as reader:
            generation = (await reader.info()).generation
        await semantic_cache.forget(components.stores.store, components.scope, generation)


async def drop_collection(components: Components, collection: str) -> bool:
    """Erase a collection, then its artifacts; False when there was neither. See `Engine.drop`."""
    from ragstone.ingestion import artifacts
    from ragstone.ingestion.local_stamps import forget_stamps

    scope = Scope(components.scope.tenant, collection)
    where = await places_of(components, scope)
    await artifacts.remove_claim(components.stores.store, scope, where)
    if isinstance(components.stores.store, QueueingStore):
        await components.stores.store.jobs.erase(scope.tenant, collection)
    erased = await components.stores.store.admin.drop(scope)
    await forget_stamps(components.stores.store, scope.tenant, collection, find_cache_folder("stamps"))
    return bool(await sweep_artifacts(components, scope, where)) or erased
