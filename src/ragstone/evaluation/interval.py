"""Bootstrap intervals: how far a mean over questions, or a difference of two runs, can be trusted.

Percentile bootstrap (Efron 1979): questions are drawn again with replacement, the interval holds the
middle 95 % of the means. The generator is PCG64 with a fixed seed: the same values, the same interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
SEED = 20_240_607
LEVEL = 0.95
ROUNDING = 1e-9  # scores nearer than this are equal: from Python 3.12 on, `sum` rounds floats otherwise than before
DRAWN_AT_ONCE = 4_000_000  # cells: 32 MB of indices, whatever the number of questions


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of after - before over the same questions, its 95 % interval, and how likely chance is.

    `p` is two-sided: twice the share of resampled means on the other side of 0, at least 2 / (resamples + 1).
    """

    mean: float
    low: float
    high: float
    p: float


def bootstrap_interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[float, float]:
    """The 95 % interval of the mean of at least one value."""
    means = _resample_means(np.asarray(values, dtype=np.float64), resamples, seed)
    return _middle_interval(means)


def compare_pairs(
    before: Sequence[float], after: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Difference:
    """The paired difference of two runs: values of the same questions in the same order, at least one."""
    change = np.asarray([score_gain(then, now) for then, now in zip(before, after, strict=True)], dtype=np.float64)
    means = _resample_means(change, resamples, seed)
    low, high = _middle_interval(means)
    smaller = min(int(np.sum(means <= 0)), int(np.sum(means >= 0)))
    return Difference(float(change.mean()), low, high, min(1.0, 2 * (smaller + 1) / (resamples + 1)))


def score_gain(before: float, after: float) -> float:
    """The score of one question now less its score then; 0 where only rounding keeps them apart.

    >>> score_gain(0.5, 0.75), score_gain(0.5, 0.5 + 1e-15)
    (0.25, 0.0)
    """
    gain = after - before
    return gain if abs(gain) >= ROUNDING else 0.0


def _resample_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    draw = np.random.Generator(np.random.PCG64(seed))
    rows = max(1, DRAWN_AT_ONCE // len(values))
    batches = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    return np.concatenate([values[draw.integers(0, len(values), (n, len(values)))].mean(axis=1) for n in batches])


def _middle_interval(means: NDArray[np.float64]) -> tuple[float, float]:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)
