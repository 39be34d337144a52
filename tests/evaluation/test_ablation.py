"""Each stage with and without: paired gains by hand, times of the same questions, tables for people and programs."""

import csv
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.config.load import load as load_settings
from ragstone.config.model_settings import AnswerSettings, LlmSettings
from ragstone.config.search_stages import SearchStage
from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.evaluation import Case, Entry, Ranking, ablation_csv, ablation_json, print_ablation
from ragstone.evaluation.ablation import measure_stages
from ragstone.evaluation.answer_stages import list_answer_stages
from ragstone.evaluation.engine_evaluation import evaluate_golden
from ragstone.evaluation.run import SearchFunction
from ragstone.evaluation.stage_effects import StageEffect
from ragstone.testing.bag_of_words import BagOfWords

CASES = [Case(str(n), f"question {n}", relevance={"a.md": 1}) for n in range(4)]
HELPS, HARMS = SearchStage("helps", {"helps": False}), SearchStage("harms", {"harms": False})
FIRST, SECOND = (Entry("a.md"), Entry("b.md")), (Entry("b.md"), Entry("a.md"))


def make_search(asked: list[str], changed: Json) -> SearchFunction:
    """With all stages the right document is first for half of the questions; without one for none, without the other
    for all."""

    async def search(case: Case) -> Ranking:
        asked.append(f"{case.id}{next(iter(changed), '')}")
        good = {"helps": False, "harms": True}.get(next(iter(changed), ""), int(case.id) < 2)
        return Ranking(FIRST if good else SECOND, timings={"total": 0.001 if changed else 0.003})

    return search


async def measured() -> tuple[StageEffect, ...]:
    return await measure_stages(
        lambda changed: make_search([], changed), (HARMS, HELPS), CASES, metrics=("MRR",), granularity="file", depth=10
    )


async def test_gains_are_paired_by_question_and_the_best_stage_comes_first() -> None:
    helps, harms = await measured()
    assert (helps.stage, harms.stage) == ("helps", "harms")
    [gain] = helps.gains
    assert (gain.metric, gain.with_stage, gain.without, gain.questions) == ("MRR", 0.75, 0.5, 4)
    assert gain.gain.mean == 0.25
    assert 0 <= gain.gain.low <= 0.25 <= gain.gain.high <= 0.5
    assert harms.gains[0].gain.mean == -0.25
    assert (helps.milliseconds, helps.milliseconds_without) == (3.0, 1.0)


async def test_every_question_is_searched_in_all_ways_before_the_next_and_each_way_goes_first_in_turn() -> None:
    asked: list[str] = []
    await measure_stages(
        lambda changed: make_search(asked, changed),
        (HELPS, HARMS),
        CASES,
        metrics=("MRR",),
        granularity="file",
        depth=10,
    )
    warm, *rest = asked
    assert warm == "0"
    turns = [rest[n : n + 3] for n in range(0, len(rest), 3)]
    assert [{one[0] for one in turn} for turn in turns] == [{"0"}, {"1"}, {"2"}, {"3"}]
    assert [turn[0] for turn in turns] == ["0", "1helps", "2harms", "3"]


