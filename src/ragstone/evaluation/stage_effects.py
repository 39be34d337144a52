"""The gains and costs of a stage of a search, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragstone.evaluation.interval import Difference


@dataclass(frozen=True, slots=True)
class StageGain:
    """One measure with and without a stage, over the same `questions`; the gain is with less without."""

    metric: str
    with_stage: float
    without: float
    questions: int
    gain: Difference


@dataclass(frozen=True, slots=True)
class StageEffect:
    """A stage, the options that left it out, its gains, and the median milliseconds of a search with and without."""

    stage: str
    options: Mapping[str, Any]
    gains: tuple[StageGain, ...]
    milliseconds: float
    milliseconds_without: float
    warnings: tuple[str, ...] = ()
