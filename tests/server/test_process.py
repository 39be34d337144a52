"""The server as a program: start, streams over a socket, clients that go away, signals, several processes."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
import uvicorn

from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import Settings
from ragstone.server.listening import listen
from tests.commands import Run
from tests.patience import HANG, until
from tests.processes import family, gone, state
from tests.server.conftest import QUESTION, Kept, Served, serve_program

SLOW = """
import asyncio, json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        print("asked", flush=True)
        self.send_response(200); self.send_header("content-type", "text/event-stream"); self.end_headers()
        try:
            for n in range(10_000):
                piece = {"choices": [{"index": 0, "delta": {"content": "Samples are kept. "}}]}
                self.wfile.write(f"data: {json.dumps(piece)}\\n\\n".encode()); self.wfile.flush()
                import time; time.sleep(0.05)
        except OSError:
            print("gone", flush=True)
    def log_message(self, *args): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""
MESSAGES = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}


def test_it_starts_answers_and_ends_at_a_signal(kept: Kept) -> None:
    for how in (signal.SIGINT, signal.SIGTERM):
        with serve_program("--store", kept.folder / "store") as served:
            assert "no key is needed" in served.lines[0]
            reply = httpx2.post(f"{served.url}/v1/search", json={"query": QUESTION}, timeout=HANG)
            assert reply.json()["hits"][0]["document"]["path"] == "storage.md"
            # nadir: "POST /search with "generate": true. Response is text/plain with chunked transfer encoding"
            written = httpx2.post(f"{served.url}/search", json={"query": QUESTION, "generate": True}, timeout=HANG)
            assert written.headers["content-type"] == "text/plain; charset=utf-8"
            assert (written.headers["transfer-encoding"], "15 days" in written.text) == ("chunked", True)
            assert served.stop(how) == 0
            assert "Traceback" not in "".join(served.lines)


def test_a_port_in_use_an_odd_address_and_a_bad_certificate_are_one_sentence(
    kept: Kept, run: Run, tmp_path: Path
) -> None:
    store = ("--store", kept.folder / "store")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", port, *store)
        assert done.status == 2
        assert f"cannot listen on 127.0.0.1:{port}" in done.err
    assert run("serve", "--host", "nowhere.invalid", *store).status == 2
    (tmp_path / "bad.pem").write_text("no certificate")
    config = tmp_path / "c.yaml"
    config.write_text(f"serve: {{cert_file: {tmp_path}/bad.pem, key_file: {tmp_path}/bad.pem}}")
    done = run("serve", "--config", config, *store)
    assert done.status == 2
    assert "they must be PEM files" in done.err
    config.write_text(f"serve: {{cert_file: {tmp_path}/bad.pem, key_file: {tmp_path}/none.pem}}")
    done = run("serve", "--config", config, *store)
    assert done.status == 2
    assert f"serve.key_file {tmp_path}/none.pem cannot be read: No such file" in done.err
    assert run("serve", "--port", "70000").status == 2


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "ragstone.server.launch", raising=False)
    done = run("serve")
    assert done.status == 2
    assert "ragstone[server]" in done.err


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, signed by itself."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, cert


def test_it_speaks_tls(kept: Kept, tmp_path: Path) -> None:
    key, cert = make_certificate(tmp_path)
    tls = {"RAGSTONE_SERVE__KEY_FILE": str(key), "RAGSTONE_SERVE__CERT_FILE": str(cert)}
    with serve_program("--store", kept.folder / "store", **tls) as served:
        assert served.url.startswith("https://")
        import ssl

        context = ssl.create_default_context(cafile=str(cert))
        assert httpx2.get(f"{served.url}/v1/live", verify=context, timeout=HANG).status_code == 200


@pytest.fixture
def slow_vendor() -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def vendor_settings(vendor: "subprocess.Popen[str]") -> dict[str, str]:
    assert vendor.stdout is not None
    port = vendor.stdout.readline().strip()
    return {
        "RAGSTONE_LLM__MODEL": "openai/m",
        "RAGSTONE_LLM__BASE_URL": f"http://127.0.0.1:{port}/v1",
        "RAGSTONE_LLM__API_KEY": "k",
        "RAGSTONE_ANSWER__ABSTAIN": "never",
        "RAGSTONE_SERVE__HEARTBEAT": "0.05",
    }


