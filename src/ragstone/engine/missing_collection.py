"""The error for a collection that does not exist: the store's place, and the collections that it has."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from ragstone.config.settings import Settings
from ragstone.core.errors import NotBuilt, RagstoneError
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.stores import redact_url

NAMED = 8  # collections


@runtime_checkable
class Place(Protocol):
    """An object with a store and the scope that was asked for."""

    @property
    def settings(self) -> Settings: ...

    @property
    def store(self) -> Store: ...

    @property
    def scope(self) -> Scope: ...


async def describe_missing(place: object, error: NotBuilt) -> NotBuilt:
    """The error with the store's place and the tenant's collections; the error itself where these cannot be read, or
    where a pipeline asked, which reads several."""
    if not isinstance(place, Place):
        return error
    collection = place.scope.collection
    if repr(collection) not in str(error):
        return error
    if _is_other_folder(place.settings.store):
        folder = redact_url(place.settings.store)
        return NotBuilt(f"{folder} is not a store; to search the documents in it, run: ragstone ingest {folder}")
    try:
        names = [name for name in await place.store.admin.collections(place.scope.tenant) if name != collection]
    except RagstoneError:
        return error
    said = f"nothing was ingested into collection {collection!r} of {redact_url(place.settings.store)} yet"
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        said += f"; its collections are: {', '.join(map(repr, names[:NAMED]))}{more}"
    return NotBuilt(f"{said}; run: ragstone ingest FOLDER")


def _is_other_folder(store: str) -> bool:
    """Whether a store's place is a folder with files, none of which makes it a store or a part of one."""
    from ragstone.stores.embedded.paths import is_store, is_tenant_home  # slow, and an error needs it only

    folder = Path(store)
    try:
        return folder.is_dir() and any(folder.iterdir()) and not is_store(folder) and not is_tenant_home(folder)
    except OSError:
        return False