async def test_people_see_a_row_for_each_stage_and_programs_every_measure() -> None:
    effects = await measured()
    out = io.StringIO()
    print_ablation(effects, out, 10)
    assert "MRR@10" in out.getvalue()
    assert any("helps" in line and "+0.250" in line and "+2.0" in line for line in out.getvalue().splitlines())
    rows = list(csv.DictReader(io.StringIO(ablation_csv(effects, 10))))
    assert [(row["stage"], row["metric"], row["gain"]) for row in rows] == [
        ("helps", "MRR@10", "0.25"),
        ("harms", "MRR@10", "-0.25"),
    ]
    data = ablation_json(effects)
    assert data[0]["options"] == {"helps": False}
    assert data[0]["gains"][0]["gain"]["mean"] == 0.25
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data, allow_nan=False))
    print_ablation((), out, 10)
    assert "no stage of this search can be left out" in out.getvalue()


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    """Three notes with vectors."""
    async with Engine(load_settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as engine:
        for name, text in {"a": "Cats purr.", "b": "Dogs bark.", "c": "Cats and dogs sleep."}.items():
            file = tmp_path / "docs" / f"{name}.md"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        await engine.ingest(tmp_path / "docs")
        yield engine


async def test_a_real_search_is_measured_without_each_of_its_stages(engine: Engine) -> None:
    cases = [Case("1", "why do cats purr", relevance={"a.md": 1}), Case("2", "who?", answerable=False)]
    report = await evaluate_golden(
        engine, cases, granularity="file", name="g", ablate=True, per_document=1, keyword_boost=True
    )
    names = {
        "vectors",
        "keywords",
        "fusion by score",
        "feedback",
        "headings",
        "spelling",
        "keyword boost",
        "near-duplicates",
    }
    assert {effect.stage for effect in report.ablation} == names  # the limit per document is the measure's own
    assert {gain.questions for effect in report.ablation for gain in effect.gains} == {1}
    assert all(effect.milliseconds > 0 and effect.milliseconds_without > 0 for effect in report.ablation)
    plain = await evaluate_golden(engine, cases, granularity="file", name="g", per_document=1, keyword_boost=True)
    assert plain.ablation == ()
    assert plain.metrics == report.metrics
    words = await evaluate_golden(engine, cases, granularity="chunk", name="g", ablate=True)
    assert words.ablation == ()  # no question says which chunk


async def test_figures_of_a_sparse_model_that_is_not_there_are_refused(engine: Engine) -> None:
    cases = [Case("1", "why do cats purr", relevance={"a.md": 1})]
    with pytest.raises(UsageError, match=r"set sparse\.model"):
        await evaluate_golden(engine, cases, granularity="file", name="g", sparse="splade")


async def test_answers_are_measured_without_each_of_their_stages(engine: Engine) -> None:
    cases = [
        Case("1", "Why do cats purr?", relevance={"a.md": 1}, answer="Cats purr."),
        Case("2", "How many moons has Jupiter?", answerable=False),
    ]
    report = await evaluate_golden(engine, cases, granularity="file", name="g", answers=True, ablate=True)
    stages = {effect.stage: effect for effect in report.answer_ablation}
    names = {
        "abstention",
        "vectors",
        "keywords",
        "fusion by score",
        "feedback",
        "headings",
        "spelling",
        "near-duplicates",
    }
    assert stages.keys() == names
    assert stages["abstention"].options == {"answer.abstain": "never"}
    gains = {gain.metric: gain for gain in stages["abstention"].gains}
    assert (gains["refusal_recall"].with_stage, gains["refusal_recall"].questions) == (1.0, 1)
    assert gains["AbstainAccuracy"].questions == 2
    assert all(effect.milliseconds > 0 for effect in stages.values())
    assert report.ablation, "rankings are measured beside them"
    alone = await evaluate_golden(
        engine, cases, granularity="file", name="g", ranked=False, answers=True, ablate=True, mode="keyword"
    )
    assert alone.ablation == ()
    assert {effect.stage for effect in alone.answer_ablation} == {
        "abstention",
        "headings",
        "spelling",
        "near-duplicates",
    }


def test_the_stages_of_answers_are_those_of_the_settings() -> None:
    settings = Settings(llm=LlmSettings("ollama/any"), answer=AnswerSettings(strict=True, abstain="thresholds"))
    found = {stage.name: stage.leave_out(settings) for stage in list_answer_stages(settings)}
    assert found["language model"].llm.model == "none"
    assert not found["strict answers"].answer.strict
    assert found["abstention"].answer.abstain == "never"
    assert not list(list_answer_stages(Settings(answer=AnswerSettings(abstain="never"))))
