"""How much the words of a question count beside its vector: less where even the best passage has few of them."""

from collections.abc import Collection, Mapping

from ragstone.core.ports import Reader
from ragstone.retrieval.question import Question

BM25, COSINE = "bm25", "cosine"
HEAVIEST = 6  # terms of the question; a passage seldom has all words of a longer one
# Of the idf of these terms the best BM25 reaches so much where words are to be trusted. Both numbers were chosen on
# eight collections, of which none loses more than .005 nDCG@10, and on questions in everyday words
# (`benchmarks/retrieval`).
ENOUGH = 0.35


async def measure_coverage(
    reader: Reader, question: Question, retrievers: Collection[str], signals: Mapping[str, Mapping[str, float]]
) -> float:
    """From 0 to 1, how much the question's words count in fusion: their best BM25 among the candidates, as a share of
    the idf of the question's heaviest terms, over what is enough. 1 where nothing is scaled, because the question wants
    that or words are not fused with vectors; 0 where the source says nothing of the words, so that others decide."""
    if question.word_scale != "coverage" or question.fusion != "minmax" or COSINE not in retrievers:
        return 1.0
    best = max((own[BM25] for own in signals.values() if BM25 in own), default=0.0) if BM25 in retrievers else 0.0
    return rate_coverage(best, await reader.idf(question.text)) if best > 0 else 0.0


def rate_coverage(best: float, idf: Mapping[str, float]) -> float:
    """The best BM25 over what is enough for terms of these idf, at most 1.

    >>> rate_coverage(0.7, {"lease": 3.0, "days": 1.0}), rate_coverage(2.0, {"lease": 3.0, "days": 1.0})
    (0.5, 1.0)
    """
    most = ENOUGH * sum(sorted(idf.values(), reverse=True)[:HEAVIEST])
    return min(1.0, round(best / most, 6)) if most > 0 else 1.0
