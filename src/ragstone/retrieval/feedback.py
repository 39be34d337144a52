"""Feedback: candidates are ordered anew by the question's vector, moved towards the first passages, and by the words
that those have most of.

Only the scores that order the candidates change: nothing is retrieved again, and a hit's signals stay the question's
own, because thresholds and abstentions are fitted to those.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragstone.core.ports import Exporter, Vectors
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk
from ragstone.retrieval.candidates import Signals, SourceRanking, SourceResult, list_ids, read_chunks
from ragstone.retrieval.feedback_words import choose_words
from ragstone.retrieval.merging import (
    RankingKey,
    fuse_group,
    group_rankings,
    has_two_retrievers,
    join_chunks,
    list_left_out,
    ranking_key,
)
from ragstone.retrieval.question import Question
from ragstone.retrieval.retriever_weights import COSINE

BM25 = "bm25"
FEEDBACK = "feedback"  # the stage, the note, and the signal in an explanation
WEIGHTS = (1.0, 1 / 2, 1 / 3)  # of the first passages
# Of the words of a passage so many are nothing but letters where it is prose. Code has fewer, and its first passages
# often say something else: without this, CoSQA loses .029 nDCG@10 (`benchmarks/retrieval`).
PROSE = 0.7
PLAIN_WORD = re.compile(r"(?<!\S)\W{0,3}[^\W\d_]+\W{0,3}(?!\S)|[^\W\d_\x00-\x7f]{2}")
WORDS = 0.5  # of the weight of vectors: more gains nothing and costs first hits (`benchmarks/retrieval`)
DECIMALS = 6  # of the moved vector and of scores: stores return vectors that differ behind these


@dataclass(frozen=True, slots=True)
class Feedback:
    """By what the candidates of a ranking are ordered anew: the moved vector, the words of the first passages as a
    query, and the ids of those passages."""

    vector: Vectors
    words: str
    passages: tuple[str, ...]


async def order_by_feedback(
    results: Sequence[SourceResult], question: Question, trace: Trace, *, seconds: float, explained: bool = False
) -> Sequence[SourceResult]:
    """The results with the cosines of their rankings to the moved vector, and BM25 by the question and by the words of
    the first passages, where scores of both retrievers are fused.

    A ranking stays as it is where fewer than three passages were found, one of the first three is not prose, or the
    store gives no vector of one. A failure leaves all as they are, with a note. `explained` notes what was done.
    """
    if not question.feedback or question.fusion != "minmax":
        return results
    reasons: list[str] = []
    work = _rate_anew(results, question, reasons)
    rated = await trace.attempt(FEEDBACK, work, results, seconds=seconds)
    if explained:
        for reason in dict.fromkeys(reasons):
            trace.note(FEEDBACK, f"feedback: {reason}")
    return rated


async def _rate_anew(results: Sequence[SourceResult], question: Question, reasons: list[str]) -> Sequence[SourceResult]:
    first = _rank_first(results, question)
    wanted = list(dict.fromkeys(identity for ranked in first.values() for identity in ranked))
    results = [await read_chunks(result, wanted) for result in results]
    chunks = join_chunks(results)
    given: dict[RankingKey, Feedback] = {}
    for key, group in group_rankings(results).items():
        if key not in first or (vector := group[0].vector) is None:
            continue
        passages = [chunks[identity] for identity in first[key] if identity in chunks]
        if reason := _describe_unfit(passages):
            reasons.append(reason)
            continue
        vectors = await _read_vectors(results, passages)
        if len(vectors) < len(passages):
            reasons.append("the order stays, because the store gives no vectors of the first passages")
            continue
        moved = move_vector(vector, vectors, question.feedback)
        given[key] = Feedback(
            moved, choose_words([one.text for one in passages], WEIGHTS), tuple(one.id for one in passages)
        )
        reasons.append("the candidates were ordered anew by " + ", ".join(map(_name_place, passages)))
    return await _rate_results(results, given, question.feedback) if given else results


def _rank_first(results: Sequence[SourceResult], question: Question) -> dict[RankingKey, list[str]]:
    """The ids of the first passages of each ranking that feedback may order."""
    left_out = list_left_out(results)
    return {
        key: [one.id for one in fuse_group(group, question, left_out)[: len(WEIGHTS)]]
        for key, group in group_rankings(results).items()
        if group[0].vector is not None and not group[0].is_fused_by_store and has_two_retrievers(group)
    }


def _describe_unfit(passages: Sequence[Chunk]) -> str | None:
    """Why these passages cannot speak for the question; None where they can."""
    if len(passages) < len(WEIGHTS):
        return f"the order stays, because fewer than {len(WEIGHTS)} passages were found"
    unfit = next((chunk for chunk in passages if not is_prose(chunk.text)), None)
    return f"the order stays, because {_name_place(unfit)} is not prose" if unfit else None


def _name_place(chunk: Chunk) -> str:
    return f"{chunk.document.path}#{chunk.ordinal}"


def is_prose(text: str) -> bool:
    """Whether most words are nothing but letters.

    >>> is_prose("The samples are kept for two weeks."), is_prose("for i in range(10): total += cells[i].weight")
    (True, False)
    """
    return len(PLAIN_WORD.findall(text)) >= PROSE * max(1, len(text.split()))


def move_vector(vector: Vectors, passages: Sequence[Vectors], weight: float) -> Vectors:
    """The vector plus `weight` times the mean of the passages, which count 1, 1/2 and 1/3; of length 1."""
    counts = np.array(WEIGHTS[: len(passages)])
    mean = counts @ np.stack(passages).astype(np.float64) / counts.sum()
    own = vector.astype(np.float64)
    summed = np.round(own / np.linalg.norm(own) + weight * mean, DECIMALS)
    made: Vectors = (summed / (np.linalg.norm(summed) or 1.0)).astype(np.float32)
    return made


async def _read_vectors(results: Sequence[SourceResult], chunks: Sequence[Chunk]) -> list[Vectors]:
    """The vectors of chunks in their order, each from its source; those that it does not give are left out."""
    found: dict[str, Vectors] = {}
    for result in results:
        reader = result.view.reader
        own = {chunk.id: chunk.vector_key for chunk in chunks if chunk.id in result.chunks and chunk.vector_key}
        if own and isinstance(reader, Exporter):
            vectors = await reader.vectors(list(dict.fromkeys(own.values())))
            found |= {identity: vectors[key] for identity, key in own.items() if key in vectors}
    return [found[chunk.id] for chunk in chunks if chunk.id in found]


async def _rate_results(
    results: Sequence[SourceResult], given: Mapping[RankingKey, Feedback], weight: float
) -> Sequence[SourceResult]:
    """The results with their rankings' new signals. The words' BM25 counts half of `weight` times as much as the
    question's: both scaled to their best over all rankings whose scores mean the same."""
    rated: dict[tuple[int, int], Signals] = {}
    asked: dict[RankingKey, float] = {}
    added: dict[RankingKey, float] = {}
    for number, result in enumerate(results):
        for at, ranking in enumerate(result.rankings):
            key = ranking_key(number, ranking)
            if (own := given.get(key)) is None:
                continue
            ids = list_ids(ranking.candidates)
            found = await result.view.reader.rate(ids, vector=own.vector, query=own.words)
            rated[number, at] = found
            asked[key] = max(asked.get(key, 0.0), _best_words(ranking.signals))
            added[key] = max(added.get(key, 0.0), _best_words(found))
    shares = {key: weight * WORDS * asked[key] / most if most > 0 else 0.0 for key, most in added.items()}

    def order_anew(number: int, at: int, ranking: SourceRanking) -> SourceRanking:
        key = ranking_key(number, ranking)
        if (number, at) not in rated:
            return ranking
        signals = _add_signals(ranking.signals, rated[number, at], shares[key])
        return replace(ranking, signals=signals, feedback=given[key].passages)

    return [
        replace(result, rankings=tuple(order_anew(number, at, one) for at, one in enumerate(result.rankings)))
        for number, result in enumerate(results)
    ]


def _best_words(signals: Signals) -> float:
    return max((own.get(BM25, 0.0) for own in signals.values()), default=0.0)


def _add_signals(signals: Signals, rated: Signals, share: float) -> Signals:
    """The signals with the new cosines, and with `share` of the new BM25 on top of the old."""
    made: dict[str, Mapping[str, float]] = {}
    for identity, own in signals.items():
        new = rated.get(identity, {})
        words = {BM25: round(own[BM25] + share * new[BM25], DECIMALS)} if BM25 in own and BM25 in new else {}
        made[identity] = {**own, **words, **({COSINE: new[COSINE]} if COSINE in new else {})}
    return made
