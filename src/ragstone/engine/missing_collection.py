"""The error for a collection that does not exist: the store's place, and the collections that it has."""

from typing import Protocol

from ragstone.config.settings import Settings
from ragstone.core.errors import NotBuilt, RagstoneError
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.stores import redact_url

NAMED = 8  # collections


class Place(Protocol):
    """An object with a store and the scope that was asked for."""

    @property
    def settings(self) -> Settings: ...

    @property
    def store(self) -> Store: ...

    @property
    def scope(self) -> Scope: ...


async def describe_missing(place: Place, error: NotBuilt) -> NotBuilt:
    """The error with the store's place and the tenant's collections; the error itself where these cannot be read."""
    collection = place.scope.collection
    if repr(collection) not in str(error):
        return error
    try:
        names = [name for name in await place.store.admin.collections(place.scope.tenant) if name != collection]
    except RagstoneError:
        return error
    said = f"nothing was ingested into collection {collection!r} of {redact_url(place.settings.store)} yet"
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        said += f"; its collections are: {', '.join(map(repr, names[:NAMED]))}{more}"
    return NotBuilt(f"{said}; run: ragstone ingest FOLDER")
