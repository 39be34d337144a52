"""Raw scores of rerankers become numbers from 0 to 1, by the scale that a model has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

Scale = Literal["unit", "logit", "cosine"]
SLACK = 1e-3  # how far beyond its ends a scale may be left: what is computed in float16 is 5e-4 off
STEEPEST = 40.0  # beyond it the logistic function is 0 or 1 in every digit
DECIMALS = 8


def scale_scores(raw: Sequence[float], scale: Scale) -> list[float]:
    """Numbers from 0 to 1 in the order of the scores: `unit` as they are, `logit` by the logistic function
    1 / (1 + exp(-x)), `cosine` as (1 + x) / 2. Raises `ValueError` for a score that its scale cannot have.

    >>> scale_scores([0.0, 1.0], "unit"), scale_scores([0.0], "logit"), scale_scores([-0.5], "cosine")
    ([0.0, 1.0], [0.5], [0.25])
    """
    return [_scale_score(float(one), scale) for one in raw]


def _scale_score(raw: float, scale: Scale) -> float:
    if not math.isfinite(raw):
        raise ValueError(f"the score {raw}")
    if scale == "logit":
        return round(1 / (1 + math.exp(-max(-STEEPEST, min(STEEPEST, raw)))), DECIMALS)
    value = (1 + raw) / 2 if scale == "cosine" else raw
    if not -SLACK <= value <= 1 + SLACK:
        low = -1 if scale == "cosine" else 0
        raise ValueError(f"the score {raw:g}, expected {low} to 1: set rerank.scores to the scale of its scores")
    return round(max(0.0, min(1.0, value)), DECIMALS)
