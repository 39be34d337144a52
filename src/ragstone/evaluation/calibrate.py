"""The decision between answer and abstention, fitted on questions with known answers, with an honest promise.

The goal is a false-answer rate: the share of given answers without support. From the surest question down, answers are
given as long as the false ones among them, and one more, stay below it: as in conformal risk control (Angelopoulos and
others 2022), the one more pays for choosing the threshold on the same questions.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragstone.answering.abstention.calibration import Calibration
from ragstone.core.errors import UsageError
from ragstone.evaluation.run import Row

MIN_QUESTIONS = 20  # answerable questions, and as many unanswerable: below, an interval spans everything
FOLDS = 10
Z = 1.959964  # of a 95 % interval
MARGIN = 1.0  # of log-odds below the least sure question, where all are answered
PRIOR = 1.0  # how strongly slope and shift are held to 1 and 0, in questions
ODDS_MARGIN = 1e-6  # an answerability has six places
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """The log-odds that the shipped numbers gave a question, and whether it can be answered."""

    odds: float
    answerable: bool


@dataclass(frozen=True, slots=True)
class Point:
    """A threshold: the share of questions answered from there on, and the share of those answers that are false."""

    answer_from: float
    coverage: float
    risk: float
    answerable: float


def select_judged(rows: Iterable[Row]) -> list[JudgedQuestion]:
    """The log-odds of each question that was asked for an answer."""
    known = [(row.answerability, row.answerable) for row in rows if row.answerability is not None]
    return [JudgedQuestion(_log_odds(likely), answerable) for likely, answerable in known]


def _log_odds(likely: float) -> float:
    inside = min(1 - ODDS_MARGIN, max(ODDS_MARGIN, likely))
    return round(math.log(inside / (1 - inside)), 6)


def compute_curve(judged: Sequence[JudgedQuestion]) -> list[Point]:
    """Risk and coverage at every threshold, from the surest question down; even log-odds are one threshold.

    `answerable` is the share of the answerable questions that are answered.
    """
    ordered = sorted(judged, key=lambda one: -one.odds)
    good = sum(one.answerable for one in ordered) or 1
    out, false = [], 0
    for count, one in enumerate(ordered, 1):
        false += not one.answerable
        if count == len(ordered) or ordered[count].odds != one.odds:
            out.append(Point(one.odds, count / len(ordered), false / count, (count - false) / good))
    return out


def find_threshold(judged: Sequence[JudgedQuestion], wanted: float) -> float | None:
    """The log-odds from which on to answer for a false-answer rate of at most `wanted`, halfway to the next question
    that is refused; None where none will do."""
    points = compute_curve(judged)
    last = max((i for i, point in enumerate(points) if _risk_with_one_more(point, len(judged)) <= wanted), default=None)
    if last is None:
        return None
    below = points[last + 1].answer_from if last + 1 < len(points) else points[last].answer_from - 2 * MARGIN
    return (points[last].answer_from + below) / 2


def _risk_with_one_more(point: Point, questions: int) -> float:
    count = round(point.coverage * questions)
    return (round(point.risk * count) + 1) / (count + 1)


def check_counts(answerable: int, unanswerable: int) -> None:
    """Raises `UsageError` for too few questions to calibrate on."""
    if min(answerable, unanswerable) < MIN_QUESTIONS:
        raise UsageError(
            f"{answerable} answerable and {unanswerable} unanswerable questions are too few to calibrate on: give at "
            f"least {MIN_QUESTIONS} of each"
        )


def fit_calibration(judged: Sequence[JudgedQuestion], wanted: float, like: Calibration) -> Calibration:
    """`like` with threshold, slope and shift fitted; what it promises comes from thresholds chosen without the
    questions that they are tried on. Raises `UsageError` for too few questions, or where no threshold will do."""
    good, bad = (sum(one.answerable is kind for one in judged) for kind in (True, False))
    check_counts(good, bad)
    least = find_threshold(judged, wanted)
    if least is None:
        raise UsageError(_describe_unreachable(judged, wanted))
    slope, shift = (round(number, 6) for number in _fit_logistic(judged))
    own = replace(like, answer_from=round(least, 6), slope=slope, shift=shift, answerable=good, unanswerable=bad)
    return _add_promise(own, judged, wanted)


def _add_promise(own: Calibration, judged: Sequence[JudgedQuestion], wanted: float) -> Calibration:
    """A calibration with what was wanted of it and what it promises."""
    answered, false = _cross_validate(judged, wanted)
    low, high = wilson_interval(false, answered)
    return replace(
        own,
        wanted=wanted,
        promised=round(false / answered, 6) if answered else 0.0,
        low=round(low, 6),
        high=round(high, 6),
        answered=round(answered / len(judged), 6),
    )


def _describe_unreachable(judged: Sequence[JudgedQuestion], wanted: float) -> str:
    """What to say where no threshold will do."""
    best = min(_risk_with_one_more(point, len(judged)) for point in compute_curve(judged))
    return (
        f"no threshold keeps the false-answer rate at {wanted:g} on these {len(judged)} questions; the lowest that "
        f"they can show is {math.ceil(best * 1000) / 1000:g}: ask for that or more, or give more questions"
    )


def _cross_validate(judged: Sequence[JudgedQuestion], wanted: float) -> tuple[int, int]:
    """Answers given and false ones among them, each question under a threshold chosen without its tenth."""
    order = np.random.Generator(np.random.PCG64(0)).permutation(len(judged))
    answered = false = 0
    for fold in range(FOLDS):
        tried = {int(i) for i in order[fold::FOLDS]}
        least = find_threshold([one for i, one in enumerate(judged) if i not in tried], wanted)
        given = [judged[i] for i in tried if least is not None and judged[i].odds >= least]
        answered, false = answered + len(given), false + sum(not one.answerable for one in given)
    return answered, false


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); from 0 to 1 where nothing was counted.

    >>> [round(bound, 3) for bound in wilson_interval(5, 50)]
    [0.043, 0.214]
    """
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, Z * Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = Z / (1 + square / whole) * math.sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def _fit_logistic(judged: Sequence[JudgedQuestion]) -> tuple[float, float]:
    """Slope and shift that fit the log-odds to these questions (Platt 1999), held to 1 and 0; Newton's method."""
    x = np.c_[[max(-20.0, min(20.0, one.odds)) for one in judged], np.ones(len(judged))]
    y = np.array([one.answerable for one in judged], dtype=float)
    found = start = np.array([1.0, 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -40, 40)))
        slope = x.T @ (chance - y) + PRIOR * (found - start)
        step = np.linalg.solve((x * (chance * (1 - chance))[:, None]).T @ x + PRIOR * np.eye(2), slope)
        found = found - step
        if np.abs(step).max() < 1e-9:
            break
    return float(found[0]), float(found[1])
