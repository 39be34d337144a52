"""A language model as a reranker: one call that scores all passages, with the prompt of the filter."""

from collections.abc import Sequence

from ragstone.core.errors import Unavailable
from ragstone.core.ports import Completion
from ragstone.retrieval.llm_filter import build_scoring_prompt, divide_context, read_scores


class LlmReranker:
    """Scores passages with a language model; implements `Reranker`."""

    def __init__(self, model: Completion) -> None:
        self._model = model

    @property
    def model(self) -> str:
        return f"{self._model.vendor}/{self._model.model}"

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """The numbers that the model writes, which are from 0 to 1; raises `Unavailable` unless there is one for each
        text."""
        if not texts:
            return []
        prompt = build_scoring_prompt(question, texts, divide_context(len(texts), self._model))
        scores = read_scores(await self._model.complete(prompt), len(texts))
        if scores is None:
            raise Unavailable(f"{self.model} did not give {len(texts)} numbers from 0 to 1")
        return scores

    async def check(self) -> list[str]:
        """The problems that keep the language model from working."""
        return await self._model.check()

    async def close(self) -> None:
        """The engine closes its language model."""
