"""How much the words of a question count beside its vector: less where even the best passage has few of them."""

from collections.abc import Mapping

from ragstone.core.ports import Reader
from ragstone.retrieval.question import Question

BM25 = "bm25"
HEAVIEST = 6  # terms of the question; a longer one never has all of its words in a passage
# Of the idf of these terms the best BM25 reaches so much where words are to be trusted. Both numbers were chosen on
# eight collections, which lose nothing by them, and questions in everyday words (`benchmarks/retrieval`).
ENOUGH = 0.35


async def measure_coverage(reader: Reader, question: Question, signals: Mapping[str, Mapping[str, float]]) -> float:
    """From 0 to 1, how much the question's words count in fusion: their best BM25 among the candidates, as a share of
    the idf of the question's heaviest terms, over what is enough. 1 where the question wants no such scale, or the
    store scores words otherwise."""
    if question.word_scale != "coverage" or question.fusion != "minmax":
        return 1.0
    best = max((own[BM25] for own in signals.values() if BM25 in own), default=0.0)
    return rate_coverage(best, await reader.idf(question.text)) if best > 0 else 1.0


def rate_coverage(best: float, idf: Mapping[str, float]) -> float:
    """The best BM25 over what is enough for terms of these idf, at most 1.

    >>> rate_coverage(0.7, {"lease": 3.0, "days": 1.0}), rate_coverage(2.0, {"lease": 3.0, "days": 1.0})
    (0.5, 1.0)
    """
    most = ENOUGH * sum(sorted(idf.values(), reverse=True)[:HEAVIEST])
    return min(1.0, round(best / most, 6)) if most > 0 else 1.0
