"""The memory of a server over many requests: of all kinds, by several clients, with uploads and removals among them.

    python benchmarks/serving/memory.py [FOLDER] [--requests 100000] [--clients 4]

FOLDER is ingested into a store of its own [default: the guides of this repository]. Of a hundred requests 84 are
searches by keyword, five hybrid ones, one a quoted answer, five show a document or a list, five are mistakes; every
500th uploads a document and removes it again. Prints the resident memory after each tenth, and how it grew from the
first one on.
"""

import argparse
import http.client
import itertools
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import ragstone

DOCS = Path(__file__).parents[2] / "docs" / "how-to"
UPLOAD_EVERY = 500
JSON = {"Content-Type": "application/json"}
HEAD = '--cut\r\nContent-Disposition: form-data; name="file"; filename="{}.md"\r\n\r\n'
FORM = HEAD + "# Sluice {}\n\nOpens at dawn.\r\n--cut--\r\n"
Request = tuple[str, str, bytes | None, dict[str, str]]


def main() -> None:
    """Fill a store, serve it, and press it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=str(DOCS))
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragstone-memory-") as name:
        store = f"embedded:{name}/store"
        with ragstone.open(store) as kb:
            kb.ingest(given.folder)
            documents = [(one.id, one.title or one.path) for one in kb.documents()]
        command = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", store]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            press(process, find_port(process), documents, given.requests, given.clients)
        finally:
            process.terminate()
            process.wait(60)


def press(
    process: "subprocess.Popen[str]", port: int, documents: list[tuple[str, str]], count: int, clients: int
) -> None:
    """Ask, and print the memory after each tenth."""
    begun, marks, statuses = time.monotonic(), [measure_memory(process.pid)], Counter[int]()
    print(f"ready: {marks[0]:.0f} MB", flush=True)
    for tenth in range(10):
        shares = [list(range(tenth * count // 10 + n, (tenth + 1) * count // 10, clients)) for n in range(clients)]
        threads = [threading.Thread(target=ask, args=(port, documents, share, statuses)) for share in shares]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        marks.append(measure_memory(process.pid))
        done = (tenth + 1) * count // 10
        print(f"{done:>8,} requests, {time.monotonic() - begun:5.0f} s: {marks[-1]:.0f} MB", flush=True)
    later = marks[1:]
    print(f"from the first tenth on: {100 * (later[-1] / later[0] - 1):+.1f} % at the end, ", end="")
    print(f"{100 * (min(later) / later[0] - 1):+.1f} to {100 * (max(later) / later[0] - 1):+.1f} % on the way")
    print("statuses:", dict(sorted(statuses.items())))


def ask(port: int, documents: list[tuple[str, str]], numbers: list[int], statuses: Counter[int]) -> None:
    """Send the requests of these numbers on one connection."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    own: Counter[int] = Counter()
    for number in numbers:
        for method, path, body, headers in make_requests(number, documents):
            line.request(method, path, body, headers)
            reply = line.getresponse()
            told = reply.read()
            own[reply.status] += 1
            if reply.status == 201:
                line.request("DELETE", f"/v1/documents/{json.loads(told)['id']}")
                reply = line.getresponse()
                reply.read()
                own[reply.status] += 1
    line.close()
    statuses.update(own)


def make_requests(number: int, documents: list[tuple[str, str]]) -> Iterator[Request]:
    """The request of a number, from the same ones in the same order each time."""
    identity, title = documents[number % len(documents)]
    kind = number % 20
    if number % 100 == 99:
        yield post("/v1/ask", {"query": title})
    elif kind < 16 or kind == 19:
        yield post("/v1/search", {"query": f"{title} {number % 97}", "mode": "keyword"})
    elif kind == 16:
        yield post("/v1/search", {"query": title})
    elif kind == 17:
        yield post("/v1/search", {} if number % 40 == 17 else {"query": title, "nothing": number})
    else:
        yield "GET", f"/v1/documents/{identity}" if number % 40 == 18 else "/v1/collections", None, {}
    if number % UPLOAD_EVERY == 0:
        form = FORM.format(f"upload-{number}", number).encode()
        yield "POST", "/v1/documents", form, {"Content-Type": "multipart/form-data; boundary=cut"}


def post(path: str, body: dict[str, object]) -> Request:
    """A request with a body of JSON."""
    return "POST", path, json.dumps(body).encode(), JSON


def find_port(process: "subprocess.Popen[str]") -> int:
    """The port of a server, once it is ready; what it logs is read and dropped."""
    assert process.stderr is not None
    ports = (re.search(r"listening on http://[^:]+:(\d+)", line) for line in process.stderr)
    port = int(next(filter(None, ports))[1])
    threading.Thread(target=deque, args=(process.stderr, 0), daemon=True).start()
    for _ in itertools.count():
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/ready", timeout=10).read()
            return port
        except OSError:
            time.sleep(0.05)
    raise AssertionError


def measure_memory(pid: int) -> float:
    """Resident megabytes of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("utf-8"))
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
