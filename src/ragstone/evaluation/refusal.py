"""How well answers were withheld and given: the figures of one question, and of all of them together.

A refusal is a positive where nothing answers the question.
"""

from collections.abc import Sequence

import numpy as np

from ragstone.evaluation.case import Case
from ragstone.evaluation.granularity import match_file, same_file
from ragstone.evaluation.interval import LEVEL, RESAMPLES, SEED
from ragstone.evaluation.judge import JUDGE_MEASURES
from ragstone.evaluation.scored_answer import ScoredAnswer, compare_words, holds_gold, says_forbidden

ABSTAIN_ACCURACY = "AbstainAccuracy"
AUROC = "refusal_auroc"
FORBIDDEN = "without_forbidden"
ANSWER_F1, ANSWER_RECALL, CITED_RELEVANCE = "answer_f1", "answer_recall", "cited_relevance"
ANSWER_MEASURES = (
    ABSTAIN_ACCURACY,
    "refusal_precision",
    "refusal_recall",
    AUROC,
    "answered_share",
    "answered_sentence_hit",
    ANSWER_F1,
    ANSWER_RECALL,
    CITED_RELEVANCE,
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
        if (near := compare_words(case, made.text)) is not None:
            out[ANSWER_F1], out[ANSWER_RECALL] = near
        if (relevance := rate_documents(case, made.documents)) is not None:
            out[CITED_RELEVANCE] = relevance
    if made.citations:
        out["citation_valid"] = made.valid / made.citations
    if (forbidden := says_forbidden(case, made.text)) is not None:
        out[FORBIDDEN] = float(not forbidden)
    return {**out, **made.rated}


def rate_documents(case: Case, cited: Sequence[str]) -> float | None:
    """The mean grade of the documents that an answer cites, as a share of the best grade that the case gives one;
    acceptable documents are left out. None where nothing is graded or cited.

    >>> rate_documents(Case("1", "?", relevance={"a.md": 3, "b.md": 1}), ["a.md", "b.md", "c.md"])
    0.4444444444444444
    """
    best = max(case.relevance.values(), default=0)
    counted = [path for path in cited if not any(same_file(path, gold) for gold in case.acceptable)]
    if best <= 0 or not counted:
        return None
    grades = [case.relevance.get(match_file(path, case.relevance), 0) for path in counted]
    return sum(grades) / (best * len(grades))


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
