"""What a calibration promises holds on questions that it never saw."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from ragstone.answering.abstention.calibration import Calibration
from ragstone.core.errors import UsageError
from ragstone.evaluation.calibrate import (
    JudgedQuestion,
    compute_curve,
    find_threshold,
    fit_calibration,
    wilson_interval,
)
from ragstone.evaluation.plot import as_svg

LIKE = Calibration("words", 0.0, edition="e")


def made(n: int, seed: int, *, apart: float = 2.0) -> list[JudgedQuestion]:
    """Half of them answerable, their log-odds drawn `apart` deviations higher."""
    draw = np.random.Generator(np.random.PCG64(seed))
    return [JudgedQuestion(float(draw.normal() + apart * (i % 2)), i % 2 == 1) for i in range(n)]


@pytest.mark.parametrize("wanted", [0.1, 0.2])
def test_the_rate_on_the_other_half_is_within_its_interval_of_what_was_wanted(wanted: float) -> None:
    """One sample in twenty may lie outside of a 95 % interval, and the threshold is chosen by chance too."""
    above = 0
    for seed in range(20):
        questions = made(800, seed)
        own = find_threshold(questions[:400], wanted)
        assert own is not None
        given = [one for one in questions[400:] if one.odds >= own]
        low, _ = wilson_interval(sum(not one.answerable for one in given), len(given))
        above += low > wanted
        assert len(given) > 50
    assert above <= 2


def test_what_is_promised_was_seen_in_cross_validation() -> None:
    own = fit_calibration(made(400, 7), 0.1, LIKE)
    assert own.low <= 0.1 <= own.high
    assert own.low < own.promised < own.high
    assert (own.wanted, own.answerable, own.unanswerable) == (0.1, 200, 200)


def test_on_many_samples_the_rate_is_kept_on_average_and_hardly_wasted() -> None:
    rates = []
    for seed in range(30):
        questions = made(240, seed)
        least = find_threshold(questions[:120], 0.15)
        given = [one for one in questions[120:] if least is not None and one.odds >= least]
        rates.append(sum(not one.answerable for one in given) / max(1, len(given)))
    assert 0.10 <= float(np.mean(rates)) <= 0.16


def test_one_more_false_answer_counts_than_was_seen() -> None:
    """From 9 answers without a false one, one in ten may be false; from 8 that cannot be shown."""
    nine = [JudgedQuestion(float(n), answerable=True) for n in range(9)]
    assert find_threshold(nine, 0.1) == -1.0
    assert find_threshold(nine[:8], 0.1) is None
    below = [JudgedQuestion(-float(n), answerable=False) for n in (1, 2, 3)]
    assert find_threshold([*nine, *below], 0.1) == -0.5
    assert find_threshold([*nine, *below], 0.19) == -1.5
    assert find_threshold([*nine, *below], 0.17) == -0.5


def test_the_curve_counts_by_hand() -> None:
    points = compute_curve(
        [JudgedQuestion(3, True), JudgedQuestion(2, False), JudgedQuestion(2, True), JudgedQuestion(1, False)]
    )
    assert [(p.answer_from, p.coverage, p.risk, p.answerable) for p in points] == [
        (3, 0.25, 0, 0.5),
        (2, 0.75, 1 / 3, 1),
        (1, 1, 0.5, 1),
    ]


def test_chances_fit_the_questions() -> None:
    own = fit_calibration(made(2000, 1), 0.1, LIKE)
    assert (own.slope, own.shift) == pytest.approx((2.0, -2.0), abs=0.25)
    assert 0.45 < own.chance(1.0) < 0.55


def test_too_few_questions_and_a_rate_that_none_can_show_are_a_sentence() -> None:
    with pytest.raises(UsageError, match="15 answerable and 15 unanswerable questions are too few"):
        fit_calibration(made(30, 1), 0.1, LIKE)
    with pytest.raises(UsageError, match=r"no threshold keeps the false-answer rate at 0\.001"):
        fit_calibration(made(100, 1), 0.001, LIKE)


def test_the_picture_stands_alone() -> None:
    text = as_svg(compute_curve(made(50, 1)), chosen=1.0, wanted=0.1, title="a < b")
    assert ET.fromstring(text).tag.endswith("svg")  # our own text
    assert "href" not in text
    assert "a &lt; b" in text
