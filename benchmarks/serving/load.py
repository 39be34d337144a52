"""A server under load: start, memory, the time of a question beside the library's, requests a second.

    python benchmarks/serving/load.py STORE [--seconds N] [--clients N ...]

STORE was filled by `ragstone ingest`. The load comes from `wrk` (Debian's package) on the same machine, so that both
share its cores. Questions are headings of the stored documents. Latencies are milliseconds: p50, p95 by `wrk`'s report.
"""

import argparse
import http.client
import json
import re
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import ragstone

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.serving.pressing import measure_memory, press_server

QUESTIONS = 100


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 32, 128])
    given = parser.parse_args()
    questions, library = _ask_library(given.store)
    begun = time.perf_counter()
    command = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", given.store]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        url = _find_url(process)
        _wait_for(url)
        print(f"start, to the first answer of /v1/live: {time.perf_counter() - begun:.2f} s")
        _wait_for(url, "/v1/ready")
        print(f"start, to ready: {time.perf_counter() - begun:.2f} s")
        print(f"memory when idle: {measure_memory(process.pid)} MB")
        line = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        print(f"the first answer: {_time(_post, line, '/v1/ask', questions[0]):.1f} ms")
        for path in ("/v1/search", "/v1/ask"):
            served = statistics.median(_time(_post, line, path, one) for one in questions)
            print(f"{path}, one client: {served:.1f} ms; by the library {library[path]:.1f} ms")
        print(f"memory after {2 * len(questions)} questions: {measure_memory(process.pid)} MB")
        for path in ("/v1/search", "/v1/ask"):
            for clients in given.clients:
                print(_press(url, path, questions, clients=clients, seconds=given.seconds), flush=True)
        print(f"memory at the end: {measure_memory(process.pid)} MB")
    finally:
        process.terminate()
        process.wait(60)


def _ask_library(store: str) -> tuple[list[str], dict[str, float]]:
    """The questions, and the median of each verb in this process, in milliseconds."""
    with ragstone.open(store) as kb:
        questions = [one.title or one.path for one in kb.documents()][:QUESTIONS]
        for question in questions[:10]:
            kb.ask(question)
        medians = {}
        for path, verb in (("/v1/search", kb.search), ("/v1/ask", kb.ask)):
            medians[path] = statistics.median(_time(verb, question) for question in questions)
        return questions, medians


def _time(work: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    work(*arguments)
    return 1000 * (time.perf_counter() - start)


def _find_url(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"listening on (\S+)", line):
            threading.Thread(target=process.stderr.read, daemon=True).start()  # the log of queries
            return found[1]
    raise SystemExit("the server did not start")


def _wait_for(url: str, path: str = "/v1/live") -> None:
    while True:
        try:
            urllib.request.urlopen(f"{url}{path}", timeout=10).read()
            return
        except OSError:
            time.sleep(0.01)


def _post(line: http.client.HTTPConnection, path: str, question: str) -> None:
    line.request("POST", path, json.dumps({"query": question}), {"Content-Type": "application/json"})
    reply = line.getresponse()
    reply.read()
    assert reply.status == 200, reply.status


def _press(url: str, path: str, questions: list[str], *, clients: int, seconds: int) -> str:
    requests = [["POST", path, json.dumps({"query": one})] for one in questions]
    had = press_server(url, requests, clients=clients, seconds=seconds)
    latencies = f"{had.p50}, {had.p95}, {had.p99} ms"
    return f"{path}, {clients} clients: {had.rate:.0f} answers a second, {had.refused} refused; {latencies}"


if __name__ == "__main__":
    main()
