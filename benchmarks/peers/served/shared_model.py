"""The model that is built into this project, for the servers of others: `transform` as txtai names it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragstone.providers import make_embedder

_embedder: Any = make_embedder("minilm")


def embed(texts: Sequence[str]) -> Any:
    """Vectors of length 1, one row a text, 384 numbers each."""
    return np.asarray(asyncio.run(_embedder.embed(list(texts))), dtype=np.float32)
