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
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(docs)
        answer = kb.ask("For how many days are samples retained by default?")
        assert "15 days" in answer.text
        assert kb.doctor() == []
    assert tried == []
