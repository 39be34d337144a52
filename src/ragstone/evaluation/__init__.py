"""Evaluation: golden sets, measures with intervals, reports, and the comparison with a baseline."""

from ragstone.evaluation.ablation_table import ablation_csv, ablation_json, print_ablation
from ragstone.evaluation.beir import BeirSource, path_for_id
from ragstone.evaluation.beir_questions import load_beir_cases
from ragstone.evaluation.case import Case, GoldSpan, Quote
from ragstone.evaluation.compare import (
    Baseline,
    Change,
    Comparison,
    check_comparable,
    compare,
    comparison_json,
    print_comparison,
    read_baseline,
)
from ragstone.evaluation.golden import load_cases, locate_quotes
from ragstone.evaluation.granularity import Entry, Granularity, Ranking
from ragstone.evaluation.interval import Difference, bootstrap_interval, compare_pairs
from ragstone.evaluation.judge import Judge, JudgeSummary
from ragstone.evaluation.metrics import DEFAULT_METRICS, Metric, parse_metric
from ragstone.evaluation.presence import check_presence
from ragstone.evaluation.report import as_csv, as_json, print_report
from ragstone.evaluation.run import Abstention, Report, Row, evaluate
from ragstone.evaluation.scored_answer import ScoredAnswer, score_answer

__all__ = [
    "DEFAULT_METRICS",
    "Abstention",
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
    "JudgeSummary",
    "Metric",
    "Quote",
    "Ranking",
    "Report",
    "Row",
    "ScoredAnswer",
    "ablation_csv",
    "ablation_json",
    "as_csv",
    "as_json",
    "bootstrap_interval",
    "check_comparable",
    "check_presence",
    "compare",
    "compare_pairs",
    "comparison_json",
    "evaluate",
    "load_beir_cases",
    "load_cases",
    "locate_quotes",
    "parse_metric",
    "path_for_id",
    "print_ablation",
    "print_comparison",
    "print_report",
    "read_baseline",
    "score_answer",
]
