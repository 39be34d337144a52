"""Answers judged in an evaluation: what the report says of the judge, and what becomes of one that fails."""

import io
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.load import load
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.engine import Engine
from ragstone.evaluation import Case, Judge, as_csv, as_json, compare, print_report, read_baseline
from ragstone.evaluation.engine_evaluation import evaluate_golden
from ragstone.evaluation.judge import JUDGE_MEASURES
from tests.evaluation.test_judge import raising, says
from tests.scripted import Scripted

CASES = [
    Case("1", "When do cats purr?", relevance={"cats.md": 1}, answer="When content. At night."),
    Case("2", "What do dogs bark at?", relevance={"dogs.md": 1}),
    Case("3", "Who won the football world cup in 1998?", answerable=False),
]
TEXTS = {"cats": "Cats purr when they are content.", "dogs": "Dogs bark at strangers."}
ONE = {"scores": [{"scores": [0.5]}]}  # replies for one passage


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    settings = load(store=str(tmp_path / "store"), embed__model="none", search__top_k=1)
    async with Engine(settings) as engine:
        await engine.ingest(tmp_path / "docs")
        yield engine


async def judged(engine: Engine, model: Scripted, *, ranked: bool = True, cases: list[Case] = CASES) -> Any:
    engine._components.completions._handed = model
    writing = engine.select_judge()
    engine._components.completions._handed = None  # answers are quoted
    assert writing is not None
    return await evaluate_golden(
        engine, cases, granularity="file", name="g", mode="keyword", ranked=ranked, answers=True, judge=Judge(writing)
    )


async def test_judged_measures_stand_beside_the_rankings_with_means_intervals_rows_and_columns(engine: Engine) -> None:
    report = await judged(engine, Scripted(says(**ONE)))
    assert set(JUDGE_MEASURES) | {"Groundedness", "MRR", "answered_share"} <= set(report.metrics)
    assert report.metrics["Faithfulness"] == report.metrics["ContextRecall"] == 0.5
    assert report.metrics["AnswerRelevance"] == 0.8
    assert report.metrics["ContextPrecision"] == 0.5
    assert report.metrics["Groundedness"] == 1.0
    assert set(report.intervals) == set(report.metrics)
    cats, dogs, cup = report.rows
    assert set(JUDGE_MEASURES) <= set(cats.scores)
    assert "ContextRecall" not in dogs.scores  # nobody says what it should be
    assert cup.abstained
    assert not set(JUDGE_MEASURES) & set(cup.scores)
    assert set(JUDGE_MEASURES) <= set(as_csv(report).splitlines()[0].split(","))
    assert report.timings["judge"]["p95"] >= report.timings["judge"]["p50"] > 0
    assert report.counts["judged"] == 2
    out = as_json(report)["judge"]
    assert out["model"] == report.settings["judge"]["model"] == "scripted/script"
    assert (out["calls"], out["tokens"], out["failures"]) == (
        10,
        {"prompt_tokens": 100, "completion_tokens": 50},
        {},
    )
    assert out["error"] is None
    printed = io.StringIO()
    print_report(report, printed)
    assert "judged by scripted/script" in printed.getvalue()


async def test_answers_alone_need_no_ranking(engine: Engine) -> None:
    cases = [Case("1", "When do cats purr?", relevance={"nowhere.md": 1})]
    report = await judged(engine, Scripted(says(**ONE)), ranked=False, cases=cases)
    assert {"AnswerRelevance", "answered_share"} <= set(report.metrics)
    assert not {"MRR", "nDCG@10"} & set(report.metrics)
    assert report.rows[0].top == ("cats.md",)
    assert [warning for warning in report.warnings if " few: " not in warning] == []
    assert report.settings["metrics"] == []


