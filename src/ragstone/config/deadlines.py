"""How long the stages of an answer may take before it goes on without them."""

from dataclasses import dataclass

from ragstone.config.validation import DEADLINES, find_violation
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds of a question for each stage: its vector, the store for finding passages and once more for reading what
    an answer is made of (one leg has half of it), each step in which a language model rewrites it or helps to search,
    and the vectors of sentences. What a language model has to write is `llm.total`."""

    embed: float = 15.0
    search: float = 10.0
    rewrite: float = 20.0
    check: float = 5.0

    def __post_init__(self) -> None:
        if wrong := find_violation(self, DEADLINES):
            raise ConfigError(f"deadlines: {wrong}")

    @property
    def retriever(self) -> float:
        """So that when one leg is slow, there is time for the other."""
        return self.search / 2


DEFAULT_DEADLINES = Deadlines()
