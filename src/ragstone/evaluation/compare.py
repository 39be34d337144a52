"""A report against its baseline: what changed, and whether it got worse."""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.evaluation.interval import Difference, compare_pairs
from ragstone.evaluation.judge import JUDGE_MEASURES
from ragstone.evaluation.metrics import MEASURES
from ragstone.evaluation.passages import SHOWN, Passage, parse_passage
from ragstone.evaluation.report import SCHEMA, display_name, print_table
from ragstone.evaluation.run import Report, Row

# Settings that are compared elsewhere, or that only say where something stood.
NOT_COMPARED = frozenset(
    {"granularity", "metrics", "depth", "answers", "judge", "golden", "beir", "split", "decision.file"}
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier report: the scores of each question by id, the settings that it was made with, and, if it has them,
    the first passages of each question and the seconds of each stage."""

    scores: Mapping[str, Mapping[str, float]]
    questions: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    passages: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    timings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One metric over the questions that both runs scored: `questions` of them."""

    metric: str
    before: float
    after: float
    questions: int
    difference: Difference
    verdict: Literal["better", "same", "degraded"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All metrics that both runs have, and what makes the comparison weaker than it looks; `depth` as in settings.
    `otherwise` are the settings that were others, each with what it was and is."""

    changes: tuple[Change, ...]
    warnings: tuple[str, ...] = ()
    depth: int | None = None
    otherwise: tuple[str, ...] = ()

    @property
    def regressions(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.verdict == "degraded")


def read_baseline(path: str | Path) -> Baseline:
    """The baseline in a JSON file as `as_json` gives it; raises `UsageError` when it is anything else."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"baseline {path}: cannot be read: {error.strerror or error}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"baseline {path}:{error.lineno}: is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"baseline {path}: is not usable JSON: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"baseline {path}: is not a report of schema {SCHEMA}; make one with `ragstone eval --json`")
    settings = data.get("settings", {})
    rows = data.get("per_question")
    if not isinstance(rows, list) or not rows or not isinstance(settings, dict):
        raise UsageError(f"baseline {path}: needs `per_question`, a list with at least one question, and `settings`")
    if wrong := [row for row in rows if not _is_row(row)]:
        raise UsageError(f"baseline {path}: expected questions with id, question and metrics, got: {wrong[0]!r:.80}")
    scores = {row["id"]: {name: float(value) for name, value in row["metrics"].items()} for row in rows}
    if len(scores) < len(rows):
        raise UsageError(f"baseline {path}: duplicate question id")
    questions = {row["id"]: row["question"] for row in rows}
    return Baseline(scores, questions, settings, _read_passages(path, rows), _select_timings(data.get("timings")))


def _read_passages(path: Path, rows: Sequence[Any]) -> dict[str, tuple[Passage, ...]]:
    """The first passages of each question; reports of earlier versions have their paths alone."""
    out = {}
    for row in rows:
        kept = row.get("passages") or [
            {"path": one, "ordinal": 0, "heading": "", "text": "", "grade": 0} for one in row.get("top") or ()
        ]
        try:
            out[row["id"]] = tuple(parse_passage(one) for one in kept[:SHOWN])
        except (ValueError, TypeError) as error:
            raise UsageError(f"baseline {path}: question {row['id']!r:.60}: invalid passages: {error}") from error
    return out


def _select_timings(timings: Any) -> dict[str, dict[str, float]]:
    """The stages with their two figures; others only fill the page and are left out."""
    known = timings.items() if isinstance(timings, dict) else ()
    return {
        str(stage): {name: float(figures[name]) for name in ("p50", "p95")}
        for stage, figures in known
        if isinstance(figures, dict) and all(isinstance(figures.get(name), int | float) for name in ("p50", "p95"))
    }


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("id"), str)
        and isinstance(row.get("question"), str)
        and isinstance(row.get("metrics"), dict)
        and all(isinstance(v, int | float) and math.isfinite(v) for v in row["metrics"].values())
    )


def check_comparable(baseline: Baseline, granularity: str) -> None:
    """Raises `UsageError` when the baseline was scored at another granularity: worth asking before a run."""
    was = baseline.settings.get("granularity")
    if was != granularity:
        raise UsageError(
            f"the baseline was scored at granularity {was}, this run at {granularity}: they cannot be compared"
        )


def compare(baseline: Baseline, report: Report) -> Comparison:
    """Each metric of both runs over the questions that both asked in the same words.

    Degraded: the paired 95 % interval of the difference lies below 0. Better: it lies above 0. A measure without a rank
    is left out if the rankings had another depth, and a judged measure if the judge or its prompts differ. Raises
    `UsageError` when the runs share no scored question or were scored at another granularity.
    """
    check_comparable(baseline, report.settings["granularity"])
    rows = [row for row in report.rows if baseline.questions.get(row.id) == row.question]
    apart, judged = _metrics_of_other_depth(baseline, report), _metrics_of_other_judge(baseline, report)
    changes = [_measure_change(name, baseline, rows) for name in report.metrics if name not in (*apart, *judged)]
    found = tuple(change for change in changes if change is not None)
    if not found:
        raise UsageError("this run and the baseline share no scored question: make a new baseline")
    warnings, other = (
        _collect_warnings(baseline, report, rows, apart, judged),
        _find_other_settings(baseline.settings, report.settings),
    )
    if other:
        warnings.append(f"the baseline was made with other settings: {', '.join(other)}")
    return Comparison(found, tuple(warnings), report.settings.get("depth"), other)


