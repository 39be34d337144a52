"""The best passages in the order of a reranker, whose scores become signals; without it they stay as they were.

The passages are read with their windows, secrets masked. No view of a store is open while the reranker works. A
reranker that fails, is too slow or does not give one score for each passage leaves a note and the order as it was.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ragstone import guard
from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.ports import Reranker
from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.retrieval.boosting import boost_keywords, order_hits, penalise_risk
from ragstone.retrieval.question import Question
from ragstone.retrieval.selection import limit_per_document

RERANK = "rerank"  # the signal, the stage and the beginning of the notes' codes
RERANKED = "reranked"  # the count of the passages that it scored
DEPTH = "depth"  # the count of the candidates that each retriever may give for it
REFUSED = "rerank_refused"  # its name, its key, a permission: to be mended there
SKIPPED = ("rerank_failed", REFUSED)
MOST_RESULTS = 1000  # of a search
DECIMALS = 8
SLACK = 1e-6  # how far beyond 0 and 1 rounding may leave a score


@dataclass(frozen=True, slots=True)
class Reranking:
    """A reranker, and how it is used: at most `documents` passages, `oversample` times as many as are wanted, within
    `seconds`."""

    reranker: Reranker
    documents: int = 50
    oversample: int = 2
    seconds: float = 3.0

    def widen_question(self, question: Question) -> Question:
        """The question with as many results as candidates are wanted for it."""
        return replace(question, top_k=min(MOST_RESULTS, question.top_k * self.oversample))

    def pool_size(self, question: Question) -> int:
        """How many passages are scored."""
        return min(self.documents, self.widen_question(question).top_k)


# What a question's option `rerank` selects; None for nothing.
GetReranking = Callable[[bool | str | None], Reranking | None]


async def choose_reranking(get: GetReranking, question: Question, trace: Trace) -> Reranking | None:
    """The reranker for the results of a question, and its limits; None for none, with a note if it cannot be used."""
    try:
        return None if question.rerank is False else get(question.rerank)
    except UsageError as error:
        return await trace.attempt(RERANK, _raise_again(error), None, refused=REFUSED)


async def _raise_again(error: UsageError) -> None:
    raise error


async def rerank_hits(
    plan: Reranking, question: Question, ranked: Sequence[Hit], texts: Sequence[str], trace: Trace
) -> list[Hit]:
    """The results of a question: the first of the hits in the reranker's order, then the others as they were, within
    the limits of the question. `texts` are what the reranker reads of each of the first."""
    pool, rest = list(ranked[: len(texts)]), list(ranked[len(texts) :])
    if pool:
        asked = guard.mask_secrets(question.text)
        work = _score(plan.reranker, asked, texts)
        scores = await trace.attempt(RERANK, work, None, seconds=plan.seconds, refused=REFUSED)
        if scores is not None:
            trace.count(RERANKED, len(scores))
            pool = _order_by_score(pool, scores, question)
            rest = _score_below(rest, pool[-1].score)
    return cut_to_limits([*pool, *rest], question)


def is_reranker_skipped(codes: Iterable[str]) -> bool:
    """Whether the codes of a search's notes say that its reranker did not work."""
    return any(code in SKIPPED for code in codes)


def cut_to_limits(hits: Sequence[Hit], question: Question) -> list[Hit]:
    """The first hits, at most `per_document` of each document."""
    if question.per_document is not None:
        hits = limit_per_document(hits, per_document=question.per_document)
    return list(hits[: question.top_k])


async def _score(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    """One score from 0 to 1 for each text; raises `Unavailable` for anything else."""
    scores = [float(one) for one in await reranker.score(question, texts)]
    if len(scores) != len(texts):
        raise Unavailable(f"{reranker.model} gave {len(scores)} scores for {len(texts)} passages")
    wrong = next((one for one in scores if not (math.isfinite(one) and -SLACK <= one <= 1 + SLACK)), None)
    if wrong is not None:
        raise Unavailable(f"{reranker.model} gave the score {wrong:g}, expected 0 to 1")
    return [round(min(1.0, max(0.0, one)), DECIMALS) for one in scores]


def _order_by_score(pool: Sequence[Hit], scores: Sequence[float], question: Question) -> list[Hit]:
    """The hits by their new scores, boosted and penalised as the question says."""
    hits = [
        replace(hit, score=score, signals={**hit.signals, RERANK: score})
        for hit, score in zip(pool, scores, strict=True)
    ]
    hits = order_hits(hits)
    if question.keyword_boost:
        hits = boost_keywords(hits, question.text)
    if question.risk_penalty:
        hits = penalise_risk(hits, share=question.risk_penalty)
    return hits


def _score_below(rest: Sequence[Hit], lowest: float) -> list[Hit]:
    """Hits that were not scored, with scores under the lowest one, in their order."""
    return [replace(hit, score=round(lowest / (place + 1), DECIMALS)) for place, hit in enumerate(rest, 1)]
