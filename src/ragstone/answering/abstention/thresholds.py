"""Abstaining by thresholds on scores: the best reranked one, else the best fused one."""

from collections.abc import Mapping, Sequence

from ragstone.answering.abstention.abstain import MESSAGES, Decision
from ragstone.core.types import Hit

RERANK_THRESHOLD = 0.15  # of the best hit, on the reranker's scale from 0 to 1
RRF_THRESHOLD = 0.030  # of the best hit where two legs answered: about rank 6 in both
RETRIEVERS, BEST_RANK = 2, 61  # what RRF's best possible score is made of: a first rank in each leg, k = 60


def decide_by_thresholds(hits: Sequence[Hit], *, weights: Mapping[str, float]) -> Decision:
    """Abstain where the best hit stays below: of a reranker, if one scored; else of RRF, as a share of the best
    possible score of the legs that answered, so that one leg less, or other weights, change nothing. One leg alone
    ranks something first whatever is asked: then nothing is refused.

    RRF's score is the sum over legs of weight / (60 + rank) (Cormack, Clarke and Büttcher 2009), at best the sum of the
    weights / 61. Where a question was searched for in several wordings, or by several models, it is the best that one
    of these gave (the signal `rrf`): the score that they are ordered by is a sum over them, which grows with their
    number, and something comes first in each of them whatever is asked.

    `weights` are those of the legs that answered; the scores are those of RRF, the client's or the store's own.
    """
    if not hits:
        return Decision(True, "no_hits", "Nothing in the documents matches the question.")
    reranked = [hit.signals["rerank"] for hit in hits if "rerank" in hit.signals]
    if reranked:
        best, least = max(reranked), RERANK_THRESHOLD
    elif len(weights) >= RETRIEVERS:
        scores = [hit.signals["rrf"] for hit in hits if "rrf" in hit.signals] or [hit.score for hit in hits]
        best, least = max(scores) * BEST_RANK / sum(weights.values()), RRF_THRESHOLD * BEST_RANK / RETRIEVERS
    else:
        return Decision(False, answerability=1.0)
    likely = round(min(1.0, max(0.0, best)), 6)
    if best >= least:
        return Decision(False, answerability=likely)
    return Decision(True, "weak_evidence", MESSAGES["weak_evidence"], likely)
