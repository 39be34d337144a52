"""The start of a server, again and again: seconds until it listens, lives and is ready, and the seconds of CPU.

    python benchmarks/serving/start.py STORE [--times 8] [--against SRC]

Prints the median and the least of each. With `--against`, the folder `src` of another version, both start in turns, so
that what else the machine does hits both.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

STEPS = ("listening", "live", "ready", "CPU")


def main() -> None:
    """Print a line for each version and step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--against")
    given = parser.parse_args()
    versions = {"this version": str(Path(__file__).parents[2] / "src")}
    if given.against:
        versions["the other one"] = given.against
    rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in versions}
    for _ in range(given.times):
        for name, source in versions.items():
            rows[name].append(start_once(given.store, source))
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {given.times} starts each")
    for name, measured in rows.items():
        for step, seconds in zip(STEPS, zip(*measured, strict=True), strict=True):
            print(f"{name}, {step}: {statistics.median(seconds):.2f} s (median), {min(seconds):.2f} s (least)")


def start_once(store: str, source: str) -> tuple[float, ...]:
    """The seconds of each step of one start."""
    before, begun = cpu_of_children(), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", store],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert process.stderr is not None
    url = next(found[1] for line in process.stderr if (found := re.search(r"listening on ([^\s\"]+)", line)))
    times = [time.perf_counter() - begun]
    for path in ("/v1/live", "/v1/ready"):
        while not answers(url + path):
            time.sleep(0.005)
        times.append(time.perf_counter() - begun)
    process.terminate()
    process.stderr.read()
    process.wait(60)
    return (*times, cpu_of_children() - before)


def answers(url: str) -> bool:
    """Whether an address answers with 200."""
    try:
        urllib.request.urlopen(url, timeout=10).read()
    except OSError:
        return False
    return True


def cpu_of_children() -> float:
    """Seconds of CPU of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
