"""`ragstone.connect` and `--server`: a server asked as if its collection were open here."""

import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ragstone
from ragstone import Forbidden, NotBuilt, Unavailable, UsageError, Where
from ragstone.core.errors import QueueFull
from ragstone.core.filters import Condition
from ragstone.engine.remote import transport
from tests.commands import Run
from tests.server.conftest import QUESTION, Kept, Served, serve_program

OFF_TOPIC = "Who won the chess championship in Reykjavik?"


@pytest.fixture(scope="module")
def server(made: Kept, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("remote")
    shutil.copytree(made.folder / "store", folder / "store")  # a test uploads into a collection of its own
    config = folder / "ragstone.yaml"
    config.write_text(
        "pipelines: [{name: handbook, collections: [default]}, {name: odd, collections: [nope]}]", "utf-8"
    )
    with serve_program("--store", f"embedded:{folder / 'store'}", "--config", config) as served:
        yield served


@pytest.fixture
def remote(server: Served) -> Iterator[ragstone.RemoteKnowledge]:
    with ragstone.connect(server.url) as kb:
        yield kb


@pytest.fixture
def local(kept: Kept) -> Iterator[ragstone.Knowledge]:
    with ragstone.open(settings=kept.settings) as kb:
        yield kb


def same(one: Any, other: Any) -> None:
    """The same hits; times differ, and the passages of a server have their secrets masked."""
    assert [(h.chunk.id, round(h.score, 6), h.chunk.spans, h.duplicates) for h in one] == [
        (h.chunk.id, round(h.score, 6), h.chunk.spans, h.duplicates) for h in other
    ]


def test_searches_and_answers_are_those_of_the_store(
    remote: ragstone.RemoteKnowledge, local: ragstone.Knowledge
) -> None:
    same(remote.search(QUESTION), local.search(QUESTION))
    where = Where(paths=("alerts.md",), conditions=(Condition("path", "ILIKE", "ALERTS%"),))
    same(remote.search("notifications", where=where, top_k=2), local.search("notifications", where=where, top_k=2))
    theirs, ours = remote.ask(QUESTION), local.ask(QUESTION)
    assert (theirs.text, theirs.sentences, theirs.mode) == (ours.text, ours.sentences, ours.mode)
    assert [c.spans for c in theirs.citations] == [c.spans for c in ours.citations]
    same(theirs.hits, ours.hits)
    refused, again = remote.ask(OFF_TOPIC), local.ask(OFF_TOPIC)
    assert (refused.abstained, refused.reason) == (True, again.reason)
    same(refused.closest, again.closest)
    assert remote.explain(QUESTION, path="storage.md").stage == "found"
    assert "15 days" in remote.context(QUESTION)


def test_events_pipelines_conversations_and_listings(
    remote: ragstone.RemoteKnowledge, local: ragstone.Knowledge
) -> None:
    assert [e.name for e in remote.events(QUESTION)] == [e.name for e in local.events(QUESTION)]
    same(remote.pipeline("handbook").search(QUESTION), local.search(QUESTION))
    history = ({"role": "user", "content": "How are samples kept?"}, {"role": "assistant", "content": "On disk."})
    assert "15 days" in remote.ask("And for how long?", history=history).text
    assert {one.path for one in remote.documents()} == {one.path for one in local.documents()}
    assert [one.scope for one in remote.collections()] == [one.scope for one in local.collections()]
    assert (remote.info().chunks, remote.info().model) == (local.info().chunks, local.info().model)


def test_a_document_is_uploaded_found_and_deleted(server: Served, tmp_path: Path) -> None:
    (tmp_path / "zoo.md").write_text("# Zoo\n\nThe okapi eats 30 kg of leaves a day.\n", "utf-8")
    with ragstone.connect(server.url, collection="zoo") as kb:
        kb.upload(tmp_path / "zoo.md", "animals/zoo.md")
        assert kb.search("okapi").hits[0].chunk.document.path == "animals/zoo.md"
        [document] = kb.documents()
        kb.delete(document)
        assert kb.documents() == []


def test_texts_are_documents_and_go_by_path_or_source(server: Served) -> None:
    zoo = {"text": "# Zoo\n\nThe okapi eats leaves.", "meta": {"tags": ["zoo"]}}
    given: dict[str, Any] = {"a.md": zoo, "b.txt": b"Tapirs swim."}
    with ragstone.connect(server.url, collection="texts") as kb:
        run = kb.ingest_texts({**given, "c.txt": "Lions sleep.", "d.txt": ""}, name="notes")
        assert (run.source, run.stats["documents"]["added"]) == ("notes", 3)
        assert [one["reason"] for one in run.stats["skipped"]] == ["empty"]
        assert kb.search("okapi", where=Where(tags=("zoo",))).hits[0].chunk.document.path == "a.md"
        document, text = kb.record("b.txt")
        assert (document.source, text) == ("notes", "Tapirs swim.")
        assert kb.delete("b.txt") == kb.delete(kb.documents()[0]) == kb.delete(source="notes") == 1
        assert kb.documents() == []
        for call, said in (
            (lambda: kb.record("b.txt"), "there is no document 'b.txt'"),
            (kb.delete, "nothing was removed"),
            (lambda: kb.ingest_texts({"../a.md": "x"}), "invalid path"),
            (lambda: kb.ingest_texts({"a.md": "x"}, name="uploads"), "the source 'uploads' holds"),
            (lambda: kb.ingest_texts({"a.txt": {"text": "x", "meta": {"a": 1}}}), "cannot have `meta`"),
            (lambda: kb.ingest_texts({"a.md": {"txt": "x"}}), "unknown field"),
        ):
            with pytest.raises(UsageError, match=said):
                call()


def test_errors_are_those_of_the_library(server: Served, remote: ragstone.RemoteKnowledge) -> None:
    with pytest.raises(NotBuilt):
        ragstone.connect(server.url, collection="nope").search("x")
    with pytest.raises(NotBuilt):
        remote.pipeline("odd").ask("x")
    with pytest.raises(UsageError, match="top_k"):
        remote.search("x", top_k=-1)
    with pytest.raises(UsageError, match=r"nothing\.md cannot be read: No such file"):
        remote.upload("nothing.md")
    with pytest.raises(UsageError, match="refuses the key"):
        ragstone.connect(server.url, key="rag_0123456789abcdef_" + "x" * 43).search("x")
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9 cannot be reached"):
        ragstone.connect("http://127.0.0.1:9").search("x")


def test_a_key_decides_who_asks(kept: Kept, tmp_path: Path) -> None:
    with serve_program("--store", kept.settings.store, RAGSTONE_ACCESS__TRUSTED="false") as served:
        with pytest.raises(UsageError, match="refuses the key"):
            ragstone.connect(served.url).search("x")
        reader = ragstone.connect(served.url, key=kept.keys["read"])
        assert reader.search(QUESTION).hits
        with pytest.raises(Forbidden):
            reader.search(QUESTION, where=Where(allow_restricted=True))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:8080", "expected http://HOST:PORT"),
        ("ftp://host", "expected http://HOST:PORT"),
        ("http://host:99999", "invalid address"),
        ("http://user:word@host", "the key stands in `key`"),
    ],
)
def test_odd_addresses_are_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ragstone.connect(url)


