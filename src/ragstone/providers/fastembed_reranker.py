"""Cross-encoders by name through fastembed, run on this machine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from ragstone.providers.fastembed_loading import load_fastembed_model
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
        self._load = partial(load_fastembed_model, "rerank", model, folder=folder, offline=offline)
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._loading: Future[Any] | None = None

    def start_loading(self) -> Future[Any]:
        """Begin to load on a thread and return at once; further calls give the same future, unless it has failed."""
        with self._lock:
            failed = self._loading is not None and self._loading.done() and self._loading.exception() is not None
            if self._loading is None or failed:
                self._loading = self._open_pool().submit(self._load)
            return self._loading

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Numbers from 0 to 1, one for each text; see `ragstone.core.ports.Reranker`."""
        network = await asyncio.shield(asyncio.wrap_future(self.start_loading()))
        with self._lock:
            pool = self._open_pool()
        # One text a call: so a deadline ends the work after the text that has begun.
        run = asyncio.get_running_loop().run_in_executor
        raw = await asyncio.gather(*(run(pool, _score_text, network, question, text) for text in texts))
        return scale_scores(raw, self._scale)

    async def check(self) -> list[str]:
        """The problems that keep it from working; loads the model, which may download it."""
        return await find_reranker_problems(self)

    async def close(self) -> None:
        """Give back thread and memory; the next call would load again."""
        with self._lock:
            pool, self._pool, self._loading = self._pool, None, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _open_pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="fastembed-rerank")
        return self._pool


def _score_text(network: Any, question: str, text: str) -> float:
    return float(next(iter(network.rerank(question, [text], batch_size=1))))
