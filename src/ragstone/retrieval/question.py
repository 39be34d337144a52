"""The question and its search options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

from ragstone.config.profiles import RANKING, find_profile
from ragstone.config.search_options import RankingOptions, SearchOptions
from ragstone.config.validation import find_violation
from ragstone.config.vendors import check_reranker_name
from ragstone.core.courtesies import strip_courtesies
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.filters import Where
from ragstone.core.suggestions import suggest_argument
from ragstone.core.types import LONGEST_QUESTION
from ragstone.retrieval.hyde import FEWEST_KINDS

CANDIDATES = 5  # of each retriever, times top_k
FEWEST_CANDIDATES = 50


def read_utc() -> datetime:
    """The time now."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Question(SearchOptions):
    """A question, where to look for what answers it, and how. Its text is without greetings and thanks around it."""

    text: str
    where: Where = field(default_factory=Where)
    asked_at: datetime = field(default_factory=read_utc, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise UsageError(f"invalid question {self.text!r:.60}: expected a text")
        if not self.text.strip():
            raise UsageError("the question is empty")
        if len(self.text) > LONGEST_QUESTION:
            raise UsageError(f"the question has {len(self.text)} characters; at most {LONGEST_QUESTION} are read")
        try:
            self.text.encode()
        except UnicodeEncodeError as error:  # a vendor cannot be sent it, and no document has it
            half = self.text[error.start]
            raise UsageError(f"the question is not valid Unicode: {half!r} is half of a character") from error
        object.__setattr__(self, "text", strip_courtesies(self.text))
        if not isinstance(self.where, Where):
            raise UsageError(f'invalid where {self.where!r:.60}: expected a Where, such as Where(paths=("guides/**",))')
        if wrong := find_violation(self):
            raise UsageError(wrong)
        object.__setattr__(self, "rerank", check_reranker_name(self.rerank))
        if not self.bm25_weight and not self.cosine_weight:
            raise UsageError("bm25_weight and cosine_weight are both 0; at least one retriever must count")
        self._check_candidates()
        if self.hyde == "multi" and (self.hyde_documents or FEWEST_KINDS) < FEWEST_KINDS:
            raise UsageError(
                f"invalid hyde_documents {self.hyde_documents}: expected at least {FEWEST_KINDS} for hyde multi, which "
                "takes its kinds in turn"
            )

    def _check_candidates(self) -> None:
        for name, number, alone in (
            ("cosine_candidates", self.cosine_candidates, "keyword"),
            ("bm25_candidates", self.bm25_candidates, "semantic"),
        ):
            if number == 0 and self.mode != alone:
                raise UsageError(f"{name} 0 leaves a retriever of mode {self.mode} out: use mode {alone}, or raise it")

    @property
    def word_depth(self) -> int:
        """How many candidates the retriever by words gives."""
        return self._depth(self.bm25_candidates)

    @property
    def vector_depth(self) -> int:
        """How many candidates the retriever by vectors gives."""
        return self._depth(self.cosine_candidates)

    @property
    def depth(self) -> int:
        """How many candidates a store that fuses by itself takes of each retriever."""
        return max(self.word_depth, self.vector_depth)

    def _depth(self, wanted: int | None) -> int:
        return max(FEWEST_CANDIDATES, self.top_k * CANDIDATES) if not wanted else max(wanted, self.top_k)


OTHERS = ("where",)  # what a search takes beside its options
FILTER_HINT = (
    "invalid filter: it is the language model's filter of passages, on or off; documents are filtered by where, "
    'such as Where(tags=("pager",))'
)


def needs_every_chunk(question: Question) -> bool:
    """Whether the order of candidates depends on more than their scores: on texts, documents or thresholds."""
    weights = question.risk_penalty, question.freshness_weight, question.metadata_weight, question.notes_boost
    limits = question.per_document, question.min_cosine
    return (
        question.keyword_boost
        or question.sparse != "bm25"
        or any(weights)
        or any(limit is not None for limit in limits)
    )


@dataclass(frozen=True, slots=True)
class QuestionDefaults:
    """The defaults of a question: the options of the settings, their profiles, the clock."""

    options: SearchOptions = field(default_factory=SearchOptions)
    profiles: Mapping[str, RankingOptions] = field(default_factory=dict)
    clock: Callable[[], datetime] = read_utc


def build_question(
    text: str, defaults: QuestionDefaults, where: Where | None, options: Mapping[str, object]
) -> Question:
    """A question with these defaults; `options` over them, None means default. A profile that is named sets every
    option of ranking that is not given beside it."""
    known = {one.name: getattr(defaults.options, one.name) for one in fields(SearchOptions)}
    given = {key: value for key, value in options.items() if value is not None}
    if unknown := set(given) - set(known):
        raise UsageError(f"unknown search option {min(unknown)!r}{suggest_argument(min(unknown), [*known, *OTHERS])}")
    if isinstance(given.get("filter"), Mapping | Where):
        raise UsageError(FILTER_HINT)
    if isinstance(name := given.get("profile"), str):
        try:
            profile = find_profile(name, defaults.profiles)
        except ConfigError as error:
            raise UsageError(str(error)) from error
        known |= {key: getattr(profile, key) for key in RANKING}
    return Question(
        text,
        where=where or Where(),
        asked_at=defaults.clock(),
        **{**known, **given},
    )
