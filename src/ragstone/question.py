"""What is asked, and how it is to be searched."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragstone.bounds import SEARCH, outside
from ragstone.errors import UsageError
from ragstone.retrieve import FEWEST_KINDS
from ragstone.types import Hyde, Mode
from ragstone.where import Where

LONGEST_QUESTION = 10_000  # characters; a longer one is a document
CANDIDATES = 5  # per leg, times top_k
FEWEST_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how it is to be searched. `fusion` is rrf or minmax, weights are per leg; `fusion_at` server
    leaves both legs and their fusion to the store, where it can.

    `min_cosine` is a threshold on the raw cosine; `fold` puts near-duplicates behind the best of them;
    `per_document` is how many chunks of one document may be among the results.

    A language model may help: `hyde` searches with what it imagines as answers (`adaptive`: where the best cosine is
    under `hyde_below`), `multi_query` with so many paraphrases too, `filter` leaves out passages that it scores under
    `filter_below`. `cache` serves what a question that asks the same has found within
    `cache_hours` (0: however long ago), of at most `cache_entries`, at a cosine of `cache_cosine` or more.
    """

    text: str
    mode: Mode = "hybrid"
    top_k: int = 10
    where: Where = field(default_factory=Where)
    fusion: str = "minmax"
    fusion_at: str = "client"
    bm25_weight: float = 0.4
    cosine_weight: float = 0.6
    min_cosine: float | None = None
    keyword_boost: bool = False
    fold: bool = True
    per_document: int | None = None
    hyde: Hyde = "off"
    hyde_documents: int | None = None
    hyde_below: float = 0.5
    multi_query: int = 0
    filter: bool = False
    filter_below: float = 0.5
    cache: bool = False
    cache_cosine: float = 0.9
    cache_hours: float = 24.0
    cache_entries: int = 1000

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"the question must be a text, not {self.text!r:.60}")
        if not self.text.strip():
            raise UsageError("the question is empty")
        if len(self.text) > LONGEST_QUESTION:
            raise UsageError(f"the question has {len(self.text)} characters; at most {LONGEST_QUESTION} are read")
        if not isinstance(self.where, Where):
            raise UsageError(f'where must be a Where, such as Where(paths=("guides/**",)), not {self.where!r:.60}')
        if wrong := outside(self, SEARCH):
            raise UsageError(wrong)
        if not self.bm25_weight and not self.cosine_weight:
            raise UsageError("bm25_weight and cosine_weight are both 0; at least one leg must count")
        if self.hyde == "multi" and (self.hyde_documents or FEWEST_KINDS) < FEWEST_KINDS:
            raise UsageError(
                f"hyde_documents is {self.hyde_documents}; hyde multi takes its kinds in turn and needs at least "
                f"{FEWEST_KINDS}"
            )

    @property
    def depth(self) -> int:
        """How many candidates each leg gives."""
        return max(FEWEST_CANDIDATES, self.top_k * CANDIDATES)


def question_of(text: str, defaults: object, where: Where | None, options: Mapping[str, object]) -> Question:
    """A question with the fields of a settings' dataclass as defaults; `options` over them, None means default."""
    fields: Mapping[str, object] = getattr(type(defaults), "__dataclass_fields__", {})
    known: dict[str, object] = {name: getattr(defaults, name) for name in fields}
    given = {key: value for key, value in options.items() if value is not None}
    if unknown := set(given) - set(Question.__dataclass_fields__):
        raise UsageError(f"unknown search option {min(unknown)!r}")
    return Question(text, where=where or Where(), **{**known, **given})  # type: ignore[arg-type]  # checked in Question
