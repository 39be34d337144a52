"""From what the legs nominated to one order: pure, so that `explain` can replay it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ragstone import retrieval
from ragstone.core.types import Candidate, Hit
from ragstone.retrieval.question import Question

RISK_SHARE = 0.2  # how much of its score a certain injection costs
RRF = "rrf"  # the signal of a hit that several wordings found
FUSIONS = {"minmax": retrieval.minmax, "rrf": retrieval.rrf}


def fuse(
    question: Question, legs: Mapping[str, Sequence[Candidate]], signals: Mapping[str, Mapping[str, float]]
) -> list[Candidate]:
    """The legs' candidates in one order; a single leg keeps its own scores.

    Scores are fused over what every candidate really scores in each leg, also where only another leg
    nominated it; ranks are fused as the legs gave them (`benchmarks/retrieval`).
    """
    if len(legs) == 1:
        return list(next(iter(legs.values())))
    if question.fusion == "minmax":
        every = {candidate.id: candidate for found in legs.values() for candidate in found}
        legs = {
            leg: [replace(c, score=signals[c.id][leg]) for c in every.values() if leg in signals.get(c.id, {})]
            for leg in legs
        }
    weights = {leg: question.cosine_weight if leg == "cosine" else question.bm25_weight for leg in legs}
    return FUSIONS[question.fusion](legs, weights=weights)


def rank(hits: list[Hit], question: Question) -> list[Hit]:
    """The results: ordered, and cut to the limit."""
    return ordered(hits, question)[: question.top_k]


def ordered(hits: list[Hit], question: Question) -> list[Hit]:
    """Thresholds, boosts, penalties, folding, caps: pure, so that `explain` can replay it."""
    if question.min_cosine is not None:
        hits = retrieval.above(hits, {"cosine": question.min_cosine})
    if question.keyword_boost:
        hits = retrieval.boost_keywords(hits, question.text)
    hits = retrieval.penalise_risk(hits, share=RISK_SHARE)
    if question.fold:
        hits = retrieval.fold(hits)
    if question.per_document is not None:
        hits = retrieval.capped(hits, per_document=question.per_document)
    return hits


def judgeable(hits: Sequence[Hit], rankings: Iterable[Iterable[Candidate]], question: Question) -> list[Hit]:
    """Hits of several rankings with the signal `rrf`: the best that each scores in one of those that two legs made. It
    is what the company's rule judges: their own scores grow with the number of rankings."""
    best: dict[str, float] = {}
    for candidate in (candidate for ranking in rankings for candidate in ranking):
        best[candidate.id] = max(candidate.score, best.get(candidate.id, 0.0))
    if question.fusion != "rrf" or not best:
        return list(hits)
    return [replace(hit, signals={**hit.signals, RRF: best.get(hit.chunk.id, 0.0)}) for hit in hits]
