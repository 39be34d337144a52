"""What keeps a model from its work is one sentence and an exit status, and what was found without it is shown."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Outcome, Run
from tests.providers.serving import backends
from tests.providers.serving.between import Between, Reply, Seen, standing
from tests.providers.serving.llama import KEY, MODEL

QUESTION = "For how long are samples kept by default?"
KEPT = "Samples are kept for 15 days by default. [1]"
END = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


def piece(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


def openai(seen: Seen) -> Reply:
    """OpenAI's wire, and its words for what it refuses."""
    if seen.headers["authorization"] != f"Bearer {KEY}":
        error = {"message": f"Incorrect API key provided: {KEY[:4]}***", "code": "invalid_api_key"}
        return backends.line({"error": error}, 401)
    if seen.json["model"] != MODEL:
        error = {"message": f"The model `{seen.json['model']}` does not exist", "code": "model_not_found"}
        return backends.line({"error": error}, 404)
    kind = {"Content-Type": "text/event-stream"}
    return Reply(iter([piece("Samples are kept "), piece("for 15 days by default."), END]), 200, kind)


@pytest.fixture
def between() -> Iterator[Between]:
    with standing(openai) as between:
        yield between


@pytest.fixture(autouse=True)
def _ingested(docs: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    assert run("ingest", docs).status == 0
    monkeypatch.delenv("RAGSTONE_EMBED__MODEL")


def asked(run: Run, between: Between, *more: str, answer: Any = None, **llm: Any) -> Outcome:
    reached = {"model": f"openai/{MODEL}", "base_url": between.url, "api_key": KEY, "retries": 0, **llm}
    config = {"embed": {"model": "none"}, "llm": reached, "answer": answer or {}}
    Path("ragstone.yaml").write_text(json.dumps(config), encoding="utf-8")
    return run("ask", QUESTION, *more)


@pytest.mark.parametrize(
    ("llm", "said"),
    [
        ({"api_key": "wrong"}, "refuses the key (401: Incorrect API key provided"),
        ({"model": "openai/gpt-4o", "api_key": None, "base_url": None}, "openai needs a key: set llm.api_key"),
        ({"model": "openai/absent"}, "openai/absent at 127.0.0.1"),
        ({"model": "opnai/x"}, "unknown vendor 'opnai'; did you mean 'openai'?"),
        ({"model": "voyage/voyage-3"}, "voyage cannot complete; ollama, openai"),
        ({"context": 300}, "no passage fits into what the model reads: of llm.context 300"),
        ({"tokenizer": "none.json"}, "llm.tokenizer none.json cannot be read: No such file"),
    ],
)
def test_what_can_be_mended_is_said_with_what_mends_it(
    run: Run, between: Between, llm: dict[str, Any], said: str
) -> None:
    done = asked(run, between, **llm)
    assert done.status == 2
    assert KEPT in done.out
    assert said in done.err
    assert KEY not in done.out + done.err


def test_a_search_that_a_model_was_to_help_says_what_can_be_mended_beside_what_it_finds(
    run: Run, between: Between
) -> None:
    for llm, said in (({"api_key": "wrong"}, "refuses the key"), ({"model": "voyage/x"}, "voyage cannot complete")):
        asked(run, between, **llm)
        for helped in ("--multi-query=2", "--llm-filter"):
            done = run("search", QUESTION, helped)
            assert (done.status, said in done.err) == (2, True)
            assert "Samples are kept for 15 days by default." in done.out


def test_a_prompt_without_its_fields_costs_the_words_alone(run: Run, between: Between) -> None:
    for text, said in (
        ("=== passage\n{text} {n} {mark}\n=== user\n{question}\n", "prompt 'own.txt' lacks {context}"),
        ("=== passage\n{n} {mark}\n=== user\n{context} {question}\n", "prompt 'own.txt' lacks {text} in its passage"),
        ("Answer {question}", "its parts are `=== passage` and `=== user`"),
        ("=== passage\n{txt}\n=== user\n", "unknown field {txt} of 'passage'; did you mean {text}?"),
    ):
        Path("own.txt").write_text(text, encoding="utf-8")
        done = asked(run, between, answer={"prompt": "own.txt"})
        assert done.status == 2
        assert KEPT in done.out
        assert said in done.err
    assert run("doctor").status == 1
    assert between.requests == []


def test_an_answer_that_makes_no_sense_is_not_shown_as_one(run: Run, between: Between) -> None:
    for piece, said in (
        (b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n', "it is not UTF-8 at byte"),
        (b"data: {oops\n\n", "a piece that is not JSON ('{oops')"),
        (b'data: {"choices": 7}\n\n', "a piece of another shape"),
    ):
        between.insert_bytes(piece, 1)
        done = asked(run, between)
        assert done.status == 1
        assert KEPT in done.out
        assert said in done.err


def test_an_answer_that_breaks_off_stands_still_or_never_begins_is_quoted(run: Run, between: Between) -> None:
    between.ends(1)
    between.stall_after(1)
    between.stall_after(0)
    silent = "sent nothing for 0.2 s (llm.timeout)"
    for seconds, said in ((30, "broke off in the middle"), (0.2, silent), (0.2, silent)):
        done = asked(run, between, "--stream", timeout=seconds)
        assert done.status == 1
        assert KEPT in done.out
        assert said in done.err


def test_an_answer_without_an_end_is_cut(run: Run, between: Between) -> None:
    between.repeat_event(1)
    done = asked(run, between, max_tokens=20)
    assert done.status == 0
    assert "the answer was cut at the token limit" in done.err


@pytest.mark.parametrize("command", ["ask", "search", "ask --pipeline p", "search --pipeline p", "chat"])
def test_an_embedder_that_cannot_be_used_leaves_the_words(
    run: Run, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with standing(backends.ollama("")) as ollama, standing(backends.voyage) as voyage:
        name, _, more = command.partition(" ")
        for status, embed, said in (
            (2, {"model": "ollama/nomic-embed-text", "base_url": ollama.url}, "ollama pull nomic-embed-text"),
            (2, {"model": "voyage/voyage-3.5", "base_url": voyage.url, "api_key": "wrong"}, "refuses the key (401"),
            (2, {"model": "voyage/voyage-3.5"}, "voyage needs a key: set embed.api_key"),
            (2, {"model": "nothing"}, "unknown embedder 'nothing'"),
            (2, {"model": "nobody/x"}, "unknown vendor 'nobody'"),
            (2, {"model": "anthropic/x"}, "anthropic cannot embed"),
            (2, {"model": "ollama/x"}, "how many tokens x reads is not known: set embed.reads"),
            (2, {"model": "fastembed/nosuch", "reads": 10}, "fastembed knows no model 'nosuch'"),
            (2, {"model": "minilm", "dimensions": 99}, "gives vectors of 384 numbers, not of 99"),
            (2, {"model": "openai/x", "base_url": "nonsense"}, "invalid embed.base_url: expected a URL"),
            (1, {"model": "ollama/all-minilm", "base_url": "http://127.0.0.1:9"}, "cannot be reached"),
        ):
            config = {
                "embed": {**embed, "retries": 0},
                "external": {"embedding": True},
                "pipelines": [{"name": "p", "collections": ["default"]}],
            }
            Path("ragstone.yaml").write_text(json.dumps(config), encoding="utf-8")
            monkeypatch.setattr("sys.stdin", io.StringIO(f"{QUESTION}\n"))
            done = run(name, *([] if name == "chat" else [QUESTION]), *more.split())
            assert (done.status, said) == (status, said)
            assert "Samples are kept for 15 days by default." in done.out
            assert said in done.err
            assert "fallback=keyword-only" in done.err


def test_a_pipelines_check_names_the_embedder_that_cannot_be_used(run: Run) -> None:
    text = "embed: {model: anthropic/x}\npipelines: [{name: p, collections: [default]}]"
    Path("ragstone.yaml").write_text(text, encoding="utf-8")
    done = run("pipelines", "--check")
    assert done.status == 1
    assert "problem: default: embed.model 'anthropic/x': anthropic cannot embed" in done.out


def test_a_model_that_is_not_pulled_names_the_command(run: Run) -> None:
    with standing(backends.ollama("")) as ollama:
        done = asked(run, ollama, model="ollama/llama3.2")
        assert done.status == 2
        assert KEPT in done.out
        assert "ollama pull llama3.2" in done.err
