"""How well answers were withheld and given: the figures of one question, and of all of them together.

A refusal is a positive where nothing answers the question.
"""

from collections.abc import Sequence

import numpy as np

from ragstone.evaluation.case import Case
from ragstone.evaluation.interval import LEVEL, RESAMPLES, SEED
from ragstone.evaluation.judge import JUDGE_MEASURES
from ragstone.evaluation.scored_answer import ScoredAnswer, holds_gold, says_forbidden

ABSTAIN_ACCURACY = "AbstainAccuracy"
AUROC = "refusal_auroc"
FORBIDDEN = "without_forbidden"
ANSWER_MEASURES = (
    ABSTAIN_ACCURACY,
    "refusal_precision",
    "refusal_recall",
    AUROC,
    "answered_share",
    "answered_sentence_hit",
    "citation_valid",
    FORBIDDEN,
    "Groundedness",
    *JUDGE_MEASURES,
)


def score_case(case: Case, made: ScoredAnswer) -> dict[str, float]:
    """One question's part in each measure that it counts for."""
    out = {ABSTAIN_ACCURACY: float(made.abstained != case.answerable)}
    if made.abstained:
        out["refusal_precision"] = float(not case.answerable)
    if not case.answerable:
        out["refusal_recall"] = float(made.abstained)
    else:
        out["answered_share"] = float(not made.abstained)
        if (held := holds_gold(case, made.cited)) is not None:
            out["answered_sentence_hit"] = float(held)
    if made.citations:
        out["citation_valid"] = made.valid / made.citations
    if (forbidden := says_forbidden(case, made.text)) is not None:
        out[FORBIDDEN] = float(not forbidden)
    return {**out, **made.rated}


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """How often an answerable question has the larger answerability of the two; even ones count half.

    >>> auroc([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    good, bad = np.asarray(answerable, dtype=np.float64), np.sort(np.asarray(unanswerable, dtype=np.float64))
    below, upto = np.searchsorted(bad, good, "left"), np.searchsorted(bad, good, "right")
    return float((below + upto).sum() / (2 * len(good) * len(bad)))


def auroc_interval(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[float, float]:
    """Its 95 % interval: answerable and unanswerable questions are each drawn again."""
    draw = np.random.Generator(np.random.PCG64(SEED))
    good, bad = np.asarray(answerable, dtype=np.float64), np.asarray(unanswerable, dtype=np.float64)
    found = [auroc(list(draw.choice(good, len(good))), list(draw.choice(bad, len(bad)))) for _ in range(RESAMPLES)]
    low, high = np.quantile(found, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)
