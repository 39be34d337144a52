"""An embedder that a caller of the library has brought along."""

import inspect
from typing import Any

import numpy as np

from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder
from ragstone.providers.model_spans import OWN, open_embedding_span

# What is read of every embedder beside its methods.
NEEDED = {
    "model": "its name",
    "variant": "that of the model, which may be empty",
    "dimension": "how many numbers a vector has",
    "reads": "how many tokens of a text it reads",
    "tokenizer": "an object with `name` and `count(texts)`",
}


class CustomEmbedder:
    """An embedder of the caller's own: what it gives is looked at before anything counts on it."""

    def __init__(self, own: Embedder) -> None:
        self._own = own

    def __reduce__(self) -> tuple[Any, ...]:
        return CustomEmbedder, (self._own,)

    def __getattr__(self, name: str) -> Any:
        """An attribute of the caller's; raises `UsageError` for one that every embedder needs and this one lacks."""
        found = getattr(self._own, name, None) if name in NEEDED else getattr(self._own, name)
        if name in NEEDED and (found is None or (name == "tokenizer" and not callable(getattr(found, "count", None)))):
            own, needed = type(self._own).__name__, ", ".join(NEEDED)
            raise UsageError(f"the embedder {own} lacks `{name}`, {NEEDED[name]}: expected {needed}")
        return found

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