@contextlib.contextmanager
def open_answer(kept: Kept, settings: dict[str, str]) -> Iterator[tuple[Served, Iterator[str]]]:
    """A server of its own, and the lines of an answer that it has begun to stream."""
    asked = {"query": QUESTION, "stream": True}
    with (
        serve_program("--store", kept.folder / "store", **settings) as served,
        httpx2.stream("POST", f"{served.url}/v1/ask", json=asked, timeout=HANG) as reply,
    ):
        pieces = reply.iter_lines()
        while "event: message" not in next(pieces):
            pass
        yield served, pieces


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_stops_the_model(
    kept: Kept, slow_vendor: "subprocess.Popen[str]", stream: bool
) -> None:
    settings = vendor_settings(slow_vendor)
    assert slow_vendor.stdout is not None
    with serve_program("--store", kept.folder / "store", **settings) as served:
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            body = json.dumps({"query": QUESTION, "stream": stream}).encode()
            head = f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
            seen = b""
            while stream and b"event: message" not in seen:
                seen += line.recv(65536)
            if not stream:
                assert slow_vendor.stdout.readline() == "asked\n"
        while slow_vendor.stdout.readline() != "gone\n":
            assert slow_vendor.poll() is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_at_once_what_the_first_waits_for(
    kept: Kept, slow_vendor: "subprocess.Popen[str]", workers: int
) -> None:
    settings = {**vendor_settings(slow_vendor), "RAGSTONE_SERVE__WORKERS": str(workers)}
    with open_answer(kept, settings) as (served, pieces):
        served.process.send_signal(signal.SIGTERM)

        def refuses() -> bool:
            try:
                socket.create_connection(("127.0.0.1", served.port)).close()
            except OSError:
                return True
            return False

        until(refuses)  # nobody new is let in
        for _ in range(50):  # the stream goes on, for longer than anything in between looks for the end of a server
            while "event: message" not in next(pieces):
                pass
        assert served.process.poll() is None
        assert served.stop() == 0
    assert "Traceback" not in "".join(served.lines)


STREAMS: tuple[tuple[str, dict[str, object], str], ...] = (
    ("/v1/ask", {"query": QUESTION, "stream": True}, 'event: error\ndata: {"code":"unavailable","message":"the server'),
    ("/v1/pipelines/p", {"query": QUESTION, "stream": True}, 'data: {"type":"error","error":"the server is stopping'),
    ("/v1/chat/completions", {"model": "p", **MESSAGES}, 'data: {"error":{"message":"the server is stopping'),
    ("/v1/responses", {"model": "p", "input": QUESTION, "stream": True}, "event: error\ndata: "),
)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_outlasts_the_drain_ends_with_an_error_of_its_kind(
    kept: Kept, slow_vendor: "subprocess.Popen[str]", tmp_path: Path, workers: int
) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("pipelines: [{name: p, collections: [default]}]\nserve: {drain: 1}\n")
    settings = {**vendor_settings(slow_vendor), "RAGSTONE_SERVE__WORKERS": str(workers)}
    with (
        serve_program("--config", config, "--store", kept.folder / "store", **settings) as served,
        contextlib.ExitStack() as stack,
    ):
        opened: list[tuple[Iterator[str], str]] = []
        for path, body, last in STREAMS:
            reply = stack.enter_context(httpx2.stream("POST", f"{served.url}{path}", json=body, timeout=HANG))
            pieces = reply.iter_text()
            while "data: " not in next(pieces):
                pass
            opened.append((pieces, last))
        asking = socket.create_connection(("127.0.0.1", served.port))
        head = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        asking.sendall(f"{head}Content-Length: 9\r\n\r\n{{".encode())
        served.process.send_signal(signal.SIGTERM)
        for pieces, last in opened:
            assert last in "".join(pieces)  # and the stream is whole: else reading it raises
        answer = b""
        while piece := asking.recv(65536):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b'"code":"unavailable"' in answer
        asking.close()
        assert served.process.wait(HANG) == 0
    assert "Traceback" not in "".join(served.lines)


@pytest.mark.parametrize(("drain", "number"), [("0", signal.SIGTERM), ("0.5", signal.SIGHUP)])
def test_a_short_drain_ends_what_still_runs(
    kept: Kept, slow_vendor: "subprocess.Popen[str]", drain: str, number: signal.Signals
) -> None:
    settings = {**vendor_settings(slow_vendor), "RAGSTONE_SERVE__DRAIN": drain}
    with open_answer(kept, settings) as (served, _):
        served.process.send_signal(number)
        assert served.process.wait(HANG) == 0


