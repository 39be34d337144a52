"""Cross-encoders by name through fastembed, run on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from ragstone.providers.fastembed_loading import load_fastembed_model
from ragstone.providers.loaded_model import LoadedModel
from ragstone.providers.reranking import find_reranker_problems
from ragstone.providers.score_scales import Scale, scale_scores


class LocalReranker:
    """Scores passages with a cross-encoder of fastembed; implements `Reranker`. The model loads at first use; `folder`
    holds its files, else the cache does, and missing files are downloaded unless `offline`."""

    def __init__(
        self,
        *,
        model: str,
        folder: str | None = None,
        reads: int = 512,  # noqa: ARG002  # the model's own tokenizer says
        scale: Scale | None = None,
        offline: bool = False,
    ) -> None:
        self.model = f"fastembed/{model}"
        self._scale: Scale = scale or "logit"
        load = partial(load_fastembed_model, "rerank", model, folder=folder, offline=offline)
        self._network: LoadedModel[Any] = LoadedModel(load, threads=1, name="fastembed-rerank")

    def start_loading(self) -> Future[Any]:
        """Begin to load on a thread and return at once; further calls give the same future, unless it has failed."""
        return self._network.start_loading()

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Numbers from 0 to 1, one for each text; see `ragstone.core.ports.Reranker`."""
        network, pool = await self._network.wait()
        # One text a call: so a deadline ends the work after the text that has begun.
        run = asyncio.get_running_loop().run_in_executor
        raw = await asyncio.gather(*(run(pool, _score_text, network, question, text) for text in texts))
        return scale_scores(raw, self._scale)

    async def check(self) -> list[str]:
        """The problems that keep it from working; loads the model, which may download it."""
        return await find_reranker_problems(self)

    async def close(self) -> None:
        """Give back thread and memory; the next call would load again."""
        self._network.close()


def _score_text(network: Any, question: str, text: str) -> float:
    return float(next(iter(network.rerank(question, [text], batch_size=1))))
