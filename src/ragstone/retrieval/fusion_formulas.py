"""Several rankings become one."""

from collections.abc import Collection, Mapping, Sequence

from ragstone.core.types import Candidate, total_order

Rankings = Mapping[str, Sequence[Candidate]]


def rrf(rankings: Rankings, *, weights: Mapping[str, float] | None = None, k: int = 60) -> list[Candidate]:
    """Reciprocal rank fusion: the sum over retrievers of weight / (k + rank), the first rank being 1.

    Cormack, Clarke and Büttcher 2009, who gave k = 60. A retriever without a weight counts 1. Scores only
    order: with one retriever the best possible is 1/61, with two 2/61.
    """
    scores = {
        retriever: {c.id: 1 / (k + rank) for rank, c in _number_ranks(found)} for retriever, found in rankings.items()
    }
    return _sum_scores(rankings, scores, weights or {})


def minmax(
    rankings: Rankings, *, weights: Mapping[str, float] | None = None, from_zero: Collection[str] = ()
) -> list[Candidate]:
    """The weighted sum of each retriever's scores scaled to 0..1 over its own candidates; missing counts 0.

    The scores of the retrievers `from_zero` are divided by the best, the least of the others becomes 0. A retriever
    whose candidates all score the same gives each of them 1.
    """
    scaled = {name: _scale_scores(found, from_zero=name in from_zero) for name, found in rankings.items()}
    return _sum_scores(rankings, scaled, weights or {})


def _number_ranks(found: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Ranks from 1, in reverse, so that of a candidate named twice the better rank is kept."""
    return list(enumerate(found, 1))[::-1]


def _scale_scores(found: Sequence[Candidate], *, from_zero: bool) -> dict[str, float]:
    low = min((c.score for c in found), default=0.0)
    low = min(low, 0.0) if from_zero else low
    # Halved, because the width of a range may be beyond the largest float.
    width = max((c.score / 2 - low / 2 for c in found), default=0.0)
    return {c.id: (c.score / 2 - low / 2) / width if width > 0 else 1.0 for _, c in _number_ranks(found)}


def _sum_scores(
    rankings: Rankings, scores: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> list[Candidate]:
    first: dict[str, Candidate] = {}
    for found in rankings.values():
        for candidate in found:
            first.setdefault(candidate.id, candidate)
    # In the order of the retrievers' names, because float addition depends on it.
    parts = [(weights.get(retriever, 1.0), scores[retriever]) for retriever in sorted(rankings)]
    fused = [
        Candidate(id_, round(sum(weight * part.get(id_, 0.0) for weight, part in parts), 6), candidate.place)
        for id_, candidate in first.items()
    ]
    return sorted(fused, key=lambda c: (*total_order(c.score, c.place), c.id))
