"""What options and settings may be: one table, which questions and settings are both checked against."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers from `low` to `high`, both included; whole ones only where `whole`, or nothing where `unset`."""

    low: float
    high: float
    whole: bool = False
    unset: bool = False

    def holds(self, value: Any) -> bool:
        """Whether this value is one of them; truth values and NaN are none."""
        if value is None or isinstance(value, bool):
            return value is None and self.unset
        number: Any = value if isinstance(value, Integral if self.whole else Real) else float("nan")
        return bool(self.low <= number <= self.high)

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none of them."""
        what = "a whole number" if self.whole else "a number"
        end = ", or left out" if self.unset else ""
        return f"{name} is {value!r:.60}; it must be {what} from {self.low} to {self.high}{end}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: tuple[str | bool, ...]

    def holds(self, value: Any) -> bool:
        """Whether this value is one of them; 1 is not true."""
        return any(type(value) is type(one) and value == one for one in self.values)

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none of them."""
        *most, last = (str(one).lower() if isinstance(one, bool) else one for one in self.values)
        return f"{name} {value!r:.60} is unknown; use {', '.join(most)} or {last}"


@dataclass(frozen=True, slots=True)
class NonBlankText:
    """A text that is not blank."""

    def holds(self, value: Any) -> bool:
        """Whether this value is one."""
        return isinstance(value, str) and bool(value.strip())

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value that is none."""
        return f"{name} is {value!r:.60}; it must be a text that is not blank"


@dataclass(frozen=True, slots=True)
class UniqueNames:
    """Things with a `name` each, no two alike."""

    def holds(self, value: Any) -> bool:
        """Whether these are some."""
        names = [one.name for one in value]
        return len(names) == len(set(names))

    def describe_error(self, name: str, value: Any) -> str:
        """A sentence for two with one name."""
        names = [one.name for one in value]
        again = next(one for one in names if names.count(one) > 1)
        return f"{name}: two are called {again!r}"


Allowed = Numbers | Choice | NonBlankText | UniqueNames
Bounds = Mapping[str, Allowed]

FLAG = Choice((True, False))
# As much as any store or source can count with; nobody means more.
MANY = 1_000_000
BYTES = 1_000_000_000_000

SEARCH: Bounds = {
    "mode": Choice(("hybrid", "semantic", "keyword")),
    "top_k": Numbers(1, 1000, whole=True),
    "fusion": Choice(("minmax", "rrf")),
    "fusion_at": Choice(("client", "server")),
    "bm25_weight": Numbers(0, 1000),
    "cosine_weight": Numbers(0, 1000),
    "min_cosine": Numbers(-1, 1, unset=True),
    "keyword_boost": FLAG,
    "fold": FLAG,
    "per_document": Numbers(1, MANY, whole=True, unset=True),
    "hyde": Choice(("off", "standard", "adaptive", "multi")),
    "hyde_documents": Numbers(1, 20, whole=True, unset=True),
    "hyde_below": Numbers(-1, 1),
    "multi_query": Numbers(0, 20, whole=True),
    "filter": FLAG,
    "filter_below": Numbers(0, 1),
    "cache": FLAG,
    "cache_cosine": Numbers(0.85, 1),
    "cache_hours": Numbers(0, MANY),
    "cache_entries": Numbers(1, 100_000, whole=True),
}
REQUEST: Bounds = {
    "model": NonBlankText(),
    "timeout": Numbers(0.01, 86_400),
    "total": Numbers(0.01, 86_400),
    "retries": Numbers(0, 100, whole=True),
}
LLM: Bounds = {
    **REQUEST,
    "max_tokens": Numbers(1, MANY, whole=True),
    "temperature": Numbers(0, 2),
    "context": Numbers(1, 100 * MANY, whole=True, unset=True),
}
EMBED: Bounds = {
    **REQUEST,
    "dimensions": Numbers(1, 100_000, whole=True, unset=True),
    "reads": Numbers(1, MANY, whole=True, unset=True),
    "batch": Numbers(1, 2048, whole=True),
}
ANSWER: Bounds = {
    "prompt": NonBlankText(),
    "tokens": Numbers(1, 100 * MANY, whole=True),
    "overhead": Numbers(0, 100 * MANY, whole=True),
    "chunks": Numbers(1, 1000, whole=True),
    "strict": FLAG,
    "abstain": Choice(("fitted", "company", "never")),
}
DEADLINES: Bounds = dict.fromkeys(("embed", "search", "rewrite", "check"), Numbers(0.01, 86_400))
LIMITS: Bounds = {
    "text_bytes": Numbers(1, BYTES, whole=True),
    "office_bytes": Numbers(1, BYTES, whole=True),
    "seconds": Numbers(0.1, 86_400),
    "memory_bytes": Numbers(200_000_000, BYTES, whole=True),
    "ocr_pages": Numbers(0, MANY, whole=True),
    "chunks": Numbers(1, MANY, whole=True, unset=True),
    "removals": Numbers(0, 1),
}
SOURCE: Bounds = {"path": NonBlankText()}
PIPELINE: Bounds = {
    "name": NonBlankText(),
    "token_budget": Numbers(1, MANY, whole=True, unset=True),
    "timeout": Numbers(0.01, 86_400),
}
VERSIONS: Bounds = {"keep_versions": Numbers(1, MANY, whole=True)}
TOP_LEVEL: Bounds = {**VERSIONS, "pipelines": UniqueNames()}
COLLECTION: Bounds = {"keep_versions": Numbers(1, MANY, whole=True, unset=True)}


def find_violation(owner: object, bounds: Bounds) -> str | None:
    """A sentence for the first attribute that is not what it may be; None when all are.

    >>> from types import SimpleNamespace
    >>> find_violation(SimpleNamespace(top_k=0), {"top_k": SEARCH["top_k"]})
    'top_k is 0; it must be a whole number from 1 to 1000'
    """
    values = ((name, allowed, getattr(owner, name)) for name, allowed in bounds.items())
    return next(
        (allowed.describe_error(name, value) for name, allowed, value in values if not allowed.holds(value)), None
    )
