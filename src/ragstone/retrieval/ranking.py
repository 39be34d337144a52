"""From the candidates of each retriever to one order: pure, so that `explain` can replay it."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import timedelta
from functools import partial

from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Candidate, Hit
from ragstone.retrieval.boosting import (
    add_signal,
    boost_keywords,
    boost_notes,
    penalise_risk,
    rate_freshness,
    rate_metadata,
)
from ragstone.retrieval.fusion_formulas import list_places, minmax_scores, rrf
from ragstone.retrieval.question import Question
from ragstone.retrieval.retriever_weights import RRF, list_retrievers, list_scores, scale_to_rrf, weight_of
from ragstone.retrieval.selection import TermSets, deduplicate, deduplicate_first, keep_above, limit_per_document
from ragstone.retrieval.topics import list_elsewhere, may_be_heading, rate_heading

HEADED = 50  # first hits that a heading may lift


def fuse_candidates(
    question: Question,
    candidates: Mapping[str, Sequence[Candidate]],
    signals: Mapping[str, Mapping[str, float]],
    *,
    words: float = 1.0,
) -> list[Candidate]:
    """The candidates of all retrievers in one order; those of a single one keep their scores.

    Scores are fused over what every candidate really scores by each retriever, also where only another one
    found it, BM25 with the share `words` of its weight; ranks are fused as the retrievers gave them
    (`benchmarks/retrieval`).
    """
    if len(candidates) == 1:
        return list(next(iter(candidates.values())))
    weights = {name: weight_of(name, question) for name in candidates}
    if question.fusion == "rrf":
        return rrf(candidates, weights=weights)
    places = list_places(candidates)
    scores = {name: list_scores(name, places, signals) for name in candidates}
    from_zero = candidates.keys() - {"cosine"} if question.word_scale != "range" else ()
    if "bm25" in weights:
        weights["bm25"] *= words
    return minmax_scores(places, scores, weights=weights, from_zero=from_zero)


def rank_hits(
    hits: list[Hit], question: Question, rows: Set[str] = frozenset(), terms: TermSets | None = None
) -> list[Hit]:
    """The results: in order, and cut to the limit. `rows` are the ids of documents that are rows of tables, `terms`
    those of texts that are known already."""
    return apply_options(hits, question, rows, terms, most=question.top_k)[: question.top_k]


def rank_pool(
    hits: list[Hit], question: Question, size: int, rows: Set[str] = frozenset(), terms: TermSets | None = None
) -> list[Hit]:
    """The hits in order for a reranker, which scores the first `size`: all that may be among the results, not yet
    limited."""
    unlimited = replace(question, per_document=None)
    most = None if question.per_document else max(size, question.top_k)
    return apply_options(hits, unlimited, rows, terms, most=most)[:most]


def apply_options(
    hits: list[Hit],
    question: Question,
    rows: Set[str] = frozenset(),
    terms: TermSets | None = None,
    *,
    most: int | None = None,
) -> list[Hit]:
    """Thresholds, boosts, penalties, each row once, near-duplicates grouped, at most `per_document` of a document.

    With `most`, near-duplicates are looked for only as far down as these many hits need.
    """
    if question.min_cosine is not None:
        hits = keep_above(hits, {"cosine": question.min_cosine})
    hits = add_document_signals(hits, question)
    if question.keyword_boost:
        hits = boost_keywords(hits, question.text)
    if question.risk_penalty:
        hits = penalise_risk(hits, share=question.risk_penalty)
    if rows:
        hits = keep_first_of_row(hits, rows)
    if question.fold:
        if most is None or question.per_document:
            hits = deduplicate(hits, terms)
        else:
            hits = deduplicate_first(hits, most, terms)
    if question.per_document is not None:
        hits = limit_per_document(hits, per_document=question.per_document)
    return hits


def add_document_signals(hits: list[Hit], question: Question) -> list[Hit]:
    """Add freshness and metadata to the scores, and boost notes, where the question weighs them.

    The weights are those of the retrievers' scores: the best hit counts as much as the weights of the retrievers that
    answered together, on any scale of scores.
    """
    unit = _unit_of_weight(hits, question)
    headed = _rate_headings(hits[:HEADED], question)
    if (
        (question.freshness_weight or question.metadata_weight or headed)
        and question.fusion == "rrf"
        and question.fusion_at == "client"
    ):
        scale = scale_to_rrf(question, list_retrievers(hits, question))  # thresholds judge this signal
        hits = [replace(hit, signals={RRF: round(hit.score * scale, 6), **hit.signals}) for hit in hits]
    if headed:
        weight = question.heading_weight * unit
        hits = add_signal(hits, "heading", lambda hit: headed.get(hit.chunk.id, 0.0), weight=weight)
    if question.freshness_weight:
        half_life = timedelta(days=question.freshness_days)
        rate = partial(rate_freshness, now=question.asked_at, half_life=half_life)
        hits = add_signal(
            hits, "freshness", lambda hit: rate(hit.chunk.document), weight=question.freshness_weight * unit
        )
    if question.metadata_weight:
        terms = frozenset(extract_terms(question.text))
        weight = question.metadata_weight * unit
        hits = add_signal(hits, "metadata", lambda hit: rate_metadata(hit.chunk.document, terms), weight=weight)
    return boost_notes(hits, share=question.notes_boost) if question.notes_boost else hits


def _rate_headings(hits: Sequence[Hit], question: Question) -> dict[str, float]:
    """How far these passages are headed by the question, by their ids; of those that are."""
    if not question.heading_weight or not may_be_heading(question.text):
        return {}
    rated = ((hit.chunk.id, rate_heading(hit.chunk, question.text)) for hit in hits)
    elsewhere = list_elsewhere([hit.chunk for hit in hits], question.text)
    return {identity: share for identity, share in rated if share and identity not in elsewhere}


def _unit_of_weight(hits: Sequence[Hit], question: Question) -> float:
    """What a weight of 1 adds to the score at most."""
    weights = sum(weight_of(name, question) for name in list_retrievers(hits, question))
    return max((hit.score for hit in hits), default=0.0) / (weights or 1.0)


def keep_first_of_row(hits: Sequence[Hit], rows: Set[str]) -> list[Hit]:
    """A row that several columns found stays once, where it is best; the others are its duplicates."""
    first: dict[str, int] = {}
    out: list[Hit] = []
    for hit in hits:
        document = hit.chunk.document
        if document.id not in rows or document.id not in first:
            first.setdefault(document.id, len(out))
            out.append(hit)
            continue
        best = out[first[document.id]]
        also = (document.source, document.path, hit.chunk.ordinal)
        out[first[document.id]] = replace(best, duplicates=(*best.duplicates, also, *hit.duplicates))
    return out


def add_rrf_signal(
    merged: Sequence[Candidate],
    signals: Mapping[str, Mapping[str, float]],
    rankings: Iterable[tuple[Iterable[Candidate], float]],
    question: Question,
) -> Mapping[str, Mapping[str, float]]:
    """The signals of candidates of several rankings with the signal `rrf`: the best that each scores in one of those
    that two retrievers made, each with its factor (`scale_to_rrf`). The thresholds on RRF judge it: the candidates' own
    scores grow with the number of rankings."""
    best: dict[str, float] = {}
    for ranking, scale in rankings:
        for candidate in ranking:
            best[candidate.id] = max(round(candidate.score * scale, 6), best.get(candidate.id, 0.0))
    if question.fusion != "rrf" or not best:
        return signals
    return {one.id: {**signals.get(one.id, {}), RRF: best.get(one.id, 0.0)} for one in merged}
