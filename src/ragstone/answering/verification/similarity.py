"""The cosines of pairs of texts, where the model that they must come from is at hand and in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragstone import providers
from ragstone.answering.verification.support import SentencePair
from ragstone.core.ports import Embedder
from ragstone.core.trace import Trace


@dataclass(frozen=True, slots=True)
class TextSimilarity:
    """Compares texts by the built-in model: it costs milliseconds and sends nothing, and the numbers that judge its
    cosines (`verification/support.json`) were fitted to them. Any other model's cosines lie elsewhere."""

    embedder: Embedder
    seconds: float

    @classmethod
    def for_embedder(cls, embedder: Embedder | None, *, seconds: float) -> TextSimilarity | None:
        """None where there is another model, or none."""
        if embedder is None or providers.find_builtin_embedder(embedder.model, embedder.variant) is None:
            return None
        return cls(embedder, seconds)

    async def cosines(self, pairs: Iterable[SentencePair], trace: Trace) -> Mapping[SentencePair, float]:
        """The cosine of each pair, every text embedded once; {} with a note where that fails or takes too long."""
        wanted = tuple(pairs)
        return await trace.attempt("comparing", self._compute_cosines(wanted), {}, seconds=self.seconds)

    async def _compute_cosines(self, pairs: tuple[SentencePair, ...]) -> Mapping[SentencePair, float]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vectors = dict(zip(texts, await self.embedder.embed(texts, kind="query"), strict=True))
        return {(one, other): round(float(vectors[one] @ vectors[other]), 6) for one, other in pairs}
