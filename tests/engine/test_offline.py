"""Nothing leaves the machine: a whole run from folder to answer with every socket to elsewhere forbidden."""

import io
import json
import socket
from pathlib import Path
from typing import Any

import pytest

import ragstone
from tests.commands import Run


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every attempt to reach something outside of this process: none gets anywhere."""
    tried: list[Any] = []

    def refuse(self: socket.socket, address: Any) -> None:
        tried.append(address)
        raise OSError("no network here")

    def unresolved(*args: Any, **kwargs: Any) -> None:
        tried.append(args)
        raise OSError("no names here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", unresolved)
    return tried


def test_every_command_does_its_work_without_a_socket(
    run: Run, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: list[Any]
) -> None:
    asked = "For how many days are samples retained by default?"
    golden = tmp_path / "golden.jsonl"
    golden.write_text(json.dumps({"question": asked, "expected_files": ["storage.md"]}), encoding="utf-8")
    monkeypatch.setenv("RAGSTONE_OFFLINE", "true")
    for words, shown in (
        (("ingest", docs), "added"),
        (("search", asked), "storage.md"),
        (("ask", asked), "15 days"),
        (("chat",), "15 days"),
        (("explain", asked, "--doc", "storage.md"), "storage.md"),
        (("extract", docs / "storage.md"), "15 days"),
        (("eval", "--golden", golden, "--answers"), "answered_share"),
        (("guard", docs / "storage.md"), "15 days"),
        (("doctor",), ""),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(asked))
        done = run(*words)
        assert (done.status, shown in done.out) == (0, True), (words, done)
    assert tried == []


def test_from_folder_to_answer_without_a_socket(docs: Path, tmp_path: Path, tried: list[Any]) -> None:
    with ragstone.open(tmp_path / "store", offline=True) as kb:
        kb.ingest(docs)
        answer = kb.ask("For how many days are samples retained by default?")
        assert "15 days" in answer.text
        assert kb.doctor() == []
    assert tried == []
    elsewhere = {"model": "openai/text-embedding-3-small", "api_key": "k"}
    with ragstone.open(tmp_path / "store", offline=True, embed=elsewhere, external={"embedding": True}) as kb:
        found = kb.search("samples")
        assert found.hits
        assert "offline is true" in found.notes[0].message
        assert "offline is true" in kb.doctor()[0]
    assert tried == []
    # What the configuration names is all that is asked for.
    there = {"model": "ollama/all-minilm", "base_url": "http://127.0.0.1:9", "retries": 0}
    llm = {"model": "ollama/any", "base_url": "http://127.0.0.1:9", "retries": 0}
    with ragstone.open(tmp_path / "store", offline=True, embed=there, llm=llm) as kb:
        assert len([problem for problem in kb.doctor() if "cannot be reached" in problem]) == 2
    assert tried
    assert all("127.0.0.1" in str(address) and "9" in str(address) for address in tried)
