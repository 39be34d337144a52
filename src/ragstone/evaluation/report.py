"""A report for machines (JSON, CSV) and for a person at a terminal."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TextIO

from ragstone.core.escaping import remove_controls
from ragstone.core.plural import format_count
from ragstone.core.types import Json
from ragstone.evaluation.judge import JudgeSummary
from ragstone.evaluation.metrics import MEASURES, Metric
from ragstone.evaluation.passages import passage_json
from ragstone.evaluation.run import Abstention, Report, Row
from ragstone.guard import mask_secrets

SCHEMA = 1


def as_json(report: Report) -> Json:
    """The report as plain data; `questions` is their number, `per_question` has a row for each."""
    return {
        "schema": SCHEMA,
        "metrics": dict(report.metrics),
        "intervals": {name: list(bounds) for name, bounds in report.intervals.items()},
        "questions": report.counts["questions"],
        "counts": dict(report.counts),
        "abstention": asdict(report.abstention) if report.abstention else None,
        "kinds": {kind: dict(figures) for kind, figures in report.kinds.items()},
        "timings": {stage: dict(figures) for stage, figures in report.timings.items()},
        "settings": dict(report.settings),
        "usage": dict(report.usage),
        "judge": _judge_json(report.judge) if report.judge else None,
        "warnings": list(report.warnings),
        "per_question": [_row_json(row) for row in report.rows],
    }


def _judge_json(judge: JudgeSummary) -> Json:
    """Of the judge; `error` is what ended its work."""
    error = {"code": judge.failed.code, "message": str(judge.failed)} if judge.failed else None
    return {
        "model": judge.model,
        "rubrics": judge.rubrics,
        "temperature": judge.temperature,
        "calls": judge.calls,
        "tokens": dict(judge.tokens),
        "failures": dict(judge.failures),
        "error": error,
    }


def _row_json(row: Row) -> Json:
    return {
        "id": row.id,
        "question": row.question,
        "kind": row.kind,
        "answerable": row.answerable,
        "abstained": row.abstained,
        "answerability": row.answerability,
        "metrics": dict(row.scores),
        "top": list(row.top),
        "expected": dict(row.expected),
        "passages": [passage_json(passage) for passage in row.passages],
    }


def display_name(name: str, depth: int | None) -> str:
    """The name of a metric for people: always with its rank, so that MAP over ten is not taken for MAP."""
    return Metric(name).name_at_depth(depth) if name in MEASURES else name


def as_csv(report: Report) -> str:
    """A line for each question: what it is, a column for each metric, the path that came first; secrets are masked."""
    out = io.StringIO()
    names = list(report.metrics)
    headings = [display_name(name, report.settings.get("depth")) for name in names]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "question", "kind", "answerable", "abstained", *headings, "first"])
    for row in report.rows:
        known = [
            mask_secrets(row.id),
            mask_secrets(row.question),
            row.kind,
            _format_bool(row.answerable),
            _format_bool(row.abstained),
        ]
        figures = [f"{row.scores[name]:.6g}" if name in row.scores else "" for name in names]
        writer.writerow([*known, *figures, row.top[0] if row.top else ""])
    return out.getvalue()


def _format_bool(value: bool | None) -> str:
    return "" if value is None else str(value).lower()


def print_report(report: Report, file: TextIO) -> None:
    """Print the report as tables, stages in milliseconds; the caller prints the warnings."""
    counts = report.counts
    means = [
        [
            display_name(name, report.settings.get("depth")),
            f"{mean:.3f}",
            "{:.3f} – {:.3f}".format(*report.intervals[name]),
        ]
        for name, mean in report.metrics.items()
    ]
    ranked = f", {counts['judged']} scored for ranking" if report.settings.get("metrics", True) else ""
    title = f"{format_count(counts['questions'], 'question')}{ranked}"
    print_table(file, ["metric", "mean", "95 % interval"], means, title=title)
    if report.abstention:
        print(_format_abstention(report.abstention), file=file)
    if own := report.settings.get("decision", {}).get("file"):
        print(f"decided by the calibration {remove_controls(own)}", file=file)
    if report.usage:
        print(f"written by {report.settings.get('llm')}: {_format_tokens(report.usage)}", file=file)
    if report.judge:
        print(_format_judge(report.judge), file=file)
    if len(report.kinds) > 1:
        print_table(file, ["kind", *_kind_columns(report)], _kind_rows(report))
    if report.timings:
        stages = [[stage, f"{1000 * t['p50']:.1f}", f"{1000 * t['p95']:.1f}"] for stage, t in report.timings.items()]
        print_table(file, ["stage", "p50 ms", "p95 ms"], stages)


def print_table(file: TextIO, headings: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """Print rows of text under headings, the first column to the left, the others to the right."""
    # Imported here: rich takes longer to load than an evaluation's JSON takes to write.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left")
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left")
    for row in rows:
        table.add_row(*(Text(remove_controls(cell)) for cell in row))
    Console(file=file).print(table)


def _format_abstention(about: Abstention) -> str:
    return (
        f"abstained on {about.abstained} (rate {about.rate:.3f}), {about.rightly} of them among {about.unanswerable} "
        f"unanswerable questions: precision {about.precision:.3f}, recall {about.recall:.3f}"
    )


def _format_judge(judge: JudgeSummary) -> str:
    missed = sum(judge.failures.values())
    return (
        f"judged by {judge.model} with rubrics {judge.rubrics}: {format_count(judge.calls, 'call')}, "
        f"{format_count(missed, 'measure')} missing, "
        f"{_format_tokens(judge.tokens)}"
    )


def _format_tokens(usage: Mapping[str, int]) -> str:
    read, wrote = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    return f"{read} tokens read, {wrote} written"


def _kind_columns(report: Report) -> list[str]:
    return ["questions", *(["abstained"] if report.abstention else []), *list(report.metrics)[:1]]


def _kind_rows(report: Report) -> list[list[str]]:
    shapes = [(name, "{:.3f}" if name in report.metrics else "{:.0f}") for name in _kind_columns(report)]
    return [
        [kind or "–", *(shape.format(figures[name]) if name in figures else "" for name, shape in shapes)]
        for kind, figures in report.kinds.items()
    ]
