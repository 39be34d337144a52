"""The demo with the built-in model: the citations hold, and the golden set guards against getting worse."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragstone
from ragstone.core.types import join_slices
from ragstone.evaluation import load_cases
from tests.commands import Run

DEMO = Path(__file__).parents[2] / "demo"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's documents, ingested once for all tests here."""
    place = tmp_path_factory.mktemp("demo") / "store"
    with ragstone.open(place) as kb:
        kb.ingest(DEMO / "docs")
    return place


@pytest.fixture
def kb(store: Path) -> Iterator[ragstone.Knowledge]:
    with ragstone.open(store) as knowledge:
        yield knowledge


def test_every_citation_of_golden_questions_stands_in_its_file(kb: ragstone.Knowledge) -> None:
    cited = 0
    for case in load_cases(DEMO / "golden.jsonl")[::2]:  # the next test counts the valid citations of all
        for citation in kb.ask(case.question).citations:
            file = (DEMO / "docs" / citation.document.path).read_bytes().decode("utf-8")
            assert citation.status == "verified"
            assert join_slices(file, citation.spans) == citation.quote
            for span in citation.spans:
                assert file[: span.char_start].count("\n") + 1 == span.line_start
            cited += 1
    assert cited > 20


def test_search_and_abstention_are_not_worse_than_the_baseline(run: Run, store: Path) -> None:
    golden, baseline = DEMO / "golden.jsonl", DEMO / "baseline.json"
    outcome = run("eval", "--golden", golden, "--store", store, "--answers", "--baseline", baseline, "--gate", "--json")
    assert outcome.status == 0, outcome.err
    changes = outcome.json["comparison"]["changes"]
    assert {change["metric"] for change in changes} >= {"nDCG@10", "MRR", "AbstainAccuracy"}
    assert outcome.json["metrics"]["citation_valid"] == 1.0


def test_the_gate_closes_when_search_gets_worse(run: Run, store: Path, tmp_path: Path) -> None:
    """The same baseline, with questions that ask nothing: the gate must not be able to pass everything."""
    lines = [json.loads(line) for line in (DEMO / "golden.jsonl").read_text("utf-8").splitlines()]
    baseline = json.loads((DEMO / "baseline.json").read_text("utf-8"))
    for line, row in zip(lines, baseline["per_question"], strict=True):
        line["question"] = row["question"] = "prometheus"
    worse = tmp_path / "worse.jsonl"
    worse.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    (tmp_path / "base.json").write_text(json.dumps(baseline), encoding="utf-8")
    outcome = run("eval", "--golden", worse, "--store", store, "--baseline", tmp_path / "base.json", "--gate")
    assert outcome.status == 3