async def test_nonsense_is_counted_and_warned_of_and_fails_only_where_nothing_could_be_read(engine: Engine) -> None:
    report = await judged(engine, Scripted(says(**{**ONE, "score": ["Nice!"]})))
    assert "AnswerRelevance" not in report.metrics
    assert "Faithfulness" in report.metrics
    why = "a measure is missing: the judge's reply could not be read: it is not a JSON object (2 times)"
    assert why in report.warnings
    assert report.judge.failed is None
    lost = await judged(engine, Scripted(lambda _: "Nice!"))
    assert not set(JUDGE_MEASURES) & set(lost.metrics)
    assert lost.metrics["MRR"] == 1.0
    assert (lost.judge.failed.exit, lost.judge.failed.code) == (1, "unavailable")
    assert "no reply of the judge scripted/script could be read" in str(lost.judge.failed)


async def test_a_judge_that_is_away_or_refuses_is_given_up_and_the_rest_is_measured(engine: Engine) -> None:
    refused: tuple[tuple[RagstoneError, int, int], ...] = ((Unavailable("gone"), 1, 2), (UsageError("wrong key"), 2, 1))
    for error, status, calls in refused:
        model = Scripted(partial(raising, error))
        report = await judged(engine, model)
        assert report.judge.failed.exit == status
        assert str(report.judge.failed) == f"Ragstone stopped asking the judge scripted/script: {error}"
        assert len(model.prompts) == report.judge.calls == calls
        assert report.metrics["MRR"] == report.metrics["Groundedness"] == 1.0
        assert as_json(report)["judge"]["error"]["message"] == str(report.judge.failed)


async def test_judged_measures_are_compared_under_the_same_judge_alone(engine: Engine, tmp_path: Path) -> None:
    report = await judged(engine, Scripted(says(**ONE)))
    path = tmp_path / "before.json"
    path.write_text(json.dumps(as_json(report)), encoding="utf-8")
    before = json.loads(path.read_text("utf-8"))
    same = compare(read_baseline(path), report)
    assert set(JUDGE_MEASURES) <= {change.metric for change in same.changes}
    assert not [warning for warning in same.warnings if "judged" in warning or "lacks" in warning]
    before["settings"]["judge"]["rubrics"] = "0ld"
    path.write_text(json.dumps(before), encoding="utf-8")
    other = compare(read_baseline(path), report)
    assert {change.metric for change in other.changes} == set(report.metrics) - {*JUDGE_MEASURES, "refusal_auroc"}
    assert "(rubrics 0ld, temperature 0.0) then" in other.warnings[0]
    assert other.warnings[0].startswith("Faithfulness, AnswerRelevance, ContextPrecision, ContextRecall were judged by")


def test_the_judge_is_a_verb_that_names_nobody_by_itself(tmp_path: Path) -> None:
    assert Engine(load(store=str(tmp_path / "store"))).select_judge() is None
    with pytest.raises(UsageError, match="invalid model 7"):
        Engine(load(store=str(tmp_path / "store"))).select_judge(7)  # type: ignore[arg-type]  # what it refuses


async def test_a_model_that_cannot_write_is_said_for_all_answers_together(engine: Engine) -> None:
    """Quoted answers stand in: without a word their figures would pass for those of the model."""
    engine._components.completions._handed = Scripted(partial(raising, Unavailable("gone")))
    report = await evaluate_golden(
        engine, CASES, granularity="file", name="g", ranked=False, answers=True, mode="keyword"
    )
    said = [warning for warning in report.warnings if "few" not in warning]
    assert said == ["the answer is quoted, not written: gone (2 of 3 questions)"]


async def test_the_tokens_of_answers_and_the_seconds_of_their_model_are_reported(engine: Engine) -> None:
    engine._components.completions._handed = Scripted(lambda _: "Cats purr when they are content. [1]")
    report = await evaluate_golden(engine, CASES, granularity="file", name="g", answers=True, mode="keyword")
    assert report.usage == as_json(report)["usage"] == {"prompt_tokens": 20, "completion_tokens": 10}
    assert report.timings["model"]["p50"] > 0
    assert report.judge is None
