"""An embedder that a caller of the library has brought along."""

import inspect
from typing import Any

import numpy as np

from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder
from ragstone.providers.model_spans import OWN, open_embedding_span


class CustomEmbedder:
    """An embedder of the caller's own: what it gives is looked at before anything counts on it."""

    def __init__(self, own: Embedder) -> None:
        self._own = own

    def __reduce__(self) -> tuple[Any, ...]:
        return CustomEmbedder, (self._own,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    async def embed(self, *args: Any, **kwargs: Any) -> Any:
        """The vectors; raises `UsageError` if they are not an array of floats."""
        with open_embedding_span(OWN, self._own.model, len(args[0]) if args else 0):
            given: Any = self._own.embed(*args, **kwargs)
            vectors: Any = await given if inspect.isawaitable(given) else given
        if not isinstance(vectors, np.ndarray) or vectors.dtype.kind != "f":
            kind = f"an array of {vectors.dtype}" if isinstance(vectors, np.ndarray) else type(vectors).__name__
            wanted = "a numpy array of floats of shape (texts, dimension)"
            raise UsageError(f"the embedder {type(self._own).__name__} gave {kind}: expected {wanted}")
        return vectors