def test_a_worker_that_is_killed_is_replaced_and_each_has_its_own_places(
    kept: Kept, slow_vendor: "subprocess.Popen[str]"
) -> None:
    bounds = {"RAGSTONE_SERVE__CONCURRENCY": "1", "RAGSTONE_SERVE__QUEUE_SIZE": "0"}
    settings = {**vendor_settings(slow_vendor), **bounds}
    with serve_program("--store", kept.folder / "store", "--workers", "2", "--json", **settings) as served:

        def workers() -> list[int]:
            found = [pid for pid in family(served.process.pid) if state(pid) not in ("", "Z")]
            return [pid for pid in found if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")]

        until(lambda: len(workers()) == 2)
        for pid in workers():  # Ctrl-C goes to all of the terminal, also while they start
            os.kill(pid, signal.SIGINT)
        until(lambda: reaches(served.url))
        assert len(workers()) == 2
        victim = workers()[0]
        os.kill(victim, signal.SIGKILL)
        for _ in range(20):
            assert httpx2.get(f"{served.url}/v1/collections", timeout=HANG).status_code == 200
        until(lambda: len(workers()) == 2 and victim not in workers())
        check_places(served.url, processes=2)
        for pid in (served.process.pid, *workers()):  # as a terminal that is closed does
            os.kill(pid, signal.SIGHUP)
        assert served.process.wait(HANG) == 0
    said = [json.loads(line).get("message", "") for line in served.lines]  # also lines of questions
    assert "Traceback" not in "".join(said)
    assert any(message.startswith("store ") for message in said)
    assert any(message.startswith("ready after") for message in said)


def check_places(url: str, *, processes: int) -> None:
    """Each process answers one stream; all others are refused until one of these ends."""
    with contextlib.ExitStack() as stack:

        def ask() -> httpx2.Response:
            """On a connection of its own, which any process takes."""
            client = stack.enter_context(httpx2.Client(timeout=HANG))
            body = {"query": QUESTION, "stream": True}
            return stack.enter_context(client.stream("POST", f"{url}/v1/ask", json=body))

        taken: list[httpx2.Response] = []
        refused = 0
        while len(taken) < processes or refused < 10:
            answer = ask()
            if answer.status_code == 200:
                taken.append(answer)
                assert len(taken) <= processes
                continue
            refused += 1
            answer.read()
            assert (answer.status_code, answer.json()["error"]["code"]) == (429, "busy")
            assert int(answer.headers["retry-after"]) >= 1
            assert reaches(url)
        taken[0].close()
        until(lambda: ask().status_code == 200)  # its place is free again


def test_processes_end_with_the_one_that_keeps_them(kept: Kept) -> None:
    with serve_program("--store", kept.folder / "store", "--workers", "2") as served:
        until(lambda: reaches(served.url))
        children = family(served.process.pid)
        served.process.kill()
        assert all(gone(pid) for pid in children)


def reaches(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/v1/live").status_code == 200
    except httpx2.HTTPError:
        return False


def test_idle_and_slow_connections_keep_nobody_out(kept: Kept) -> None:
    with serve_program("--store", kept.folder / "store") as served:
        lines = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(300)]
        for line in lines[:150]:
            line.sendall(b"POST /v1/search HTTP/1.1\r\nHost: loc")
        assert httpx2.post(f"{served.url}/v1/search", json={"query": QUESTION}, timeout=HANG).status_code == 200
        flood = b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(100_000))
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            with_end = threading.Thread(target=lambda: _send(line, flood + b"\r\n"))
            with_end.start()
            assert b" 400 " in line.recv(65536).split(b"\r\n")[0]
            with_end.join(HANG)
        for line in lines:
            line.close()
        assert httpx2.get(f"{served.url}/v1/live", timeout=HANG).status_code == 200


def _send(line: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        line.sendall(data)


def test_the_log_is_json_and_a_failure_is_in_it(kept: Kept, tmp_path: Path) -> None:
    broken = tmp_path / "store"
    broken.mkdir()
    with serve_program("--store", broken) as served:
        os.chmod(broken, 0)
        httpx2.get(f"{served.url}/v1/collections", timeout=HANG)
        os.chmod(broken, 0o700)
    for line in served.lines[2:]:
        assert {"level", "http_status"} & json.loads(line).keys()


def test_small_answers_are_sent_at_once() -> None:
    with listen(Settings(serve=ServeSettings(port=0))) as (sock, _):
        sock.setblocking(True)
        with contextlib.closing(socket.create_connection(sock.getsockname(), HANG)):
            accepted, _ = sock.accept()
            with contextlib.closing(accepted):
                assert accepted.proto == socket.IPPROTO_TCP  # else asyncio leaves TCP_NODELAY off: 40 ms an answer


def test_in_another_thread_it_serves_without_signals() -> None:
    """As in a program or a test that starts it beside other work."""
    from ragstone.server.launch import _Server

    with ThreadPoolExecutor() as threads:
        threads.submit(_Server(uvicorn.Config("app")).handle_hang_up).result()
