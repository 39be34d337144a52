"""How long the stages of an answer may take before it goes on without them."""

from dataclasses import dataclass
from typing import Annotated

from ragstone.config.validation import Option, find_violation
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long each stage of a question may take, in seconds; writing an answer has `llm.total`."""

    embed: Annotated[float, Option("Seconds to embed the question.", 0.01, 86_400)] = 15.0
    search: Annotated[
        float,
        Option(
            "Seconds for the store to find passages, and again to read them; each retriever gets half.", 0.01, 86_400
        ),
    ] = 10.0
    rewrite: Annotated[float, Option("Seconds for each search step that calls a language model.", 0.01, 86_400)] = 20.0
    rerank: Annotated[float, Option("Seconds for a reranker to score the passages.", 0.01, 86_400)] = 3.0
    sparse: Annotated[float, Option("Seconds for a sparse model to score the candidates by words.", 0.01, 86_400)] = 3.0
    check: Annotated[float, Option("Seconds to embed the sentences that Ragstone checks.", 0.01, 86_400)] = 5.0

    def __post_init__(self) -> None:
        if wrong := find_violation(self):
            raise ConfigError(wrong)

    @property
    def retriever(self) -> float:
        """Seconds for one retriever: when one is slow, there is time for the other."""
        return self.search / 2


DEFAULT_DEADLINES = Deadlines()
