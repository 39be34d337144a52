"""Ranking measures as values: a table of names, and pure functions over a ranking and its grades.

A ranking is a sequence of ids, best first; an id that comes again counts once, at its first place.
Grades above 0 are relevant. Conventions are those of trec_eval: the denominator of precision is k,
of recall and average precision all relevant ids, and the ideal of nDCG is taken over all judged ids.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from ragstone.core.errors import UsageError
from ragstone.core.suggestions import find_alike

Id = TypeVar("Id", bound=Hashable)
Measure = Callable[[Sequence[Any], Mapping[Any, int], int | None], float]


def recall(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """The share of the relevant ids that stand among the first k.

    >>> recall(["a", "x", "b"], {"a": 1, "b": 2, "c": 1}, 3)
    0.6666666666666666
    """
    relevant = _count_relevant(grades)
    return _count_hits(ranked, grades, k) / relevant if relevant else 0.0


def precision(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """The share of the first k places that are relevant; k counts even when fewer were found."""
    places = k if k is not None else len(_first_unique(ranked, None))
    return _count_hits(ranked, grades, k) / places if places else 0.0


def reciprocal_rank(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """1 / the place of the first relevant id, 0 when there is none."""
    return next((1 / place for place, one in enumerate(_first_unique(ranked, k), 1) if grades.get(one, 0) > 0), 0.0)


def success(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """1 when a relevant id stands among the first k, else 0; also known as hit@k."""
    return float(_count_hits(ranked, grades, k) > 0)


def average_precision(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """The mean over all relevant ids of the precision at their place, 0 for those not found."""
    relevant, found, total = _count_relevant(grades), 0, 0.0
    for place, one in enumerate(_first_unique(ranked, k), 1):
        if grades.get(one, 0) > 0:
            found += 1
            total += found / place
    return total / relevant if relevant else 0.0


def ndcg(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """Discounted gain over the ideal, gain = grade (Järvelin and Kekäläinen 2002; trec_eval)."""
    return _ndcg(ranked, grades, k, float)


def ndcg_exp(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None = None) -> float:
    """Discounted gain over the ideal, gain = 2**grade - 1 (Burges and others 2005)."""
    return _ndcg(ranked, grades, k, lambda grade: 2.0**grade - 1)


def _ndcg(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None, gain: Callable[[int], float]) -> float:
    ideal = _sum_discounted([gain(grade) for grade in sorted((g for g in grades.values() if g > 0), reverse=True)[:k]])
    got = _sum_discounted([gain(max(0, grades.get(one, 0))) for one in _first_unique(ranked, k)])
    return got / ideal if ideal else 0.0


def _sum_discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


def _first_unique(ranked: Sequence[Id], k: int | None) -> list[Id]:
    """The first k different ids."""
    return list(islice(dict.fromkeys(ranked), k))


def _count_hits(ranked: Sequence[Id], grades: Mapping[Id, int], k: int | None) -> int:
    return sum(grades.get(one, 0) > 0 for one in _first_unique(ranked, k))


def _count_relevant(grades: Mapping[Id, int]) -> int:
    return sum(grade > 0 for grade in grades.values())


MEASURES: Mapping[str, Measure] = {
    "nDCG": ndcg,
    "nDCG_exp": ndcg_exp,
    "Recall": recall,
    "Precision": precision,
    "MRR": reciprocal_rank,
    "MAP": average_precision,
    "Success": success,
    "Hit": success,
}
SPELLINGS: Mapping[str, str] = {
    **{name.lower(): name for name in MEASURES},
    "r": "Recall",
    "p": "Precision",
    "rr": "MRR",
    "ap": "MAP",
    "ndcg-exp": "nDCG_exp",
}
NEEDS_CUT = frozenset({"Recall", "Precision", "Success", "Hit"})
DEFAULT_METRICS = (
    "nDCG@10",
    "nDCG_exp@10",
    "Recall@5",
    "Recall@10",
    "Precision@5",
    "MRR",
    "MAP",
    "Success@5",
    "Hit@10",
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure with its rank: `nDCG@10`. Called with a ranking and its grades."""

    measure: str
    k: int | None = None

    @property
    def name(self) -> str:
        return self.measure if self.k is None else f"{self.measure}@{self.k}"

    def name_at_depth(self, depth: int | None) -> str:
        """The name with the rank that it has over rankings of at most `depth` places: MAP over 100 is `MAP@100`."""
        return Metric(self.measure, self.k or depth).name

    def __call__(self, ranked: Sequence[Id], grades: Mapping[Id, int]) -> float:
        return MEASURES[self.measure](ranked, grades, self.k)


def parse_metric(name: str) -> Metric:
    """A metric by its name, as "nDCG@10", "Recall@5", "MRR", "MAP"; case does not matter.

    Raises `UsageError` for an unknown measure, or a rank that is missing or not a whole number above 0.

    >>> parse_metric("ndcg@10").name
    'nDCG@10'
    """
    word, at, cut = name.strip().partition("@")
    measure = SPELLINGS.get(word.lower())
    if measure is None:
        near = find_alike(word.lower(), SPELLINGS)
        hint = f"did you mean {SPELLINGS[near]}?" if near else f"known measures: {', '.join(MEASURES)}"
        raise UsageError(f"unknown metric {name!r}: {hint}")
    if at and not (cut.isascii() and cut.isdigit() and len(cut) < 10 and int(cut) > 0):
        raise UsageError(f"metric {name!r}: after the @ comes a whole number from 1")
    if not at and measure in NEEDS_CUT:
        raise UsageError(f"metric {name!r} needs a rank, as in {measure}@10")
    return Metric(measure, int(cut) if at else None)
