"""The process that a host starts: what ends it, and that stdout carries the protocol alone."""

import itertools
import json
import signal
import subprocess

import pytest

from tests.mcp.conftest import Place
from tests.patience import HANG
from tests.processes import family, gone

OPENING = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
QUESTION = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"query": "heron"}},
}


def write(process: subprocess.Popen[bytes], *messages: object) -> None:
    assert process.stdin is not None
    for message in messages:
        process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def open_session(process: subprocess.Popen[bytes]) -> None:
    write(process, *OPENING)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["id"] == 1


def test_the_end_of_stdin_ends_it(place: Place) -> None:
    process = place.start()
    open_session(process)
    out, err = process.communicate(timeout=HANG)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize(
    ("number", "busy"), [*itertools.product([signal.SIGINT, signal.SIGTERM], [False, True]), (signal.SIGHUP, True)]
)
def test_a_signal_ends_it_while_it_waits_for_its_host(place: Place, number: signal.Signals, busy: bool) -> None:
    process = place.start()
    open_session(process)
    if busy:
        write(process, *([QUESTION] * 3))
    started = family(process.pid)
    process.send_signal(number)
    assert process.wait(timeout=HANG) == 130  # stdin is still open
    _, err = process.communicate()
    assert b"Traceback" not in err
    assert all(gone(child) for child in started)


def test_stdout_carries_the_protocol_alone_whatever_comes_in(place: Place) -> None:
    process = place.start()
    open_session(process)
    write(process, b"no json\n", b"\xff\xfe\n", b"[]\n", b'{"jsonrpc": "2.0"}\n', b"a" * (5 << 20) + b"\n", QUESTION)
    assert process.stdout is not None
    answer = json.loads(process.stdout.readline())
    while answer.get("id") != 2:
        assert answer["jsonrpc"] == "2.0"
        answer = json.loads(process.stdout.readline())
    assert "results" in answer["result"]["structuredContent"]
    assert process.communicate(timeout=HANG) == (b"", b"")


@pytest.mark.parametrize(
    ("arguments", "key", "message"),
    [
        ([], "rag_no_key", b"error: invalid key: expected a Ragstone key"),
        (["--http", "--port", "0"], "rag_no_key", b"error: invalid key: expected a Ragstone key"),
        (["--port", "1"], None, b"error: --host, --port and --allowed-host belong to --http: add --http"),
        (["--http", "--port", "70000"], None, b"error: Invalid value for '--port'"),
        (["--http", "--host", "no.such.host.invalid"], None, b"error: cannot listen on 'no.such.host.invalid'"),
        (["--config", "none.yaml"], None, b"error: "),
    ],
)
def test_what_cannot_start_is_a_sentence(place: Place, arguments: list[str], key: str | None, message: bytes) -> None:
    process = place.start(*arguments, key=key)
    out, err = process.communicate(timeout=HANG)
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(message), err
    assert err.count(b"\n") == 1


def test_a_missing_extra_is_a_sentence(place: Place) -> None:
    program, *_ = place.command()
    script = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['ragstone', 'mcp']\nfrom ragstone.cli import main\nmain()"
    )
    done = subprocess.run(
        [program, "-c", script],
        capture_output=True,
        text=True,
        env=place.environment,
        cwd=place.folder,
        timeout=HANG,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: ragstone mcp needs packages that are not installed; run: pip install 'ragstone[mcp]'\n"
    )
