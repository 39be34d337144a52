"""`ragstone config`: settings with their origin, a starter file that holds, a check of all that an ingestion needs."""

import json
from pathlib import Path

import pytest

from ragstone.config.inspection import list_settings
from ragstone.config.load import load
from tests.commands import Run


def test_each_setting_is_shown_with_where_it_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("ragstone.yaml").write_text("keep_versions: 3\nsearch: {top_k: 5}\nlimits: {chunks: 9}\n", encoding="utf-8")
    monkeypatch.setenv("RAGSTONE_SEARCH__TOP_K", "7")
    shown = json.loads(run("config", "show", "--store", "elsewhere", "--json").out)["settings"]
    found = {one["key"]: (one["value"], one["origin"]) for one in shown}
    assert found["store"] == ("elsewhere", "option")
    assert found["keep_versions"] == (3, "ragstone.yaml")
    assert found["search.top_k"] == (7, "RAGSTONE_SEARCH__TOP_K")
    assert found["search.mode"] == ("hybrid", "default")
    changed = run("config", "show", "--changed").out.splitlines()
    assert [line.split()[0] for line in changed] == ["keep_versions", "limits.chunks", "search.top_k"]
    assert "search.top_k" in run("config", "show").out


def test_no_secret_is_shown(run: Run) -> None:
    Path("ragstone.yaml").write_text(
        "store: postgresql://ann:hidden1@localhost/db\nkey: hidden2\npasswords: [hidden3]\n"
        "llm: {model: openai/x, api_key: hidden4, headers: {X-Key: hidden5}}\n"
        "tenants: {acme: {llm: {model: openai/y, api_key: hidden6}}}\n",
        encoding="utf-8",
    )
    for more in ([], ["--json"], ["--changed"]):
        done = run("config", "show", *more)
        assert done.status == 0
        assert "hidden" not in done.out + done.err
        assert "postgresql://ann:***@localhost/db" in done.out
        assert "openai/y" in done.out


def test_the_starter_file_holds_and_is_never_written_over(run: Run, docs: Path) -> None:
    assert run("config", "init").status == 0
    assert load("ragstone.yaml").sources[0].path == "docs"
    assert not [one for one in list_settings("ragstone.yaml") if one.origin != "default" and one.value == one.origin]
    before = Path("ragstone.yaml").read_text(encoding="utf-8")
    again = run("config", "init")
    assert again.status == 2
    assert "ragstone.yaml exists" in again.err
    assert Path("ragstone.yaml").read_text(encoding="utf-8") == before
    assert run("config", "check").status == 0
    assert "cannot be written" in run("config", "init", "no/such/folder.yaml").err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sources: [nowhere]", "source 'nowhere': nowhere does not exist"),
        ("serch: {}", "unknown key serch; did you mean search?"),
        ("search: {top_k: abc}", "invalid search.top_k 'abc': expected a whole number"),
        ("chunk: {options: {sizes: 3}}", "unknown chunker option 'sizes'"),
        ("embed: {model: ollama/none-such, base_url: 'http://127.0.0.1:1', reads: 99}", "127.0.0.1:1"),
        ("store: 'postgresql://127.0.0.1:1/db'", "does not answer"),
        ("store: 'nonsense://x'", "nonsense"),
        ("answer: {prompt: nowhere.txt}", "there is no prompt 'nowhere.txt'"),
        ("answer: {calibration: nowhere.json}", "calibration nowhere.json: cannot be read"),
        ("answer: {abstain: thresholds}", "set search.fusion to rrf, or answer.abstain to fitted or never"),
        (
            "answer: {abstain: thresholds}\nsearch: {fusion: rrf}\n"
            "pipelines: [{name: p, collections: [default], search: {fusion: minmax}}]",
            "pipelines.p: answer.abstain thresholds judges the scores of RRF or of a reranker",
        ),
    ],
)
def test_a_check_names_what_an_ingestion_would_stumble_over(run: Run, docs: Path, text: str, says: str) -> None:
    Path("ragstone.yaml").write_text(text, encoding="utf-8")
    done = run("config", "check")
    assert done.status == 1, done
    assert says in done.out
    told = json.loads(run("config", "check", "--json").out)
    assert told["healthy"] is False
    assert any(says in problem for problem in told["problems"])


@pytest.mark.parametrize("search", ["search: {fusion: rrf}", "search: {fusion_at: server}"])
def test_a_check_passes_thresholds_where_there_are_scores_to_judge(run: Run, docs: Path, search: str) -> None:
    Path("ragstone.yaml").write_text(f"answer: {{abstain: thresholds}}\n{search}\n", encoding="utf-8")
    assert run("config", "check").status == 0


def test_an_unknown_variable_is_named_beside_the_result(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_STROE", "x")
    for command in (("config", "check"), ("config", "show"), ("collections", "list")):
        shown = run(*command)
        said = "warning: environment: unknown setting RAGSTONE_STROE; did you mean RAGSTONE_STORE? Ragstone ignores it"
        assert said in shown.err
