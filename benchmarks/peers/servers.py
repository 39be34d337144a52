"""Servers beside each other: start, memory, searches a second, over one collection with the same weights.

    PEERS/bin/python benchmarks/peers/servers.py FOLDER [--systems NAME …] [--seconds N] [--clients N …]

FOLDER is a collection in BEIR's form. Each system is filled first and reads what it kept when its server starts:
`ragstone serve`, hayhooks with a pipeline of Haystack, txtai's own API. All give the ten best passages with their text.
The load comes from `wrk` (Debian's package) on the same machine, so that it shares the cores with the server.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.serving.pressing import measure_memory, press_server

SERVED = Path(__file__).parent / "served"
QUESTIONS = 100
RESULTS = 10
LONGEST_START = 120.0  # seconds


@dataclass(frozen=True)
class Served:
    """How a server is started on a port, and how it is asked."""

    command: list[str]
    ask: "tuple[str, str, str]"  # method, path, body; `{}` is the question
    environment: dict[str, str] = field(default_factory=dict)

    def form(self, question: str) -> list[str]:
        """Method, path and body of the request for one question."""
        method, path, body = self.ask
        return [method, path.replace("{}", urllib.parse.quote(question)), body.replace('"{}"', json.dumps(question))]


def main() -> None:
    """Print a line for each figure of each system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", nargs="*", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 32])
    given = parser.parse_args()
    questions = [row["text"] for row in read_lines(given.folder / "queries.jsonl")][:QUESTIONS]
    for name in given.systems:
        with tempfile.TemporaryDirectory() as work:
            port = find_port()
            served = SYSTEMS[name](given.folder, Path(work), port)
            measure_server(name, served, port, questions, given.seconds, given.clients)


def read_lines(file: Path) -> list[dict[str, str]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_texts(folder: Path) -> list[tuple[str, str]]:
    """Id and text, with the title before it, of each document."""
    return [
        (row["_id"], "\n".join(filter(None, (row.get("title"), row["text"]))))
        for row in read_lines(folder / "corpus.jsonl")
    ]


def find_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def serve_ragstone(folder: Path, work: Path, port: int) -> Served:
    """This project with its defaults: an embedded store on disk."""
    command = [sys.executable, "-m", "ragstone"]
    store = f"embedded:{work}/store"
    fill = [*command, "eval", "--beir", str(folder), "--store", store]
    subprocess.run(fill, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    serve = [*command, "serve", "--port", str(port), "--store", store]
    return Served(serve, ("POST", "/v1/search", json.dumps({"query": "{}", "top_k": RESULTS})))


def find_modules() -> dict[str, str]:
    """The environment in which a server finds the shared model."""
    return {"PYTHONPATH": f"{SERVED}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def serve_haystack(folder: Path, work: Path, port: int) -> Served:
    """Haystack's store in memory, filled as `systems.py` does, and served by hayhooks."""
    sys.path.insert(0, str(SERVED))
    from shared_model import embed
    from systems import Haystack

    system = Haystack("hybrid", embed)
    system.fill(folder, read_texts(folder))
    system._store.save_to_disk(f"{work}/store.json")
    hayhooks = str(Path(sys.executable).parent / "hayhooks")
    about = {
        "PYTHONPATH": f"{SERVED}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "SERVED_STORE": f"{work}/store.json",
    }
    (Path(work) / "pipelines").mkdir()
    (Path(work) / "pipelines" / "search").symlink_to(SERVED / "haystack")
    command = [hayhooks, "run", "--host", "127.0.0.1", "--port", str(port), "--pipelines-dir", f"{work}/pipelines"]
    return Served(command, ("POST", "/search/run", json.dumps({"query": "{}"})), about)


def serve_txtai(folder: Path, work: Path, port: int) -> Served:
    """txtai's index with its texts, hybrid by its own weights, served by its own application."""
    sys.path.insert(0, str(SERVED))
    os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"
    from txtai import Embeddings

    kind = {"method": "external", "transform": "shared_model.embed", "hybrid": True, "content": True}
    index = Embeddings(**kind)
    index.index([(id_, text, None) for id_, text in read_texts(folder) if text.strip()])
    index.save(f"{work}/index")
    index.close()
    (work / "config.yml").write_text(f"path: {work}/index\nwritable: false\nembeddings: {json.dumps(kind)}\n")
    about = {**find_modules(), "CONFIG": f"{work}/config.yml", "ALLOW_RESOLVE_TRANSFORM": "True"}
    command = [sys.executable, "-m", "uvicorn", "txtai.api:app", "--host", "127.0.0.1", "--port", str(port)]
    return Served(command, ("GET", f"/search?query={{}}&limit={RESULTS}", ""), about)


SYSTEMS = {"ragstone": serve_ragstone, "hayhooks": serve_haystack, "txtai": serve_txtai}


def measure_server(
    name: str, served: Served, port: int, questions: Sequence[str], seconds: int, clients: Sequence[int]
) -> None:
    """Start it, ask each question once, press it, stop it."""
    url = f"http://127.0.0.1:{port}"
    requests = [served.form(one) for one in questions]
    begun = time.perf_counter()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(served.command, env={**os.environ, **served.environment}, stdout=quiet, stderr=quiet)
    try:
        found = wait_for(url, requests[0], process)
        print(f"{name}: start to the first answer {time.perf_counter() - begun:.2f} s; results {found}")
        for one in requests:
            send(url, one)
        print(f"{name}: memory after {len(requests)} searches {measure_memory(process.pid)} MB")
        for number in clients:
            had = press_server(url, requests, clients=number, seconds=seconds)
            print(
                f"{name}: {number} clients: {had.rate:.0f} searches a second, {had.refused} refused; "
                f"p50 {had.p50}, p95 {had.p95} ms",
                flush=True,
            )
        print(f"{name}: memory at the end {measure_memory(process.pid)} MB")
    finally:
        process.terminate()
        process.wait(60)


def send(url: str, request: Sequence[str]) -> bytes:
    """The body of an answer."""
    method, path, body = request
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}{path}", body.encode() or None, headers, method=method)
    with urllib.request.urlopen(asked, timeout=60) as reply:
        return bytes(reply.read())


def wait_for(url: str, request: Sequence[str], process: "subprocess.Popen[bytes]") -> int:
    """How many results the first answer has; ends when the server ends without one, or gives none in two minutes."""
    until = time.monotonic() + LONGEST_START
    while process.poll() is None and time.monotonic() < until:
        try:
            found = json.loads(send(url, request))
        except (OSError, urllib.error.HTTPError):
            time.sleep(0.01)
            continue
        return len(found if isinstance(found, list) else found.get("results", found.get("result", found.get("hits"))))
    raise SystemExit(f"no answer of the server: {process.args}")


if __name__ == "__main__":
    main()
