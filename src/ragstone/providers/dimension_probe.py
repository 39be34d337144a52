"""Facts about an embedding model that its first vector shows: its dimension, and whether it works."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.ports import Vectors
from ragstone.providers.wire_format import Kind


class ProbedEmbedder(ABC):
    """An embedder whose dimension may have to be asked for; `_expected` is the known or configured dimension,
    `_seen` that of the first vector."""

    model: str
    _expected: int | None
    _seen: int | None

    @abstractmethod
    async def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
        """Embed texts; as `Embedder.embed` says."""

    @property
    def dimension(self) -> int:
        """Raises `UsageError` for a model of which nothing is known before it was asked once (see `learn`)."""
        found = self._seen or self._expected
        if found is None:
            raise UsageError(
                f"the dimension of {self.model} is not known yet: ask it for a vector, or set embed.dimensions"
            )
        return found

    async def learn(self) -> None:
        """Ask for one vector, unless one was seen already: what is wrong shows before anything is written."""
        if self._seen is None:
            await self.embed(["word"])

    async def check(self) -> list[str]:
        """The problems that keep it from working, each with its remedy. Asks for one vector."""
        try:
            await self.embed(["word"])
        except RagstoneError as error:
            return [str(error)]
        return []
