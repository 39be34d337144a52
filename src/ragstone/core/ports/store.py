"""A store by its URL, and the place of artifacts beside it."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from ragstone.core.ports.administration import Admin, Keys
from ragstone.core.ports.reading import Reader
from ragstone.core.ports.writing import Ledger, Writer
from ragstone.core.types import Scope


class Store(Protocol):
    """A store by its URL."""

    @property
    def provider(self) -> str: ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Of: dense, keyword, filter, versions, snapshot, fusion (its readers are `Fusing`), export (they are
        `Exporter`s), models (the store is `Reembedding`), sparse (it is a `SparseIndexingStore`), written (it is a
        `WrittenIndexingStore`)."""
        ...

    def reader(self, scope: Scope) -> AbstractAsyncContextManager[Reader]:
        """One view; raises `NotBuilt` when the collection was never made."""
        ...

    def writer(self, scope: Scope) -> AbstractAsyncContextManager[Writer]: ...

    def ledger(self, scope: Scope) -> Ledger: ...

    @property
    def admin(self) -> Admin: ...

    @property
    def keys(self) -> Keys:
        """Raises `UsageError` for a store that keeps none."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class IdentifiedStore(Protocol):
    """A store that can say which one it is."""

    async def identity(self) -> str | None:
        """The store's identity: equal for every URL of one store, different for other stores; None before the store
        exists."""
        ...


@runtime_checkable
class PlacedStore(Protocol):
    """A store in a folder, where other files may stand."""

    async def check_place(self) -> None:
        """Look whether the store stands, or can be made; raises `NotAStore` where other files have its folder."""
        ...


@runtime_checkable
class OutgrownStore(Protocol):
    """A store that a newer program may have changed, so that this one reads it and writes nothing."""

    async def explain_read_only(self) -> str | None:
        """Why this program may only read the store, in a sentence; None where it may write."""
        ...


@runtime_checkable
class CachingStore(Protocol):
    """A store that keeps an index in memory."""

    async def invalidate(self, scope: Scope) -> None:
        """Forget what is in memory of a scope: the next reader loads it anew."""
        ...


class ArtifactStorage(Protocol):
    """Where artifacts are kept, by names with `/` below it. Every verb may wait and raises `StoreError`."""

    @property
    def uri(self) -> str:
        """Its absolute address, without a slash at the end."""
        ...

    def put(self, name: str, data: bytes, *, mark: str) -> None:
        """Write a whole file, durable when it returns; what a kill leaves of it has `mark` in its name."""
        ...

    def names(self, under: str) -> list[str]:
        """The files in this folder and in its folders; [] where it is not there."""
        ...

    def head(self, name: str, size: int) -> bytes:
        """The first bytes of a file, at most `size`; b"" where it is not there."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens where it is not there."""
        ...
