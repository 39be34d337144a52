"""The artifacts of an encrypted tenant: which are not under its newest key, and how they come under it."""

import asyncio
from contextlib import suppress

from ragstone.core.errors import ConfigError, Corrupt, StoreError
from ragstone.core.ports import ArtifactStorage, Store
from ragstone.core.types import Scope
from ragstone.ingestion.artifacts.artifact_json import aside_marks, claim_name, tenant_folder
from ragstone.ingestion.artifacts.artifact_store import ArtifactPlaces, open_own_place, read_kept_names
from ragstone.ingestion.artifacts.place import SealedPlace


async def find_outdated_seals(store: Store, scope: Scope, place: ArtifactStorage) -> list[str]:
    """The names of a collection's artifacts that are not under the newest key of its tenant; none where that is not
    encrypted."""
    if not isinstance(place, SealedPlace):
        return []
    kept = await read_kept_names(store, scope)
    names = [name for name in await asyncio.to_thread(place.names, tenant_folder(scope)) if name in kept]
    return await asyncio.to_thread(lambda: [name for name in names if not place.is_current(name)])


async def renew_seals(store: Store, scope: Scope, where: ArtifactPlaces) -> list[str]:
    """Bring the artifacts of a collection and its claims under the newest key; returns a sentence for each place that
    could not be reached. An artifact that no key opens stays as it is: a refresh makes it anew."""
    failed = []
    for uri in where.places:
        try:
            place = await open_own_place(store, uri, scope, where)
            if isinstance(place, SealedPlace):
                names = [*await find_outdated_seals(store, scope, place), claim_name(scope)]
                await asyncio.to_thread(_renew_names, place, names, ".".join(aside_marks(scope, "")))
        except (StoreError, ConfigError) as problem:
            failed.append(f"the artifacts at {uri} could not be encrypted: {problem}")
    return failed


def _renew_names(place: SealedPlace, names: list[str], mark: str) -> None:
    for name in names:
        if not place.is_current(name):
            with suppress(Corrupt):
                place.renew(name, mark=mark)
