"""Where the artifacts of collections are kept, and what erases them with their collection."""

from contextlib import suppress

from ragstone.core.errors import StoreError
from ragstone.core.types import Scope
from ragstone.engine.components import Parts
from ragstone.ingestion import artifacts
from ragstone.retrieval import semantic_cache


def artifacts_of(parts: Parts, collection: str) -> str | None:
    """The absolute URI of the place where a collection's artifacts are kept; raises `ConfigError`."""
    uri = parts.whole.of(collection).artifacts
    return artifacts.open_place(uri).uri if uri else None


async def kept_at(parts: Parts, scope: Scope) -> artifacts.Known:
    """The places where a collection's artifacts are or were kept, the configured one and those that the store knows."""
    return await artifacts.known(parts.opened.store, scope, configured=artifacts_of(parts, scope.collection))


async def sweep(parts: Parts, scope: Scope, where: artifacts.Known) -> int:
    """Remove artifacts that nothing holds any more; returns how many. Raises `StoreError` when some are left."""
    removed, failed = await artifacts.sweep(parts.opened.store, scope, where)
    if failed:
        raise StoreError(f"what was asked is done, but not all artifacts are removed: {failed[0]}")
    return removed


async def forgotten(parts: Parts) -> None:
    """Remove earlier searches of what the collection was before: they can serve nobody, and tell of what is gone."""
    with suppress(StoreError):  # the next search does it
        async with parts.opened.store.reader(parts.scope) as reader:
            generation = (await reader.info()).generation
        await semantic_cache.forget(parts.opened.store, parts.scope, generation)


async def dropped(parts: Parts, collection: str) -> bool:
    """Erase a collection, then its artifacts; False when there was neither. See `Engine.drop`."""
    scope = Scope(parts.scope.tenant, collection)
    where = await kept_at(parts, scope)
    await artifacts.unclaim(parts.opened.store, scope, where)
    erased = await parts.opened.store.admin.drop(scope)
    return bool(await sweep(parts, scope, where)) or erased
