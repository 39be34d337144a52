"""The protocols of a store that keeps sparse vectors of its chunks and retrieves by them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ragstone.core.filters import Where
from ragstone.core.ports.models import SparseVector
from ragstone.core.types import Candidate, Chunk, Scope


@dataclass(frozen=True, slots=True)
class SparseState:
    """The model whose sparse vectors a collection keeps; `pending` active chunks have none of it yet."""

    model: str
    pending: int


class SparseIndex(Protocol):
    """The sparse vectors of one scope; each call atomic and durable when it returns."""

    async def begin(self, model: str) -> None:
        """Make room for vectors of a model; nothing changes where it is this one already. Raises `UsageError` where
        the collection keeps those of another model."""
        ...

    async def drop(self) -> None:
        """Forget the model with all its vectors."""
        ...

    async def find_unindexed(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        """Active chunks without a vector, by their numbers, those above `after` alone; [] when there are no more. A
        number is given once: a chunk that is written again has another."""
        ...

    async def put(self, vectors: Mapping[int, SparseVector]) -> None:
        """Store vectors by the numbers of their chunks; those of chunks that are gone are left out."""
        ...

    async def settle(self) -> None:
        """Merge small parts of the index and take out what is gone: called at the end of a run."""
        ...


@runtime_checkable
class SparseIndexingStore(Protocol):
    """A store that can keep sparse vectors. Raises `UsageError` where what is beneath it cannot, and `NotBuilt`."""

    def sparse_index(self, scope: Scope) -> AbstractAsyncContextManager[SparseIndex]: ...


@runtime_checkable
class SparseReader(Protocol):
    """A reader that retrieves by sparse vectors, exactly: over every chunk that passes the filter and has one. Scores
    are dot products, rounded to 6 decimals; a chunk that scores 0 is left out."""

    async def sparse_state(self) -> SparseState | None:
        """None where the collection keeps no sparse vectors."""
        ...

    async def match_sparse(self, query: SparseVector, *, where: Where, limit: int) -> list[Candidate]:
        """The best chunks in total order."""
        ...

    async def rate_sparse(self, ids: Sequence[str], query: SparseVector) -> dict[str, float]:
        """The score of each of these chunks; those without a vector are left out."""
        ...
