"""Embedding models by name through fastembed: run on this machine, from its cache, a folder, or downloaded once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np

from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Vectors
from ragstone.providers.dimension_probe import ProbedEmbedder
from ragstone.providers.fastembed_loading import load_fastembed_model
from ragstone.providers.known_models import find_card, tokenizer_of
from ragstone.providers.wire_format import Kind


class FastembedEmbedder(ProbedEmbedder):
    """Embeds texts with a model of fastembed; implements `Embedder`. The model loads at first use; `folder` holds
    its files, else the cache does, and missing files are downloaded unless `offline`."""

    variant = "onnx"

    def __init__(
        self,
        *,
        model: str,
        folder: str | None = None,
        dimensions: int | None = None,
        reads: int | None = None,
        offline: bool = False,
    ) -> None:
        """Raises `ConfigError` when neither `reads` nor the name says how much the model reads."""
        card = find_card(model)
        if reads is None and card is None:
            raise ConfigError(f"how many tokens {model} reads is not known: set embed.reads")
        self.model = f"fastembed/{model}"
        self.tokenizer = tokenizer_of(model)
        self.reads: int = reads or (card.reads if card else 0)
        self._name = model
        self._folder = folder
        self._expected = dimensions or (card.dimension if card else None)
        self._offline = offline
        self._seen: int | None = None
        self._loaded: Any = None
        self._pool: ThreadPoolExecutor | None = None

    async def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
        """float32 of shape (len(texts), dimension), rows of length 1.

        Raises `UsageError` for a blank text or another dimension than expected, `Unavailable` when the model cannot be
        loaded.
        """
        for index, text in enumerate(texts):
            if not text.strip():
                raise UsageError(f"blank text cannot be embedded (text {index} of {len(texts)})")
        if not texts:
            await self.learn()
            return np.zeros((0, self.dimension), dtype=np.float32)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="fastembed")
        vectors = await asyncio.get_running_loop().run_in_executor(self._pool, self._compute_vectors, list(texts), kind)
        seen = int(vectors.shape[1])
        if self._expected not in (None, seen):
            raise UsageError(
                f"{self.model} gives vectors of {seen} numbers, but {self._expected} are known of it or declared: "
                "nothing was written; set the right embed.dimensions"
            )
        self._seen = seen
        return vectors

    async def close(self) -> None:
        """Give back thread and memory; the next call would load again."""
        pool, self._pool, self._loaded = self._pool, None, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _compute_vectors(self, texts: list[str], kind: Kind) -> Vectors:
        if self._loaded is None:
            self._loaded = load_fastembed_model("embed", self._name, folder=self._folder, offline=self._offline)
        embed = self._loaded.query_embed if kind == "query" else self._loaded.embed
        # One text a call: a batch is padded to its longest, which costs more than it saves on a processor.
        rows = [row for text in texts for row in (embed([text]) if kind == "query" else embed([text], batch_size=1))]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), -1)
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 0)
        return cast(Vectors, np.where(usable, vectors / np.where(usable, lengths, 1), vectors).astype(np.float32))
