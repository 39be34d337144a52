"""Tokens that pipelines used since the start of the process."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ragstone.core.answers import Answer
from ragstone.core.types import Json
from ragstone.engine.pipeline import Pipeline
from ragstone.engine.question_verbs import QuestionVerbs


class TokenCounts:
    """Monotonic counts for each tenant and pipeline."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, tenant: str, pipeline: str, kind: str, count: int) -> None:
        """Count tokens of one kind."""
        self._counts[tenant, pipeline, kind] += count

    def describe(self, tenant: str, pipeline: str) -> Json:
        """The counts of a pipeline: of questions that were embedded, and of answers."""
        embedded, read, written = (
            self._counts[tenant, pipeline, kind] for kind in ("embedding", "prompt", "completion")
        )
        return {
            "name": pipeline,
            "embedding": {"prompt_tokens": embedded, "completion_tokens": 0, "total_tokens": embedded},
            "completion": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        }


@dataclass(frozen=True, slots=True)
class CountedQuestion:
    """A question whose answer's tokens are counted when it is there."""

    add: Callable[[str, int], None]

    def add_answer(self, answer: Answer) -> None:
        """Count what the language model read and wrote."""
        self.add("prompt", answer.usage.get("prompt_tokens", 0))
        self.add("completion", answer.usage.get("completion_tokens", 0))


def count_question(counts: TokenCounts, tenant: str, pipeline: QuestionVerbs, name: str, text: str) -> CountedQuestion:
    """Count the question as the pipeline's embedding models read it."""

    def add(kind: str, count: int) -> None:
        counts.add(tenant, name, kind, count)

    if isinstance(pipeline, Pipeline):
        embedders = {id(one.embedder): one.embedder for one in pipeline.search_context.sources if one.embedder}
        for embedder in embedders.values():
            add("embedding", embedder.tokenizer.count([text])[0])
    return CountedQuestion(add)
