"""The commands over pipelines: listed, checked, searched, asked; the password shows nowhere."""

import json
from pathlib import Path

import pytest

from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run
from tests.stores.postgres.server import PASSWORD
from tests.stores.tables.conftest import DIMENSION, Data

CONFIG = """
defaults: {{top_n: 3}}
embed: {{model: none}}
pipelines:
  - name: docs
    description: What we know
    database: {url}
    tables:
      - {{table: docs, text_column: content, vector_column: embedding, id_column: id, filter: "status = 'published'"}}
    rag_llm: {{provider: openai, model: gpt, api_key_file: none}}
  - name: broken
    database: {url}
    tables: [{{table: nowhere, text_column: content}}]
"""
FILTER = '{"conditions": [{"column": "topic", "operator": "=", "value": "alerts"}]}'


@pytest.fixture(autouse=True)
def configured(data: Data) -> None:
    Path("ragstone.yaml").write_text(CONFIG.format(url=data.url), encoding="utf-8")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that fits the vectors of the table."""
    monkeypatch.setattr("ragstone.providers.make_embedder", lambda *_, **__: BagOfWords(DIMENSION))
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "minilm")


def test_pipelines_are_listed_and_checked(run: Run) -> None:
    done = run("pipelines")
    assert done.status == 0
    assert done.out.splitlines()[:3] == [
        "docs: What we know",
        "    reads docs.content; model none",
        "    note: rag_llm.api_key_file is ignored",
    ]
    checked = run("pipelines", "--check")
    assert (checked.status, checked.out.count("problem: ")) == (1, 2)
    assert "problem: openai needs a key" in checked.out
    assert "problem: nowhere.content: there is no table or view 'nowhere'" in checked.out
    lines = [json.loads(line) for line in run("pipelines", "--check", "--json").out.splitlines()]
    assert [(line["name"], len(line["problems"])) for line in lines] == [("docs", 1), ("broken", 1)]
    assert PASSWORD not in done.out + checked.out + checked.err
    Path("ragstone.yaml").write_text("embed: {model: none}", encoding="utf-8")
    assert "no pipelines are configured" in run("pipelines").err


@pytest.mark.usefixtures("model")
def test_a_pipeline_is_searched_and_asked(run: Run) -> None:
    done = run("search", "how long are samples kept", "--pipeline", "docs")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("1. public.docs/2:1")
    assert run("search", "samples", "--pipeline", "docs", "--json").json["hits"][0]["signals"].keys() == {
        "cosine",
        "bm25",
    }
    filtered = run("search", "samples", "--pipeline", "docs", "--filter", FILTER, "--json").json["hits"]
    assert {hit["document"]["path"] for hit in filtered} == {"public.docs/3", "public.docs/4"}
    evidence = run("search", "samples", "--pipeline", "docs", "--format", "evidence").json
    assert evidence["index"]["reads"] == ["docs.content"]
    answer = run("ask", "How long are samples kept by default?", "--pipeline", "docs")
    assert "15 days" in answer.out
    assert "[1] public.docs/1:1 · quoted" in answer.out


def test_without_a_model_words_find(run: Run) -> None:
    done = run("search", "how long are samples kept", "--pipeline", "docs")
    assert done.status == 0
    assert "note: semantic unavailable; fallback=keyword-only" in done.err


def test_mistakes_are_one_sentence(run: Run) -> None:
    for arguments in (
        ("--pipeline", "none"),
        ("--pipeline", "broken"),
        ("--pipeline", "docs", "--tag", "x"),
        ("--pipeline", "docs", "--filter", '{"conditions": [{"column": "x", "operator": "=", "value": 1}]}'),
    ):
        done = run("search", "samples", *arguments)
        assert (done.status, done.err.count("\n"), done.out) == (2, 1, ""), done.err
        assert done.err.startswith("error: ")
        assert PASSWORD not in done.err
