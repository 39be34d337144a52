"""The keyword candidates of a source in another order than the store's: by term frequency, or by a model of sparse
vectors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.errors import Unavailable
from ragstone.core.ports import SparseEncoder, SparseVector
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk
from ragstone.retrieval.candidates import Signals, SourceRanking, SourceResult
from ragstone.retrieval.query_expansion import QueryVariant
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import GetSparseEncoder
from ragstone.retrieval.term_frequency import TF, rescore_candidates, score_frequencies

SPLADE = "splade"  # the signal, the stage, and the name of the ranking in place of the store's own
REFUSED = "splade_refused"  # no model, its key, a permission: to be mended there
DECIMALS = 6
Scores = Mapping[str, Mapping[str, float]]  # by text of a question and chunk


async def rescore_keywords(
    found: SourceResult,
    question: Question,
    variants: Sequence[QueryVariant],
    get_encoder: GetSparseEncoder,
    trace: Trace,
    *,
    seconds: float,
) -> SourceResult:
    """The result with its keyword candidates in the order that `question.sparse` names. A model that fails, or takes
    longer than `seconds`, leaves the order of the store, with a note; a store's own fusion stays as it is."""
    name, texts = question.sparse, list(dict.fromkeys([question.text, *(one.text for one in variants)]))
    if name == "bm25" or not found.chunks:
        return found
    if all(ranking.is_fused_by_store for ranking in found.rankings):
        trace.note("sparse", f"search.sparse {name} has no effect: the store fused the rankings itself")
        return found
    if name == TF:
        with trace.time_stage("rank"):
            scores: Scores | None = {text: score_frequencies(text, found.chunks) for text in texts}
    else:
        work = score_by_model(get_encoder, texts, found.chunks)
        scores = await trace.attempt(SPLADE, work, None, seconds=seconds, refused=REFUSED)
    if scores is None:
        return found
    rankings = tuple(_rescore(name, one, scores[variants[one.variant].text]) for one in found.rankings)
    return replace(found, rankings=rankings, signals=_add_signal(found.signals, name, scores[question.text]))


async def score_by_model(get_encoder: GetSparseEncoder, texts: Sequence[str], chunks: Mapping[str, Chunk]) -> Scores:
    """The dot product of the sparse vectors of each text and each chunk; the texts are questions.

    Raises `UsageError` where there is no model, and the model's errors.
    """
    encoder = get_encoder()
    asked = await _encode(encoder, texts, "query")
    passages = await _encode(encoder, [searchable_text(chunk) for chunk in chunks.values()], "document")
    by_term = [dict(zip(one.terms, one.weights, strict=True)) for one in asked]
    return {
        text: {identity: multiply(weights, vector) for identity, vector in zip(chunks, passages, strict=True)}
        for text, weights in zip(texts, by_term, strict=True)
    }


async def _encode(
    encoder: SparseEncoder, texts: Sequence[str], kind: Literal["document", "query"]
) -> list[SparseVector]:
    vectors = await encoder.encode(texts, kind=kind)
    if len(vectors) != len(texts):
        raise Unavailable(f"{encoder.model} gave {len(vectors)} vectors for {len(texts)} texts")
    return vectors


def multiply(weights: Mapping[int, float], vector: SparseVector) -> float:
    """The dot product of a question's weights by term and a vector, summed exactly: the same in any order.

    >>> multiply({3: 2.0, 9: 1.0}, SparseVector((3, 4), (0.5, 7.0)))
    1.0
    """
    pairs = zip(vector.terms, vector.weights, strict=True)
    return round(math.fsum(weights[term] * weight for term, weight in pairs if term in weights), DECIMALS)


def _rescore(name: str, ranking: SourceRanking, scores: Mapping[str, float]) -> SourceRanking:
    """A ranking whose keyword candidates are ordered by these scores; a store's own fusion stays as it is."""
    if ranking.is_fused_by_store:
        return ranking
    candidates = {
        key if key == "cosine" else name: one if key == "cosine" else rescore_candidates(one, scores)
        for key, one in ranking.candidates.items()
    }
    return replace(ranking, candidates=candidates, signals=_add_signal(ranking.signals, name, scores))


def _add_signal(signals: Signals, name: str, scores: Mapping[str, float]) -> dict[str, dict[str, float]]:
    return {
        identity: {**own, **({name: scores[identity]} if identity in scores else {})}
        for identity, own in signals.items()
    }
