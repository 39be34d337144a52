"""A vendor's reranker over HTTP in any wire format: in batches, in order, its scores mapped to 0 … 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ragstone.core.errors import RagstoneError
from ragstone.core.ports import Reranker
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.score_scales import Scale, scale_scores
from ragstone.providers.vendor_line import VendorLine
from ragstone.providers.wire_format import IndexedScore, RerankBatch, RerankFormat

PROBE = ("a word", "another word")  # a question and a passage


class VendorReranker:
    """Scores passages with a vendor's model over HTTP; implements `Reranker`."""

    def __init__(
        self, endpoint: Endpoint, wire_format: RerankFormat, *, model: str, scale: Scale | None = None
    ) -> None:
        """`scale`: of the model's scores, where it is not the vendor's."""
        self.model = f"{endpoint.vendor.name}/{model}"
        self._name = model
        self._wire_format = wire_format
        self._scale: Scale = scale or wire_format.scale_of(model)
        self._line = VendorLine(endpoint, wire_format, model=model)

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Numbers from 0 to 1, one for each text; see `ragstone.core.ports.Reranker`."""
        found: list[float] = []
        for start in range(0, len(texts), self._wire_format.most):
            found += await self._score_batch(question, texts[start : start + self._wire_format.most])
        return found

    async def _score_batch(self, question: str, texts: Sequence[str]) -> list[float]:
        call = self._wire_format.build_rerank_request(RerankBatch(self._name, question, texts))

        def parse(reply: Any) -> list[float]:
            raw = sort_scores(self._wire_format.parse_scores(reply), len(texts))
            return scale_scores(raw, self._scale)

        return await self._line.ask(call, parse)

    async def check(self) -> list[str]:
        """The problems that keep it from working; asks for one score."""
        return await find_reranker_problems(self)

    async def close(self) -> None:
        """Give back the connections."""
        await self._line.close()


async def find_reranker_problems(reranker: Reranker) -> list[str]:
    """The problem that one score shows, as a sentence; [] when it comes."""
    question, text = PROBE
    try:
        await reranker.score(question, [text])
    except RagstoneError as error:
        return [str(error)]
    return []


def sort_scores(found: Iterable[IndexedScore], count: int) -> list[float]:
    """The scores in the order of the texts. Raises `ValueError` unless each of `count` texts has one.

    >>> sort_scores([(1, 0.2), (0, 0.9)], 2)
    [0.9, 0.2]
    """
    pairs = list(found)
    if len(pairs) != count:
        raise ValueError(f"{len(pairs)} scores for {count} texts")
    by_index = dict(pairs)
    if by_index.keys() != set(range(count)):
        raise ValueError("the scores are numbered wrongly")
    return [by_index[index] for index in range(count)]
