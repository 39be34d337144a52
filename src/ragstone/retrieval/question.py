"""The question and its search options."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import find_violation
from ragstone.config.vendors import check_reranker_name
from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.retrieval.hyde import FEWEST_KINDS

LONGEST_QUESTION = 10_000  # characters; a longer one is a document
CANDIDATES = 5  # of each retriever, times top_k
FEWEST_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class Question(SearchOptions):
    """A question, where to look for what answers it, and how."""

    text: str
    where: Where = field(default_factory=Where)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"invalid question {self.text!r:.60}: expected a text")
        if not self.text.strip():
            raise UsageError("the question is empty")
        if len(self.text) > LONGEST_QUESTION:
            raise UsageError(f"the question has {len(self.text)} characters; at most {LONGEST_QUESTION} are read")
        if not isinstance(self.where, Where):
            raise UsageError(f'invalid where {self.where!r:.60}: expected a Where, such as Where(paths=("guides/**",))')
        if wrong := find_violation(self):
            raise UsageError(wrong)
        object.__setattr__(self, "rerank", check_reranker_name(self.rerank))
        if not self.bm25_weight and not self.cosine_weight:
            raise UsageError("bm25_weight and cosine_weight are both 0; at least one retriever must count")
        if self.hyde == "multi" and (self.hyde_documents or FEWEST_KINDS) < FEWEST_KINDS:
            raise UsageError(
                f"invalid hyde_documents {self.hyde_documents}: expected at least {FEWEST_KINDS} for hyde multi, which "
                "takes its kinds in turn"
            )

    @property
    def depth(self) -> int:
        """How many candidates each retriever gives."""
        return max(FEWEST_CANDIDATES, self.top_k * CANDIDATES)


def build_question(text: str, defaults: SearchOptions, where: Where | None, options: Mapping[str, object]) -> Question:
    """A question with these defaults; `options` over them, None means default."""
    known = {one.name: getattr(defaults, one.name) for one in fields(SearchOptions)}
    given = {key: value for key, value in options.items() if value is not None}
    if unknown := set(given) - set(known):
        raise UsageError(f"unknown search option {min(unknown)!r}")
    return Question(text, where=where or Where(), **{**known, **given})  # checked in Question
