"""The protocols of a store beside documents: collections and tenants, keys, encryption, a second model."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from ragstone.core.ports.reading import Reader
from ragstone.core.ports.writing import Filler
from ragstone.core.records import Key, Tenant
from ragstone.core.types import Scope


@dataclass(frozen=True, slots=True)
class CollectionModel:
    """A model whose vectors a collection holds; `pending` active chunks have none of it. The second one is `filling`
    until none is pending, then `ready`; `kept` once it was the active one."""

    model: str
    variant: str | None
    dimension: int
    state: Literal["active", "filling", "ready", "kept"]
    pending: int


@runtime_checkable
class ReembeddingStore(Protocol):
    """A store whose collections can hold vectors of a second model beside the active one; keys of vectors stay.

    `second` is a view that compares with the second model's vectors. All raise `UsageError` where there is none.
    """

    async def models(self, scope: Scope) -> list[CollectionModel]:
        """The active model, if any, then the second one."""
        ...

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        """Make room for a second model; nothing changes where it is this one already."""
        ...

    def filler(self, scope: Scope) -> AbstractAsyncContextManager[Filler]: ...

    def second(self, scope: Scope) -> AbstractAsyncContextManager[Reader]: ...

    async def switch(self, scope: Scope, *, to: CollectionModel | None = None, elsewhere: bool = False) -> None:
        """Make the second model the active one and the active one the second, at once. Raises `UsageError` while an
        active chunk lacks a vector of the second, but where the vectors are `elsewhere` and were looked at there; and
        where the second is another one than `to`, because somebody else was quicker."""
        ...

    async def forget(self, scope: Scope) -> None:
        """Delete the second model with its vectors."""
        ...


class Admin(Protocol):
    """Collections of a tenant."""

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        """Make the collection, or check that it holds vectors of this model, variant and dimension."""
        ...

    async def exists(self, scope: Scope) -> bool: ...

    async def drop(self, scope: Scope) -> bool:
        """Erase the collection; False when there was none."""
        ...

    async def collections(self, tenant: str) -> list[str]: ...

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        """Record the model of the tenant's vectors, the first time.

        Raises `UsageError` when it is another one already, and there are collections beside `without`.
        """
        ...

    async def tenants(self, own: str) -> list[Tenant]:
        """The tenants that this store shows to the tenant `own`, by name; itself at least, where it exists."""
        ...

    async def begin_erasing(self, tenant: str) -> bool:
        """Mark a tenant for erasure, for good: no run begins in it any more, and `tenants` shows it until `erase` has
        returned. False if the tenant has nothing.

        Raises `Busy` while a source is being ingested, and `UsageError` for a caller who may not erase; nothing is
        changed then.
        """
        ...

    async def erase(self, tenant: str) -> bool:
        """Erase a tenant with its collections, its record and its keys; False when there is nothing of it.

        Raises `Busy` while a source is being ingested. The next call finishes an interrupted one.
        """
        ...

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        """The problems, one sentence each: orphans, checksums, counts. With `repair`, repair them where possible."""
        ...


class Sealer(Protocol):
    """Encrypts data of a tenant that is kept outside the store."""

    def seal(self, data: bytes, *, about: str) -> bytes:
        """`about` is where it will stand, and bound to it."""
        ...

    def unseal(self, data: bytes, *, about: str, size: int) -> bytes:
        """The first bytes of the sealed data, at most `size`; what is not sealed at all comes back as it is."""
        ...

    def is_current(self, data: bytes, *, about: str) -> bool:
        """Whether data, or its beginning, is sealed as `seal` does now."""
        ...

    def renew(self, data: bytes, *, about: str) -> bytes:
        """Whole data, sealed or not, as `seal` does now. Raises `Corrupt` where none of the tenant's keys opens it."""
        ...


@runtime_checkable
class SealingStore(Protocol):
    """A store that can keep a tenant encrypted under a key of its own."""

    async def sealer(self, tenant: str) -> Sealer | None:
        """None for a tenant that is not encrypted; a new one gets its key. Raises `NoKey`."""
        ...

    async def rotate(self, tenant: str) -> bool:
        """Wrap the tenant's keys with the present master key; False for one that is not encrypted. Raises `NoKey`."""
        ...

    async def rekey(self, tenant: str, *, fresh: bool) -> int:
        """Put all collections of a tenant under a new key, or, unless `fresh`, those that are not under its newest.

        Gives how many were rewritten. Readers continue meanwhile. The former keys stay until `forget_keys`, for
        data outside the store. Raises `Busy` while a source is being ingested.
        """
        ...

    async def forget_keys(self, tenant: str) -> None:
        """Destroy all keys of a tenant but its newest, unless a collection is still under one of them."""
        ...


class Keys(Protocol):
    """API keys, of every tenant: they say whose tenant a request is."""

    async def find(self, identity: str) -> Key | None:
        """The key with this public id, of any tenant and state; no other one can be learned from it."""
        ...

    async def add(self, key: Key) -> None:
        """Keep a new key; raises `UsageError` when its id is taken."""
        ...

    async def of(self, tenant: str) -> list[Key]:
        """All keys of a tenant, the ended ones too, by creation and id."""
        ...

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        """End a key for good; False when the tenant has none with this id. A second time changes nothing."""
        ...

    async def erase(self, tenant: str) -> int:
        """Remove all keys of a tenant that is erased, without a trace; how many there were."""
        ...
