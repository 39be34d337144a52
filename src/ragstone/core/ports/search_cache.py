"""The protocol of a store that caches searches."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from ragstone.core.types import Scope


@dataclass(frozen=True, slots=True)
class CachedSearch:
    """An earlier search as it is kept: its `key` is what another one must share to be served with it, `generation` the
    state of the index that it saw, `at` when that was, in UTC; `vector` is its question's, little-endian float32; a
    store looks into neither that nor `content`."""

    id: str
    key: str
    generation: int
    at: datetime
    vector: bytes
    content: bytes


class SearchCache(Protocol):
    """Earlier searches of one scope. They are erased with the collection, encrypted as it is, and may be lost."""

    async def find_by_key(self, key: str) -> list[CachedSearch]:
        """Those with this key, the latest first; [] where nothing is kept."""
        ...

    async def put_search(self, one: CachedSearch, *, most: int) -> None:
        """Put one in place of what has its id. Those of earlier generations go, and of more than `most` those that were
        not used for longest. Nothing is kept of a collection that is gone."""
        ...

    async def mark_used(self, identity: str, *, at: datetime) -> None:
        """Note that one was served."""
        ...

    async def remove_before(self, *, before: int) -> None:
        """Remove those of generations before this one."""
        ...


@runtime_checkable
class SearchCachingStore(Protocol):
    """A store that keeps earlier searches."""

    def search_cache(self, scope: Scope) -> SearchCache: ...
