"""`ragstone eval`: the table of stages and the page, through the command line."""

import csv
import json
from pathlib import Path

import pytest
from lxml import html

from tests.commands import Run

QUESTIONS = [
    {"query": "how long are samples kept", "expected_files": ["storage.md"]},
    {"query": "telegram receiver", "expected_files": ["guides/alerts.md"]},
]


@pytest.fixture
def golden() -> Path:
    path = Path("golden.jsonl")
    path.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return path


@pytest.fixture
def base(run: Run, docs: Path, golden: Path) -> tuple[object, ...]:
    """The command over a store by keyword alone (fast)."""
    assert run("ingest", docs, "--store", "store", "--embedder", "none").status == 0
    return ("eval", "--golden", golden, "--store", "store", "--mode", "keyword")


def test_stages_stand_in_the_terminal_in_json_and_in_csv(run: Run, base: tuple[object, ...]) -> None:
    shown = run(*base, "--ablate", "--keyword-boost", "--csv", "stages.csv")
    assert shown.status == 0
    assert "gain of each stage" in shown.out
    rows = list(csv.DictReader(Path("stages.csv").read_text("utf-8").splitlines()))
    assert {row["stage"] for row in rows} == {"headings", "spelling", "keyword boost", "near-duplicates"}
    assert {"nDCG@10", "MRR@10", "Recall@5"} <= {row["metric"] for row in rows}
    data = run(*base, "--ablate", "--keyword-boost", "--json").json
    boost = next(one for one in data["ablation"] if one["stage"] == "keyword boost")
    assert boost["options"] == {"keyword_boost": False}
    assert boost["gains"][0].keys() == {"metric", "with_stage", "without", "questions", "gain"}
    assert data["settings"]["keyword_boost"] is True
    assert "ablation" not in run(*base, "--json").json


def test_stages_of_answers_stand_beside_those_of_the_search(run: Run, base: tuple[object, ...]) -> None:
    asked = (*base, "--ablate", "--answers", "--csv", "stages.csv", "--report", "page.html")
    shown = run(*asked)
    assert shown.status == 0
    assert "gain of each stage in the answers" in shown.out
    rows = list(csv.DictReader(Path("stages.csv").read_text("utf-8").splitlines()))
    assert ("abstention", "AbstainAccuracy") in {(row["stage"], row["metric"]) for row in rows}
    assert 'id="answer-stages"' in Path("page.html").read_text("utf-8")
    data = run(*base, "--ablate", "--mode", "rag", "--json").json
    assert {one["stage"] for one in data["answer_ablation"]} == {
        "abstention",
        "headings",
        "spelling",
        "near-duplicates",
    }
    assert "ablation" not in data


def test_a_page_is_written_beside_the_report(run: Run, base: tuple[object, ...]) -> None:
    Path("before.json").write_text(run(*base, "--json").out, "utf-8")
    outcome = run(*base, "--no-fold", "--baseline", "before.json", "--report", "page.html", "--json")
    assert outcome.status == 0
    tree = html.parse("page.html").getroot()
    assert tree.findtext(".//h1") == "Evaluation of golden.jsonl"
    for question in QUESTIONS:
        assert str(question["query"]) in tree.text_content()
    assert "Samples are kept for 15 days" in tree.text_content()
    setting = next(row for row in tree.iter("tr") if row[0].text_content() == "fold")
    assert [cell.text_content() for cell in setting] == ["fold", "false", "true (other)"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--report", "nowhere/page.html"), "--report nowhere/page.html cannot be written"),
        (("--report", "golden.jsonl"), "--report golden.jsonl would overwrite an input file"),
        (("--report", "out", "--csv", "./out"), "--csv and --report name the same file"),
        (("--report", ""), "--report is empty"),
        (("--fusion", "max"), "unknown fusion 'max': expected minmax or rrf"),
        (("--per-document", "0"), "invalid per_document 0"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Run, base: tuple[object, ...], arguments: tuple[str, ...], says: str
) -> None:
    outcome = run(*base, *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_baseline_with_passages_of_another_shape_is_refused(run: Run, base: tuple[object, ...]) -> None:
    report = run(*base, "--json").json
    report["per_question"][1]["passages"] = [{"path": 1}]
    Path("base.json").write_text(json.dumps(report), "utf-8")
    outcome = run(*base, "--baseline", "base.json")
    assert (outcome.status, outcome.out) == (2, "")
    assert "baseline base.json: question 'q2': invalid passages: expected a passage with path, ordinal" in outcome.err


def test_candidates_are_written_once_and_measured_when_accepted(run: Run, base: tuple[object, ...]) -> None:
    made = run("eval", "--generate", "3", "--store", "store", "--out", "new.jsonl", "--json")
    assert (made.status, made.json["schema"], made.json["questions"], made.json["file"]) == (0, 1, 3, "new.jsonl")
    lines = [json.loads(line) for line in Path("new.jsonl").read_text("utf-8").splitlines()]
    assert {line["accepted"] for line in lines} == {False}
    assert len({line["expected_files"][0] for line in lines}) > 1
    assert [json.loads(line) for line in run("eval", "--generate", "3", "--store", "store").out.splitlines()] == lines
    again = run("eval", "--generate", "3", "--store", "store", "--out", "new.jsonl")
    assert (again.status, "--out new.jsonl exists" in again.err) == (2, True)
    unread = run("eval", "--golden", "new.jsonl", "--store", "store", "--mode", "keyword")
    assert (unread.status, "no question of 3 is accepted" in unread.err) == (2, True)
    text = Path("new.jsonl").read_text("utf-8").replace('"accepted": false', '"accepted": true', 1)
    Path("new.jsonl").write_text(text, "utf-8")
    read = run("eval", "--golden", "new.jsonl", "--store", "store", "--mode", "keyword", "--json")
    assert (read.status, read.json["questions"]) == (0, 1)
    assert "2 questions are not accepted in new.jsonl" in read.json["warnings"][0]
    many = run("eval", "--generate", "1000", "--store", "store")
    assert "of 1000 wanted: the documents give no more" in many.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--generate", "3", "--golden", "golden.jsonl"), "leave out --golden"),
        (("--generate", "3", "--ablate"), "leave out --ablate"),
        (("--generate", "3", "--out", "nowhere/x.jsonl"), "--out nowhere/x.jsonl cannot be written"),
        (("--generate", "3", "--model", "olama/x"), "did you mean 'ollama'?"),
        (("--golden", "golden.jsonl", "--out", "x.jsonl"), "--out goes with --generate"),
        (("--golden", "golden.jsonl", "--seed", "1"), "--seed goes with --generate"),
    ],
)
def test_options_of_candidates_and_of_measures_do_not_mix(
    run: Run, base: tuple[object, ...], arguments: tuple[str, ...], says: str
) -> None:
    outcome = run("eval", "--store", "store", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
