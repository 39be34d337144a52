import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.evaluation.interval import DRAWN_AT_ONCE, RESAMPLES, bootstrap_interval, compare_pairs

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_an_interval_holds_values_that_can_occur_and_is_the_same_each_time(values: list[float]) -> None:
    low, high = bootstrap_interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert bootstrap_interval(values) == (low, high)


def test_the_interval_of_a_known_spread_is_about_two_standard_errors() -> None:
    values = [0.0, 1.0] * 200
    low, high = bootstrap_interval(values)
    error = 0.5 / np.sqrt(400)
    assert low == pytest.approx(0.5 - 1.96 * error, abs=0.01)
    assert high == pytest.approx(0.5 + 1.96 * error, abs=0.01)


def test_more_questions_make_a_narrower_interval() -> None:
    widths = [high - low for low, high in (bootstrap_interval([0.0, 1.0] * n) for n in (5, 50, 500))]
    assert widths == sorted(widths, reverse=True)


def test_many_questions_are_drawn_in_batches_with_the_same_spread() -> None:
    values = [0.0, 1.0] * 10_000
    assert len(values) * RESAMPLES > 2 * DRAWN_AT_ONCE
    error = 0.5 / np.sqrt(len(values))
    assert bootstrap_interval(values) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), abs=0.001)


def test_pairing_sees_a_small_steady_gain_that_two_intervals_would_miss() -> None:
    before = [n / 50 for n in range(50)]
    after = [value + 0.02 for value in before]
    apart = compare_pairs(before, after)
    assert (apart.low, apart.high) == pytest.approx((0.02, 0.02))
    assert apart.p < 0.01
    assert bootstrap_interval(before)[1] > bootstrap_interval(after)[0]


@pytest.mark.parametrize("rounded", [0.0, -1e-16, 1e-15], ids=["equal", "rounded down", "rounded up"])
def test_no_difference_has_p_1(rounded: float) -> None:
    """A baseline that another Python wrote differs in the last digit, because that one sums floats otherwise."""
    same = compare_pairs([0.1, 0.5, 0.9], [0.1 + rounded, 0.5 + rounded, 0.9 + rounded])
    assert (same.mean, same.low, same.high, same.p) == (0, 0, 0, 1)


def test_swapping_the_runs_swaps_the_sign() -> None:
    forth = compare_pairs([0.0, 0.5, 0.1], [1.0, 0.4, 0.2])
    back = compare_pairs([1.0, 0.4, 0.2], [0.0, 0.5, 0.1])
    assert (back.mean, back.low, back.high) == pytest.approx((-forth.mean, -forth.high, -forth.low))
    assert back.p == forth.p
