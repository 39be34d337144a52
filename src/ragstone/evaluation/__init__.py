"""Evaluation: golden sets, measures with intervals, reports, and the comparison with a baseline."""

from ragstone.evaluation.answered import Answered, answered
from ragstone.evaluation.beir import BeirSource, path_of
from ragstone.evaluation.case import Case, GoldSpan, Quote
from ragstone.evaluation.compare import (
    Baseline,
    Change,
    Comparison,
    comparable,
    compare,
    comparison_json,
    read_baseline,
    show_comparison,
)
from ragstone.evaluation.golden import load, located
from ragstone.evaluation.granularity import Entry, Granularity, Ranking
from ragstone.evaluation.interval import Difference, difference, interval
from ragstone.evaluation.judge import Judge, JudgedBy
from ragstone.evaluation.metrics import DEFAULT, Metric, metric
from ragstone.evaluation.presence import doubts
from ragstone.evaluation.questions import beir_cases
from ragstone.evaluation.report import as_csv, as_json, show
from ragstone.evaluation.run import Abstention, Report, Row, evaluate

__all__ = [
    "DEFAULT",
    "Abstention",
    "Answered",
    "Baseline",
    "BeirSource",
    "Case",
    "Change",
    "Comparison",
    "Difference",
    "Entry",
    "GoldSpan",
    "Granularity",
    "Judge",
    "JudgedBy",
    "Metric",
    "Quote",
    "Ranking",
    "Report",
    "Row",
    "answered",
    "as_csv",
    "as_json",
    "beir_cases",
    "comparable",
    "compare",
    "comparison_json",
    "difference",
    "doubts",
    "evaluate",
    "interval",
    "load",
    "located",
    "metric",
    "path_of",
    "read_baseline",
    "show",
    "show_comparison",
]