def test_the_command_line_asks_a_server(run: Run, server: Served) -> None:
    asked = run("ask", "How", "long", "are", "samples", "kept?", "--server", server.url)
    assert asked.status == 0
    assert "Samples are kept for 15 days by default. [1]" in asked.out
    assert "storage.md:5" in asked.out
    found = run("search", QUESTION, "--server", server.url, "--pipeline", "handbook")
    assert "storage.md:1-9" in found.out
    for wrong in (("--store", "x"), ("--quote",), ("--model", "openai/x")):
        refused = run("ask", "x", "--server", server.url, *wrong)
        assert (refused.status, refused.out) == (2, "")
        assert "--server" in refused.err
    away = run("search", "x", "--server", "http://127.0.0.1:9")
    assert (away.status, away.out) == (1, "")
    assert "cannot be reached" in away.err


def test_a_server_of_another_kind_is_named(fake: Callable[[bytes], str]) -> None:
    for body in (b"<html>", b"[1]", b'{"error": 7}'):
        with pytest.raises(Unavailable, match="is it a server of Ragstone"):
            ragstone.connect(fake(body)).search("x")


def test_a_busy_server_is_asked_again_when_it_says_and_not_for_ever(
    fake: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waits = 0.0, list[float]()

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        waits.append(seconds)

    monkeypatch.setattr(transport, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: now))
    busy = b'{"error": {"code": "busy", "message": "busy"}}'
    with pytest.raises(QueueFull):
        ragstone.connect(fake(busy)).search("x")
    assert 2 < len(waits) <= 10  # of 3 to 4.5 s each, within 30
    assert all(3.0 <= wait <= 4.5 for wait in waits)
    waits.clear()
    with pytest.raises(Unavailable, match="is it a server of Ragstone"):  # what it says to the third request
        ragstone.connect(fake(busy + b"!!")).search("x")
    assert len(waits) == 2


@pytest.fixture
def fake() -> Iterator[Callable[[bytes], str]]:
    servers = []

    def start(body: bytes) -> str:
        """Answers with this; where it is `busy`, with 429, for as many requests as it has `!` at its end."""
        asked = count()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                busy = b"busy" in body and (tries := next(asked)) < (body.count(b"!") or tries + 1)
                self.send_response(429 if busy else 500 if b"error" in body else 200)
                self.send_header("Retry-After", "3")
                self.end_headers()
                self.wfile.write(body.rstrip(b"!") if busy else b"[1]" if b"busy" in body else body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/rag/v1"])
def test_the_address_for_clients_of_openai_is_told_apart(end: str) -> None:
    with (
        pytest.raises(ragstone.UsageError, match="leave out the /v1"),
        ragstone.connect(f"http://localhost:8080{end}") as kb,
    ):
        kb.search("samples")
