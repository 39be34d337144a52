"""Nothing leaves the machine: a whole run from folder to answer with every socket to elsewhere forbidden."""

import socket
from pathlib import Path
from typing import Any

import pytest

import ragstone


def test_from_folder_to_answer_without_a_socket(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
