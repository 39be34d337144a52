"""A server at its limits: the first piece of a stream, twice its capacity, memory over many requests.

    python benchmarks/serving/limits.py STORE [--overload SECONDS] [--endurance SECONDS] [--paths PATH ...]

STORE was filled by `ragstone ingest`. Capacity is what as many clients get as the server works on at once. Twice of it
is sent whether or not answers come. The load shares the cores with the server.
"""

import argparse
import asyncio
import collections
import http.client
import json
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import ragstone

QUESTIONS = 30
CLIENTS = 8  # serve.concurrency


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--overload", type=float, default=30.0)
    parser.add_argument("--endurance", type=float, default=180.0)
    parser.add_argument("--paths", nargs="*", default=["/v1/search", "/v1/ask"])
    given = parser.parse_args()
    with ragstone.open(given.store) as kb:
        questions = [one.title or one.path for one in kb.documents()][:QUESTIONS]
        library = statistics.median(_time_library(kb, question) for question in [*questions[:5], *questions])
    command = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", given.store]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        host = _find_host(process)
        served = statistics.median(_time_stream(host, question) for question in [*questions[:5], *questions])
        print(f"first piece of a streamed answer: {served:.1f} ms; by the library {library:.1f} ms", flush=True)
        for path in given.paths:
            asyncio.run(_overload(host, path, questions, given.overload))
        if given.endurance:
            asyncio.run(_endure(host, questions, given.endurance, process.pid))
    finally:
        process.terminate()
        process.wait(60)


def _time_library(kb: ragstone.Knowledge, question: str) -> float:
    begun = time.perf_counter()
    for event in kb.events(question):
        if event.name in ("message", "final_answer"):
            break
    return 1000 * (time.perf_counter() - begun)


def _time_stream(host: str, question: str) -> float:
    begun = time.perf_counter()
    line = http.client.HTTPConnection(host, timeout=60)
    body = json.dumps({"query": question, "stream": True})
    line.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
    reply = line.getresponse()
    while not reply.readline().startswith((b"event: message", b"event: final_answer")):
        pass
    took = 1000 * (time.perf_counter() - begun)
    line.close()
    return took


def _find_host(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    host = ""
    for line in process.stderr:
        if found := re.search(r"listening on (\S+)", line):
            host = urlsplit(found[1]).netloc
        if '"ready after' in line:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return host
    raise SystemExit("the server did not start")


async def _post(host: str, path: str, question: str) -> tuple[int, float]:
    """The status of a request on a connection of its own, and its milliseconds."""
    begun = time.perf_counter()
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    body = json.dumps({"query": question}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answered = await reader.read()
    writer.close()
    return int(answered.split(b" ", 2)[1]), 1000 * (time.perf_counter() - begun)


async def _press(host: str, path: str, questions: list[str], seconds: float) -> list[tuple[int, float]]:
    """What the clients get of whom each asks again when it was answered."""
    end, found = time.perf_counter() + seconds, []

    async def ask(number: int) -> None:
        while time.perf_counter() < end:
            number += 1
            found.append(await _post(host, path, questions[number % len(questions)]))

    await asyncio.gather(*(ask(number) for number in range(CLIENTS)))
    return found


async def _overload(host: str, path: str, questions: list[str], seconds: float) -> None:
    probe = min(seconds, 8.0)
    usual = await _press(host, path, questions, probe)
    rate, begun = len(usual) / probe, time.perf_counter()
    tasks: list[asyncio.Task[tuple[int, float]]] = []
    while (passed := time.perf_counter() - begun) < seconds:
        while len(tasks) < 2 * rate * passed:
            tasks.append(asyncio.ensure_future(_post(host, path, questions[len(tasks) % len(questions)])))
        await asyncio.sleep(0.005)
    found = await asyncio.gather(*tasks)
    statuses = dict(collections.Counter(status for status, _ in found))
    admitted = [took for status, took in found if status == 200]
    p95 = [statistics.quantiles(times, n=20)[-1] for times in ([took for _, took in usual], admitted)]
    print(
        f"{path}, capacity {rate:.0f} a second, p95 {p95[0]:.0f} ms; at twice of it {statuses}, p95 {p95[1]:.0f} ms",
        flush=True,
    )


async def _endure(host: str, questions: list[str], seconds: float, pid: int) -> None:
    """Memory after a tenth of the time, when all that is kept is there, and after each further one."""
    memory, count = [], 0
    for _ in range(10):
        count += len(await _press(host, "/v1/search", questions, seconds / 10))
        memory.append(_measure_memory(pid))
    grown = 100 * (memory[-1] - memory[0]) / memory[0]
    print(f"{count} searches: {', '.join(map(str, memory))} MB after each tenth of the time, {grown:+.1f} %")


def _measure_memory(pid: int) -> int:
    """Resident megabytes of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


if __name__ == "__main__":
    main()
