"""A worker that is killed in the middle of an upload leaves nothing half, and the others serve on."""

import os
import signal
import socket
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests.commands import Run
from tests.patience import HANG, until
from tests.processes import family, gone
from tests.server.conftest import QUESTION, serve_program

FIRST = "# Storage\n\nSamples are kept for 15 days by default.\n"
BOUNDARY = "cut"


def form(text: str) -> bytes:
    """The body of an upload of `large.md`."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.md"\r\n\r\n'
    return f"{head}{text}\r\n--{BOUNDARY}--\r\n".encode()


def send(port: int, body: bytes, sent: int) -> socket.socket:
    """A connection on which the first bytes of an upload have gone."""
    line = socket.create_connection(("127.0.0.1", port))
    head = f"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    line.sendall(f"{head}Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n".encode() + body[:sent])
    return line


def find_worker(parent: int, line: socket.socket) -> int | None:
    """The process that has the other end of a connection."""
    ends = [f"{port:04X}" for port in (line.getpeername()[1], line.getsockname()[1])]
    for row in Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]:
        local, remote, inode = (row.split()[n] for n in (1, 2, 9))
        if [local.partition(":")[2], remote.partition(":")[2]] != ends or inode == "0":
            continue
        for pid in family(parent):
            for handle in Path(f"/proc/{pid}/fd").glob("*"):
                if os.path.exists(handle) and os.readlink(handle) == f"socket:[{inode}]":
                    return pid
    return None


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="finds connections by Linux's /proc")
def test_a_worker_killed_in_an_upload_leaves_nothing_half(tmp_path: Path, run: Run) -> None:
    store = tmp_path / "store"
    text = "".join(f"# Part {n}\n\nThe sluice number {n} opens at dawn and closes at dusk.\n\n" for n in range(2000))
    body = form(text)
    with serve_program("--store", store, "--workers", "2", RAGSTONE_EMBED__MODEL="none") as served:
        until(lambda: httpx2.get(f"{served.url}/v1/live", timeout=HANG).status_code == 200)
        first = httpx2.post(f"{served.url}/v1/documents", files={"file": ("first.md", FIRST)}, timeout=HANG)
        assert first.status_code == 201
        for sent in (len(body) // 2, len(body)):
            with send(served.port, body, sent) as line:
                victim = until(partial(find_worker, served.process.pid, line))
                assert victim is not None
                os.kill(victim, signal.SIGKILL)
                assert gone(victim)
            for _ in range(5):  # one of them serves on
                found = httpx2.post(f"{served.url}/v1/search", json={"query": QUESTION}, timeout=HANG).json()
                assert found["hits"][0]["document"]["path"] == "first.md"
            listed = httpx2.get(f"{served.url}/v1/documents", timeout=HANG).json()["documents"]
            assert [one["path"] for one in listed] in (["first.md"], ["first.md", "large.md"])
            if len(listed) == 1:
                hits = httpx2.post(f"{served.url}/v1/search", json={"query": "sluice opens at dawn"}, timeout=HANG)
                assert "sluice" not in hits.text
        again = httpx2.post(f"{served.url}/v1/documents", files={"file": ("large.md", text)}, timeout=HANG)
        assert again.status_code == 201
        whole = httpx2.get(f"{served.url}/v1/documents/{again.json()['id']}", timeout=HANG).json()
        assert whole["text"].count("sluice") == 2000
        incoming = tmp_path / "store.uploads" / "incoming"
        until(lambda: not list(incoming.iterdir()))  # those that came in place of the killed ones cleared up
        assert served.stop() == 0
    assert run("doctor", "--store", store).status == 0
