import csv
import io
import json
from collections.abc import Sequence

import pytest

from ragstone.core.errors import UsageError
from ragstone.evaluation import (
    Case,
    Entry,
    Granularity,
    Ranking,
    Report,
    ScoredAnswer,
    as_csv,
    as_json,
    evaluate,
    print_report,
)
from ragstone.evaluation.interval import RESAMPLES, SEED

CASES = [
    Case("1", "first?", relevance={"a.md": 1}, kind="fact"),
    Case("2", "second?", relevance={"b.md": 1}, kind="fact"),
    Case("3", "nobody knows", relevance={"a.md": 1}, answerable=False, kind="near miss"),
    Case("4", "nobody cares", answerable=False, kind="off topic"),
    Case("5", "no judgement"),
]
FOUND = (Entry("x/a.md", 0, score=2.0), Entry("x/a.md", 1, score=1.0), Entry("c.md"))


async def without_answer(case: Case) -> Ranking:
    return Ranking(FOUND, timings={"search": float(case.id), **({"rerank": 0.5} if case.id == "2" else {})})


async def with_answer(case: Case) -> Ranking:
    return Ranking(FOUND, answer=ScoredAnswer(case.id in ("2", "4")))


async def reported(
    search: object = without_answer, cases: Sequence[Case] = CASES, granularity: Granularity = "file"
) -> Report:
    return await evaluate(with_answer if search is with_answer else without_answer, cases, granularity=granularity)


async def test_means_are_over_answerable_questions_that_are_judged() -> None:
    report = await reported()
    assert report.metrics["MRR"] == 0.5
    assert report.metrics["Recall@10"] == 0.5
    assert report.counts == {"questions": 5, "judged": 2, "answerable": 3, "unanswerable": 2}
    assert [bool(row.scores) for row in report.rows] == [True, True, False, False, False]
    assert report.rows[0].top == ("x/a.md", "c.md")
    assert list(report.intervals) == list(report.metrics)


async def test_few_questions_and_missing_judgements_are_said() -> None:
    few, unjudged = (await reported()).warnings
    assert few.startswith("5 questions are few")
    assert unjudged.startswith("1 answerable questions do not say")
    many = [Case(str(n), "?", relevance={"a.md": 1}) for n in range(50)]
    assert (await reported(cases=many)).warnings == ()
    nothing = await reported(granularity="chunk")
    assert nothing.metrics == {}
    assert "nothing was scored" in nothing.warnings[1]


async def test_withheld_answers_are_counted_by_kind() -> None:
    report = await reported(with_answer)
    about = report.abstention
    assert about is not None
    assert (about.abstained, about.rightly, about.unanswerable) == (2, 1, 2)
    assert (about.precision, about.recall, about.rate) == (0.5, 0.5, 2 / 5)
    assert report.metrics["AbstainAccuracy"] == pytest.approx(3 / 5)
    assert list(report.metrics)[-4:] == ["AbstainAccuracy", "refusal_precision", "refusal_recall", "answered_share"]
    assert report.kinds["near miss"]["abstained"] == 0
    assert report.kinds["off topic"]["abstained"] == 1
    assert report.counts["judged"] == 2
    assert (await reported()).abstention is None


async def test_stages_have_their_median_and_95th_percentile() -> None:
    timings = (await reported()).timings
    assert timings == {"search": {"p50": 3.0, "p95": 5.0}, "rerank": {"p50": 0.5, "p95": 0.5}}


async def test_no_question_and_an_unknown_metric_are_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="no question"):
        await evaluate(without_answer, [])
    with pytest.raises(UsageError, match="unknown"):
        await evaluate(without_answer, CASES, metrics=["nDGC@10"])


async def test_the_json_has_the_promised_keys_and_survives_a_round_trip() -> None:
    report = await evaluate(with_answer, CASES, settings={"mode": "hybrid"})
    data = as_json(report)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["schema"] == 1
    assert data["questions"] == 5
    assert {"nDCG@10", "Recall@10", "MRR", "MAP"} <= data["metrics"].keys()
    assert all(low <= data["metrics"][name] <= high for name, (low, high) in data["intervals"].items())
    assert data["settings"]["mode"] == "hybrid"
    assert data["settings"]["granularity"] == "file"
    assert [row["id"] for row in data["per_question"]] == ["1", "2", "3", "4", "5"]
    assert as_json(await evaluate(with_answer, CASES, settings={"mode": "hybrid"})) == data


async def test_the_csv_has_a_line_for_each_question() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(await reported(with_answer)))))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert (rows[0]["MRR"], rows[0]["abstained"], rows[0]["first"]) == ("1", "false", "x/a.md")
    assert (rows[3]["MRR"], rows[3]["answerable"], rows[3]["AbstainAccuracy"]) == ("", "false", "1")


async def test_the_tables_show_means_kinds_stages_and_warnings() -> None:
    out = io.StringIO()
    print_report(await reported(with_answer), out)
    print_report(await reported(), out)
    text = out.getvalue()
    for part in (
        "nDCG@10",
        "0.500",
        "near miss",
        "precision 0.500",
        "search",
        "3000.0",
    ):
        assert part in text


async def test_people_see_every_measure_with_its_cut_and_programs_the_depth_beside_the_bare_name() -> None:
    report = await evaluate(without_answer, CASES, depth=20)
    out = io.StringIO()
    print_report(report, out)
    assert "MRR@20" in out.getvalue()
    assert "MAP@20" in out.getvalue()
    assert "MRR " not in out.getvalue()
    heading = as_csv(report).splitlines()[0]
    assert "MRR@20,MAP@20" in heading
    data = as_json(report)
    assert {"MRR", "MAP"} <= data["metrics"].keys()
    assert data["settings"]["depth"] == 20


async def test_a_measure_that_looks_further_than_was_fetched_is_left_out_with_a_warning() -> None:
    report = await evaluate(without_answer, CASES, depth=5)
    assert list(report.metrics) == ["Recall@5", "Precision@5", "MRR", "MAP", "Success@5"]
    assert report.settings["metrics"] == list(report.metrics)
    left = "nDCG@10, nDCG_exp@10, Recall@10, Hit@10 left out: only 5 results a question were fetched"
    assert left in report.warnings


async def test_what_a_search_left_out_is_a_warning_with_its_count() -> None:
    async def search(case: Case) -> Ranking:
        return Ranking(FOUND, notes=("by keyword alone",) if case.id != "1" else ())

    report = await evaluate(search, CASES, warnings=["first"])
    assert report.warnings[:2] == ("first", "by keyword alone (4 of 5 questions)")


async def test_a_question_that_cannot_be_asked_is_named() -> None:
    async def search(case: Case) -> Ranking:
        raise UsageError("too long")

    with pytest.raises(UsageError, match="question '1': too long"):
        await evaluate(search, CASES)


async def test_the_settings_say_how_the_intervals_came_about() -> None:
    settings = (await reported()).settings
    assert {name: settings[name] for name in ("resamples", "seed", "level")} == {
        "resamples": RESAMPLES,
        "seed": SEED,
        "level": 0.95,
    }


async def test_terminal_commands_in_a_golden_set_are_not_obeyed() -> None:
    cases = [Case("1", "?", relevance={"a.md": 1}, kind="\x1b[31mred"), Case("2", "?", kind="plain")]
    out = io.StringIO()
    print_report(await reported(cases=cases), out)
    assert "red" in out.getvalue()
    assert "\x1b" not in out.getvalue()
