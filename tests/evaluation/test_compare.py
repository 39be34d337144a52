import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from ragstone.core.errors import UsageError
from ragstone.evaluation import (
    Case,
    Entry,
    Ranking,
    Report,
    as_json,
    compare,
    comparison_json,
    evaluate,
    print_comparison,
    read_baseline,
)

CASES = [Case(f"c{n}", f"question {n}?", relevance={f"{n}.md": 1}) for n in range(60)]


async def run(wrong: int, cases: list[Case] = CASES, *, depth: int | None = None) -> Report:
    """A run that puts the right file second for the first `wrong` questions."""

    async def search(case: Case) -> Ranking:
        number = case.id.removeprefix("c")
        before = (Entry("other.md"),) if int(number) < wrong else ()
        return Ranking((*before, Entry(f"{number}.md")))

    return await evaluate(search, cases, depth=depth)


def saved(folder: Path, report: Report) -> Path:
    path = folder / "baseline.json"
    path.write_text(json.dumps(as_json(report)), encoding="utf-8")
    return path


async def test_the_same_run_is_the_same(tmp_path: Path) -> None:
    report = await run(10)
    comparison = compare(read_baseline(saved(tmp_path, report)), report)
    assert {change.verdict for change in comparison.changes} == {"same"}
    assert comparison.warnings == ()
    assert [change.metric for change in comparison.changes] == list(report.metrics)


async def test_a_clear_loss_is_degraded_and_a_clear_gain_better(tmp_path: Path) -> None:
    few, many = await run(5), await run(25)
    down = compare(read_baseline(saved(tmp_path, few)), many)
    assert {change.metric for change in down.regressions} == {"MRR", "MAP", "nDCG@10", "nDCG_exp@10"}
    mrr = next(change for change in down.changes if change.metric == "MRR")
    assert (mrr.before, mrr.after) == pytest.approx((1 - 5 / 120, 1 - 25 / 120))
    assert mrr.difference.high < 0
    assert mrr.difference.p < 0.05
    up = compare(read_baseline(saved(tmp_path, many)), few)
    assert not up.regressions
    assert {change.verdict for change in up.changes} == {"better", "same"}


async def test_one_lost_question_is_chance(tmp_path: Path) -> None:
    assert not compare(read_baseline(saved(tmp_path, await run(10))), await run(11)).regressions


async def test_measures_without_a_cut_are_compared_at_the_same_depth_alone(tmp_path: Path) -> None:
    shallow, deep = await run(5, depth=10), await run(5, depth=100)
    same = compare(read_baseline(saved(tmp_path, shallow)), shallow)
    assert same.warnings == ()
    assert {"MRR", "MAP"} <= {change.metric for change in same.changes}
    other = compare(read_baseline(saved(tmp_path, shallow)), deep)
    assert not {"MRR", "MAP"} & {change.metric for change in other.changes}
    assert "nDCG@10" in {change.metric for change in other.changes}
    assert other.warnings == ("MRR and MAP were taken over 10 results then and 100 now: not compared",)


async def test_settings_that_differ_are_named(tmp_path: Path) -> None:
    report = await run(0)
    before = {"fusion": "rrf", "golden": "old.jsonl", "gone": 1, "embedding": None}
    decision = {"rule": "fitted", "calibration": "shipped", "file": None}
    saved(tmp_path, replace(report, settings={**report.settings, **before, "decision": decision}))
    now = {"fusion": "minmax", "golden": "new.jsonl", "new": 2, "embedding": None}
    own = {"rule": "fitted", "calibration": "0123456789ab", "file": "own.json"}
    again = compare(
        read_baseline(tmp_path / "baseline.json"),
        replace(report, settings={**report.settings, **now, "decision": own}),
    )
    apart = ("fusion rrf then and minmax now", "decision.calibration shipped then and 0123456789ab now")
    assert again.otherwise == apart
    assert comparison_json(again)["settings"] == list(apart)
    assert again.warnings == (f"the baseline was made with other settings: {', '.join(apart)}",)


async def test_a_metric_that_only_the_baseline_has_is_said(tmp_path: Path) -> None:
    baseline, short = read_baseline(saved(tmp_path, await run(5, depth=10))), await run(5, depth=5)
    gone = "this run lacks nDCG@10, nDCG_exp@10, Recall@10, Hit@10, which the baseline has"
    assert compare(baseline, short).warnings[0] == gone


async def test_only_questions_asked_alike_in_both_runs_are_paired(tmp_path: Path) -> None:
    baseline = read_baseline(saved(tmp_path, await run(0)))
    reworded = [replace(CASES[0], question="put otherwise?"), *CASES[1:59], Case("c99", "new?", relevance={"99.md": 1})]
    comparison = compare(baseline, await run(0, reworded))
    assert {change.questions for change in comparison.changes} == {58}
    assert comparison.warnings == ("3 of 61 questions are new, gone or reworded and were left out",)
    with pytest.raises(UsageError, match="share no scored question"):
        compare(baseline, await run(0, [Case("c1", "other?", relevance={"1.md": 1})]))


async def test_another_granularity_or_missing_metrics_are_said(tmp_path: Path) -> None:
    report = await run(0)
    path = saved(tmp_path, replace(report, settings={**report.settings, "granularity": "chunk"}))
    with pytest.raises(UsageError, match="granularity chunk"):
        compare(read_baseline(path), report)
    rows = tuple(replace(row, scores={"MRR": 1.0}) for row in report.rows)
    lean = read_baseline(saved(tmp_path, replace(report, rows=rows)))
    assert "the baseline lacks" in compare(lean, report).warnings[0]


async def test_a_comparison_prints_and_becomes_json(tmp_path: Path) -> None:
    comparison = compare(read_baseline(saved(tmp_path, await run(5, depth=20))), await run(25, depth=20))
    out = io.StringIO()
    print_comparison(comparison, out)
    assert "degraded" in out.getvalue()
    assert "MRR@20" in out.getvalue()
    data = comparison_json(comparison)
    assert data["degraded"] is True
    assert json.loads(json.dumps(data)) == data


GOOD = {"id": "1", "question": "?", "metrics": {"MRR": 1.0}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "JSON"),
        ("[]", "not a report of schema 1"),
        ('{"schema": 2}', "not a report of schema 1"),
        ('{"schema": 1}', "per_question"),
        ('{"schema": 1, "per_question": [], "settings": {}}', "per_question"),
        ('{"schema": 1, "per_question": [0]}', "expected questions with id"),
        (
            json.dumps({"schema": 1, "per_question": [{**GOOD, "metrics": {"MRR": "high"}}]}),
            "expected questions with id",
        ),
        (
            json.dumps({"schema": 1, "per_question": [{**GOOD, "metrics": {"MRR": float("nan")}}]}),
            "expected questions with id",
        ),
        (json.dumps({"schema": 1, "per_question": [GOOD, GOOD]}), "duplicate question id"),
    ],
)
def test_a_malformed_baseline_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        read_baseline(path)


def test_a_missing_baseline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_baseline(tmp_path / "none.json")
