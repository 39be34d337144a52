"""Evaluation: golden sets, measures with intervals, reports, and the comparison with a baseline."""

from ragstone.evals.answered import Answered, answered
from ragstone.evals.beir import BeirSource, path_of
from ragstone.evals.case import Case, GoldSpan, Quote
from ragstone.evals.compare import (
    Baseline,
    Change,
    Comparison,
    comparable,
    compare,
    comparison_json,
    read_baseline,
    show_comparison,
)
from ragstone.evals.golden import load, located
from ragstone.evals.granularity import Entry, Granularity, Ranking
from ragstone.evals.interval import Difference, difference, interval
from ragstone.evals.judge import Judge, JudgedBy
from ragstone.evals.metrics import DEFAULT, Metric, metric
from ragstone.evals.presence import doubts
from ragstone.evals.questions import beir_cases
from ragstone.evals.report import as_csv, as_json, show
from ragstone.evals.run import Abstention, Report, Row, evaluate

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
