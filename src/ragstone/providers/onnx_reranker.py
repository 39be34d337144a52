"""A cross-encoder from a folder: question and passage go through one network, whose logit is the score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.providers.onnx_folder import OnnxFolder
from ragstone.providers.reranking import find_reranker_problems
from ragstone.providers.score_scales import Scale, scale_scores


class LocalReranker:
    """Scores passages with the model in a folder; implements `Reranker`. Give `folder`, or let `model` be its path."""

    def __init__(
        self,
        *,
        model: str,
        folder: str | None = None,
        reads: int = 512,
        scale: Scale | None = None,
        offline: bool = False,  # noqa: ARG002  # nothing is ever downloaded
    ) -> None:
        self.model = f"onnx/{model}"
        self._scale: Scale = scale or "logit"
        self._network = OnnxFolder(folder or model, key="rerank.folder", reads=reads)

    def start_loading(self) -> None:
        """Begin to load on a thread and return at once."""
        self._network.start_loading()

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Numbers from 0 to 1, one for each text; see `ragstone.core.ports.Reranker`."""
        outputs = await self._network.run([(question, text) for text in texts])
        return scale_scores([self._read_logit(one) for one in outputs], self._scale)

    def _read_logit(self, output: Any) -> float:
        """The logit of relevance: of a model with two classes the difference, whose logistic function is the softmax
        of the second."""
        values = output.reshape(-1)
        if len(values) == 1:
            return float(values[0])
        if len(values) == 2:
            return float(values[1] - values[0])
        raise UsageError(
            f"{self.model} gives {len(values)} numbers for a passage: expected a cross-encoder, which gives 1"
        )

    async def check(self) -> list[str]:
        """The problems that keep it from working; loads the model."""
        return await find_reranker_problems(self)

    async def close(self) -> None:
        """Give back threads and memory."""
        await self._network.close()
