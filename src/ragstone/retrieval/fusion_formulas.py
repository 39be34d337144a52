"""Several rankings become one."""

from collections.abc import Collection, Mapping, Sequence

from ragstone.core.types import Candidate, total_order

Rankings = Mapping[str, Sequence[Candidate]]
Place = tuple[str, str, int]  # path, source, ordinal
Scores = Mapping[str, Mapping[str, float]]  # by retriever and candidate


def rrf(rankings: Rankings, *, weights: Mapping[str, float] | None = None, k: int = 60) -> list[Candidate]:
    """Reciprocal rank fusion: the sum over retrievers of weight / (k + rank), the first rank being 1.

    Cormack, Clarke and Büttcher 2009, who gave k = 60. A retriever without a weight counts 1. Scores only
    order: with one retriever the best possible is 1/61, with two 2/61.
    """
    scores = {
        retriever: {c.id: 1 / (k + rank) for rank, c in _number_ranks(found)} for retriever, found in rankings.items()
    }
    return _sum_scores(list_places(rankings), scores, weights or {})


def minmax(
    rankings: Rankings, *, weights: Mapping[str, float] | None = None, from_zero: Collection[str] = ()
) -> list[Candidate]:
    """The weighted sum of each retriever's scores scaled to 0..1 over its own candidates; missing counts 0.

    The scores of the retrievers `from_zero` are divided by the best, the least of the others becomes 0. A retriever
    whose candidates all score the same gives each of them 1.
    """
    scores = {name: {c.id: c.score for c in reversed(found)} for name, found in rankings.items()}
    return minmax_scores(list_places(rankings), scores, weights=weights, from_zero=from_zero)


def minmax_scores(
    places: Mapping[str, Place],
    scores: Scores,
    *,
    weights: Mapping[str, float] | None = None,
    from_zero: Collection[str] = (),
) -> list[Candidate]:
    """`minmax` of candidates at these places, from the scores of each retriever by candidate."""
    scaled = {name: _scale_scores(found, from_zero=name in from_zero) for name, found in scores.items()}
    return _sum_scores(places, scaled, weights or {})


def list_places(rankings: Rankings) -> dict[str, Place]:
    """The place of every candidate, by its id."""
    return {candidate.id: candidate.place for found in rankings.values() for candidate in found}


def _number_ranks(found: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Ranks from 1, in reverse, so that of a candidate named twice the better rank is kept."""
    return list(enumerate(found, 1))[::-1]


def _scale_scores(scores: Mapping[str, float], *, from_zero: bool) -> dict[str, float]:
    low = min(scores.values(), default=0.0)
    half = (min(low, 0.0) if from_zero else low) / 2
    # Halved, because the width of a range may be beyond the largest float.
    width = max(scores.values(), default=0.0) / 2 - half
    return {identity: (score / 2 - half) / width if width > 0 else 1.0 for identity, score in scores.items()}


def _sum_scores(places: Mapping[str, Place], scores: Scores, weights: Mapping[str, float]) -> list[Candidate]:
    sums = dict.fromkeys(places, 0.0)
    for retriever in sorted(scores):  # in the order of their names, because float addition depends on it
        weight = weights.get(retriever, 1.0)
        for identity, score in scores[retriever].items():
            sums[identity] += weight * score
    order = sorted((*total_order(round(total, 6), places[identity]), identity) for identity, total in sums.items())
    return [Candidate(identity, -below, places[identity]) for below, *_, identity in order]