def _find_other_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that both runs name and that differ: what changed may come from these, and not from the program."""
    was, is_ = flatten_settings(before), flatten_settings(now)
    return tuple(
        f"{name} {was[name]} then and {is_[name]} now" for name in is_ if was.get(name, is_[name]) != is_[name]
    )


def flatten_settings(
    settings: Mapping[str, Any], over: str = "", *, leave_out: Collection[str] = NOT_COMPARED
) -> dict[str, Any]:
    """Settings in one level, as `collection.chunks`."""
    out: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict) and name not in leave_out:
            out.update(flatten_settings(value, f"{over}{name}.", leave_out=leave_out))
        elif f"{over}{name}" not in leave_out:
            out[f"{over}{name}"] = value
    return out


def _metrics_of_other_depth(baseline: Baseline, report: Report) -> list[str]:
    """The measures without a rank, if both runs state their depth and the depths differ."""
    was, now = baseline.settings.get("depth"), report.settings.get("depth")
    if was is None or now is None or was == now:
        return []
    return [name for name in report.metrics if name in MEASURES]


def _metrics_of_other_judge(baseline: Baseline, report: Report) -> list[str]:
    """The measures of a judge that both runs have, when it was not the same one with the same rubrics."""
    if baseline.settings.get("judge") == report.settings.get("judge"):
        return []
    had = {name for scores in baseline.scores.values() for name in scores}
    return [name for name in report.metrics if name in JUDGE_MEASURES and name in had]


def _describe_judge(about: Any) -> str:
    keys = ("model", "rubrics", "temperature")
    known = about if isinstance(about, dict) else {}
    model, rubrics, temperature = (known.get(key, "unknown") for key in keys)
    return f"{model} (rubrics {rubrics}, temperature {temperature})"


def _measure_change(name: str, baseline: Baseline, rows: Sequence[Row]) -> Change | None:
    both = [row for row in rows if name in row.scores and name in baseline.scores[row.id]]
    if not both:
        return None
    before, after = [baseline.scores[row.id][name] for row in both], [row.scores[name] for row in both]
    apart = compare_pairs(before, after)
    verdict: Literal["better", "same", "degraded"] = "same"
    if apart.high < 0:
        verdict = "degraded"
    elif apart.low > 0:
        verdict = "better"
    return Change(name, sum(before) / len(both), sum(after) / len(both), len(both), apart, verdict)


def _collect_warnings(
    baseline: Baseline, report: Report, rows: Sequence[Row], apart: Sequence[str], judged: Sequence[str]
) -> list[str]:
    out = []
    total = len(baseline.questions.keys() | {row.id for row in report.rows})
    if len(rows) < total:
        out.append(f"{total - len(rows)} of {total} questions are new, gone or reworded and were left out")
    before = dict.fromkeys(name for scores in baseline.scores.values() for name in scores)
    now = {name for row in report.rows for name in row.scores}  # what only all questions together have is not paired
    if missing := [name for name in report.metrics if name in now and name not in before]:
        out.append(f"the baseline lacks {', '.join(missing)}")
    if gone := [name for name in before if name not in report.metrics]:
        out.append(f"this run lacks {', '.join(gone)}, which the baseline has")
    if apart:
        was, deep = baseline.settings["depth"], report.settings["depth"]
        out.append(f"{' and '.join(apart)} were taken over {was} results then and {deep} now: not compared")
    if judged:
        was, by = _describe_judge(baseline.settings.get("judge")), _describe_judge(report.settings.get("judge"))
        out.append(f"{', '.join(judged)} were judged by {was} then and by {by} now: not compared")
    return out


def comparison_json(comparison: Comparison) -> Json:
    """The comparison as plain data."""
    return {
        "degraded": bool(comparison.regressions),
        "changes": [asdict(change) for change in comparison.changes],
        "settings": list(comparison.otherwise),
        "warnings": list(comparison.warnings),
    }


def print_comparison(comparison: Comparison, file: TextIO) -> None:
    """Print a line for each metric; the caller prints the warnings."""
    rows = [
        [
            display_name(c.metric, comparison.depth),
            f"{c.before:.3f}",
            f"{c.after:.3f}",
            f"{c.difference.mean:+.3f}",
            _format_bounds(c),
            c.verdict,
        ]
        for c in comparison.changes
    ]
    print_table(file, ["metric", "before", "after", "change", "95 % interval", "verdict"], rows)


def _format_bounds(change: Change) -> str:
    return f"{change.difference.low:+.3f} – {change.difference.high:+.3f}"
