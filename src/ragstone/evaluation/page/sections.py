"""The parts of the page that stand for all questions together."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.evaluation.calibrate import compute_curve, select_judged
from ragstone.evaluation.compare import Baseline, Change, Comparison, flatten_settings
from ragstone.evaluation.page.charts import draw_curve, draw_interval, draw_stages
from ragstone.evaluation.page.markup import Content, Markup, Section, element, mask, table
from ragstone.evaluation.report import display_name
from ragstone.evaluation.run import Report
from ragstone.evaluation.stage_effects import StageEffect

CURVE_ROWS = 10


def render_measures(report: Report, comparison: Comparison | None) -> Section:
    """Each measure with its interval; beside a baseline also the change and its verdict."""
    changes = {change.metric: change for change in comparison.changes} if comparison else {}
    headings = ["measure", "mean", "95 % interval", "from 0 to 1"]
    if changes:
        headings += ["baseline", "change", "its interval", "verdict"]
    rows = []
    for name, mean in report.metrics.items():
        shown, (low, high) = display_name(name, report.settings.get("depth")), report.intervals[name]
        said = f"{shown} {mean:.3f}, 95 % interval {low:.3f} to {high:.3f}"
        row: list[Content] = [
            shown,
            f"{mean:.3f}",
            f"{low:.3f} – {high:.3f}",
            draw_interval(low, mean, high, said=said),
        ]
        rows.append([*row, *(_describe_change(changes.get(name)) if changes else [])])
    out = [table("Means over the questions that count, with bootstrap intervals", headings, rows)]
    if len(report.kinds) > 1:
        out.append(_render_kinds(report))
    return Section("measures", "Measures", [out])


def _describe_change(change: Change | None) -> list[Content]:
    if change is None:
        return ["–", "–", "–", "not compared"]
    apart = change.difference
    return [
        f"{change.before:.3f}",
        f"{apart.mean:+.3f}",
        f"{apart.low:+.3f} – {apart.high:+.3f}",
        element("span", change.verdict, class_=change.verdict),
    ]


def _render_kinds(report: Report) -> Markup:
    first = next(iter(report.metrics), None)
    rows = [
        [
            mask(kind) or "–",
            f"{figures['questions']:.0f}",
            f"{figures['abstained']:.0f}" if "abstained" in figures else "–",
            f"{figures[first]:.3f}" if first and first in figures else "–",
        ]
        for kind, figures in report.kinds.items()
    ]
    return table("By kind of question", ["kind", "questions", "abstained", first or "–"], rows)


def render_ablation(report: Report) -> Section | None:
    """Each stage with and without, in the first measure that the questions are ranked by."""
    told = "A positive gain says that the stage helps. Milliseconds are the median of a search."
    return _render_stages("stages", "Stages with and without", told, report.ablation, report.settings.get("depth"))


def render_answer_ablation(report: Report) -> Section | None:
    """Each stage of the answers with and without, in their first measure."""
    told = (
        "The same for answers: a stage of the search, of the check, or the model. Milliseconds are those of an answer."
    )
    return _render_stages("answer-stages", "Stages of answers", told, report.answer_ablation, None)


def _render_stages(
    identity: str, title: str, said: str, effects: Sequence[StageEffect], depth: int | None
) -> Section | None:
    known = [effect for effect in effects if effect.gains]
    if not known:
        return None
    wide = max(0.01, *(abs(bound) for one in known for bound in (one.gains[0].gain.low, one.gains[0].gain.high)))
    rows = [_describe_effect(effect, depth, wide) for effect in known]
    headings = [
        "stage",
        "measure",
        "with",
        "without",
        "gain",
        "95 % interval",
        "gain on a line",
        "ms with",
        "ms without",
    ]
    return Section(identity, title, [element("p", said), table("What each stage brings", headings, rows)])


def _describe_effect(effect: StageEffect, depth: int | None, wide: float) -> list[Content]:
    first, gain = effect.gains[0], effect.gains[0].gain
    said = f"gain of {effect.stage} {gain.mean:+.3f}, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}"
    return [
        effect.stage,
        display_name(first.metric, depth),
        f"{first.with_stage:.3f}",
        f"{first.without:.3f}",
        f"{gain.mean:+.3f}",
        f"{gain.low:+.3f} – {gain.high:+.3f}",
        draw_interval(gain.low, gain.mean, gain.high, said=said, least=-wide, most=wide),
        f"{effect.milliseconds:.1f}",
        f"{effect.milliseconds_without:.1f}",
    ]


def render_curve(report: Report) -> Section | None:
    """Risk over coverage of the answers, where answers were asked for."""
    judged = select_judged(report.rows)
    if len({one.answerable for one in judged}) < 2:
        return None
    points = compute_curve(judged)
    given = [row for row in report.rows if row.abstained is False]
    at = (len(given) / len(judged), sum(not row.answerable for row in given) / len(given)) if given else None
    said = "Risk over coverage: " + (
        f"this run answered {at[0]:.2f} of the questions, {at[1]:.3f} of these answers are false"
        if at
        else "this run answered no question"
    )
    step = max(1, len(points) // CURVE_ROWS)
    rows = [[f"{p.coverage:.2f}", f"{p.risk:.3f}", f"{p.answerable:.3f}"] for p in points[step - 1 :: step]]
    figures = table("The curve in figures", ["answered", "false answers", "answerable answered"], rows)
    return Section("risk", "Risk and coverage", [element("p", f"{said}."), draw_curve(points, at, said=said), figures])


def render_latency(report: Report, baseline: Baseline | None) -> Section | None:
    """Milliseconds of each stage."""
    if not report.timings:
        return None
    before = baseline.timings if baseline else {}
    headings = ["stage", "median", "95th percentile", *(["baseline median"] if before else [])]
    rows = []
    for stage, figures in report.timings.items():
        row = [mask(stage), f"{1000 * figures['p50']:.1f}", f"{1000 * figures['p95']:.1f}"]
        earlier = [f"{1000 * before[stage]['p50']:.1f}" if stage in before else "–"] if before else []
        rows.append([*row, *earlier])
    said = "Milliseconds by stage: " + ", ".join(f"{row[0]} {row[1]}" for row in rows)
    picture = draw_stages(report.timings, said=said)
    return Section("latency", "Latency by stage", [picture, table("Milliseconds by stage", headings, rows)])


def render_settings(report: Report, baseline: Baseline | None) -> Section:
    """All that the figures depend on; beside a baseline those that were others are marked."""
    now = flatten_settings(report.settings, leave_out=())
    before = flatten_settings(baseline.settings, leave_out=()) if baseline else {}
    rows = [
        [mask(name), _show(now.get(name, "–")), *([_mark_difference(before, now, name)] if baseline else [])]
        for name in dict.fromkeys([*now, *before])
    ]
    headings = ["setting", "this run", *(["baseline"] if baseline else [])]
    return Section("settings", "Settings", [table("What the figures depend on", headings, rows, class_="settings")])


def _mark_difference(before: Mapping[str, Any], now: Mapping[str, Any], name: str) -> Content:
    if name not in before:
        return element("span", "–", class_="quiet")
    if before[name] == now.get(name, before[name]):
        return _show(before[name])
    return element("strong", _show(before[name]), " (other)")


def _show(value: Any) -> str:
    return mask(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def render_warnings(report: Report, comparison: Comparison | None) -> Section | None:
    """The warnings of the run and of the comparison."""
    told = [*report.warnings, *(comparison.warnings if comparison else ())]
    if not told:
        return None
    return Section(
        "warnings", "Warnings", [element("ul", [element("li", mask(one)) for one in told], class_="warnings")]
    )
