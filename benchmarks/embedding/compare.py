"""Embedding speed against sentence-transformers, the exported graph and bare matrix products.

Contestants take turns, one round each (A B C A B C …), so that a busy machine slows all of them;
the figure of a contestant is its best round. One core is compared in CPU time, two cores in wall time.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

OURS = ("ragstone fp32", "ragstone int8", "exported", "sgemm")
THEIRS = "sentence-transformers"


class Contestant:
    """A worker process that runs a round when asked."""

    def __init__(self, python: str, name: str, *, tokens: int, count: int, threads: int) -> None:
        here = Path(__file__).parent
        command = [python, str(here / "worker.py"), name, "--tokens", str(tokens), "--count", str(count)]
        limits = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self.process = subprocess.Popen(
            [*command, "--threads", str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **limits, "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"},
        )
        self._answer("ready")

    def round(self) -> dict[str, float]:
        """Seconds of one round: wall and cpu."""
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        seconds: dict[str, float] = json.loads(self._answer("{"))
        return seconds

    def stop(self) -> None:
        """End the process."""
        self.process.communicate()

    def _answer(self, start: str) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(start):
                return line
        raise SystemExit("a contestant ended early: see its message above")


def measured(
    pythons: dict[str, str], *, tokens: int, count: int, threads: int, rounds: int
) -> dict[str, dict[str, float]]:
    """The best milliseconds a text of each contestant, wall and cpu."""
    best: dict[str, dict[str, float]] = {name: {"wall": 1e9, "cpu": 1e9} for name in pythons}
    with ExitStack() as stack:
        racing = {}
        for name, python in pythons.items():
            racing[name] = Contestant(python, name, tokens=tokens, count=count, threads=threads)
            stack.callback(racing[name].stop)
        for _ in range(rounds):
            for name, contestant in racing.items():
                for clock, seconds in contestant.round().items():
                    best[name][clock] = min(best[name][clock], 1000 * seconds / count)
    return best


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one table for each number of tokens and cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--theirs", help="a Python with torch and sentence-transformers; without it they are left out")
    parser.add_argument("--tokens", type=int, nargs="+", default=[94, 216])
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args(arguments)
    pythons = dict.fromkeys(OURS, sys.executable) | ({THEIRS: given.theirs} if given.theirs else {})
    one_core = {}
    for tokens in given.tokens:
        one_core[tokens] = measured(pythons, tokens=tokens, count=given.count, threads=1, rounds=given.rounds)
        print(f"\n{tokens} tokens, one core, CPU milliseconds a text", flush=True)
        report(one_core[tokens], "cpu")
    both = {name: python for name, python in pythons.items() if name not in ("exported", "sgemm")}
    for tokens in given.tokens:
        two = measured(both, tokens=tokens, count=given.count, threads=2, rounds=given.rounds)
        print(f"\n{tokens} tokens, two cores, wall milliseconds a text", flush=True)
        report(two, "wall")
        gains = [f"{name} {one_core[tokens][name]['wall'] / best['wall']:.2f}" for name, best in two.items()]
        print("  times one core: " + ", ".join(gains), flush=True)


def report(best: dict[str, dict[str, float]], clock: str) -> None:
    """A line for each contestant: milliseconds, and how many times faster it is than the references."""
    for name, own in best.items():
        references = [other for other in (THEIRS, "exported", "sgemm") if other in best and other != name]
        ratios = [f"{best[other][clock] / own[clock]:6.2f} x {other}" for other in references]
        print(f"  {name:22} {own[clock]:7.2f}  " + "".join(ratios), flush=True)


if __name__ == "__main__":
    main()
