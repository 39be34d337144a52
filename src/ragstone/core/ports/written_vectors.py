"""The protocols of a store that keeps vectors of what a language model wrote about its chunks."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from ragstone.core.arrays import Vectors
from ragstone.core.filters import Where
from ragstone.core.types import Candidate, Chunk, Scope


class WrittenIndex(Protocol):
    """The vectors of the summaries and questions of one scope; each call atomic and durable when it returns.

    Vectors have the key of the texts that they are of. Chunks with the same texts share them, and those that no kept
    chunk refers to go when the collection's `Writer` settles.
    """

    async def begin(self, model: str, variant: str | None, dimension: int) -> None:
        """Make room for vectors of a model; nothing changes where it is this one already. Raises `StoreError` where
        the collection keeps those of another model."""
        ...

    async def drop(self) -> None:
        """Forget the model with all its vectors."""
        ...

    async def find_unlinked(self, limit: int, *, after: int = 0) -> list[tuple[int, Chunk]]:
        """Active chunks that refer to no vectors, by their numbers, those above `after` alone; [] when there are no
        more. A number is given once: a chunk that is written again has another."""
        ...

    async def find_known(self, keys: Collection[str]) -> set[str]:
        """Those of these keys that have vectors."""
        ...

    async def put(self, keys: Mapping[int, str], vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by their keys, float32 of shape (texts, dimension), and have chunks refer to them, given by
        their numbers; an empty key says that there is nothing to embed. Chunks that are gone are left out, and those
        whose vectors are."""
        ...


@runtime_checkable
class WrittenIndexingStore(Protocol):
    """A store that can keep such vectors. Raises `UsageError` where what is beneath it cannot, and `NotBuilt`."""

    def written_index(self, scope: Scope) -> AbstractAsyncContextManager[WrittenIndex]: ...


@runtime_checkable
class WrittenReader(Protocol):
    """A reader that retrieves by such vectors, exactly: over every chunk that passes the filter and has some. The score
    of a chunk is the best cosine of its vectors, rounded to 6 decimals; a store may keep them at less precision.
    `Info.written` names their model."""

    async def match_written(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        """The best chunks in total order."""
        ...

    async def rate_written(self, ids: Sequence[str], vector: Vectors) -> dict[str, float]:
        """The score of each of these chunks; those without such vectors are left out."""
        ...
