"""Qdrant store: build, questions, replacement, recall of its index; its engine behind a gRPC server in Python.

    python benchmarks/stores/qdrant.py --chunks 20000 [--text FOLDER] [--seconds 2]

No live server: `qdrant-edge-py` is Qdrant's engine as a library, and the server that stands before it is the one of the
tests, in a process of its own. Its Python turns every message over twice, so what is measured is an upper bound of a
question; `engine alone` is the same search by the library, a lower one. The ledger is an embedded store.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from qdrant_client import models

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import passages
from benchmarks.stores.postgres import LIMIT, QUESTIONS, asks, build, measured, question_vector, questions, recall
from benchmarks.stores.postgres import replacing as replaced
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Call, Recorder
from tests.stores.qdrant.server import serving as answering

from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.stores import open_store
from ragstone.stores.qdrant.filters import build_point_filter

SCOPE = Scope("acme", "bench")


class Forgetful(list[Call]):
    """Calls are not kept: they hold every vector."""

    def append(self, call: Call) -> None:
        del call


def serve(folder: Path, asked: Connection) -> None:
    """The server's process: says its port, then does what it is told until it hears `stop`."""
    engine = Engine(folder)
    with answering(recorder=Recorder(inner=engine, calls=Forgetful())) as server:
        asked.send(server.port)
        while (said := asked.recv()) != "stop":
            start = time.perf_counter()
            told: Any = engine.optimize() if said == "optimize" else alone(engine, said)
            asked.send(told or time.perf_counter() - start)
    engine.close()


def alone(engine: Engine, said: str) -> str:
    """The search of a question's vectors by the library alone, p50 and p95: exact or by the index, filtered or not."""
    [name] = engine._made
    named = build_point_filter(SCOPE, Where()) if "filtered" in said else None
    times = []
    for number in range(100):
        vector = question_vector(number).tolist()
        start = time.perf_counter()
        engine.query_points(
            name,
            prefetch=None,
            query=vector,
            using="dense",
            query_filter=named,
            limit=LIMIT + 32,
            with_payload=["chunk", "key"],
            with_vectors=["dense"],
            search_params=models.SearchParams(exact="exact" in said),
        )
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return f"{statistics.median(times):7.1f} {times[95]:7.1f} ms"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, Connection]]:
    """The server's port, and what it is told things by."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(folder, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv(), ours
        ours.send("stop")
        process.join(30)
    finally:
        process.kill()


async def run(port: int, server: Connection, folder: Path, options: argparse.Namespace) -> None:
    scope = SCOPE
    url = f"qdrant://127.0.0.1:{port}?timeout=600&ledger=embedded:{folder / 'ledger'}"
    store, exact = open_store(url), open_store(f"{url}&exact=true")
    words = questions(list(islice(passages(options.text), 2 * QUESTIONS)))
    spent = await build(store, scope, options.chunks, first=0, folder=options.text)
    told = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in spent.items())
    print(f"built: {options.chunks} chunks, {options.chunks / sum(spent.values()):.0f}/s ({told})", flush=True)
    server.send("optimize")
    print(f"index of the engine: {server.recv():.1f} s", flush=True)
    for name in ("exact", "index", "exact, filtered", "index, filtered"):
        server.send(name)
        print(f"  engine alone, {name:15} {server.recv()}", flush=True)
    for name, one in (("as it comes", store), ("exact=true", exact)):
        for what, ask in {**asks(one, scope, words), "fused by the server": fused(one, scope, words)}.items():
            line = await measured(ask, clients=1, seconds=options.seconds)
            print(f"  {name:12} {what:22} {line}", flush=True)
    print(f"recall@10 of what comes: {await recall(store, exact, scope):.3f}", flush=True)
    print(f"replaced and found, p50 and p95: {await replaced(store, scope, options.text)}", flush=True)
    await store.close()
    await exact.close()


def fused(store: Store, scope: Scope, words: list[str]) -> Any:
    """Both legs by the server, in one call."""

    async def ask(number: int) -> Any:
        text, query = words[number % len(words)], question_vector(number)
        async with store.reader(scope) as reader:
            found = await reader.fused(text, query, where=Where(), limit=LIMIT)  # type: ignore[attr-defined]  # `Fusing`
            return await reader.chunks([candidate.id for candidate in found])

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--text", type=Path, default=None, help="a folder of Markdown to take passages from")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each figure is measured")
    options = parser.parse_args()
    print(f"qdrant-edge-py {version('qdrant-edge-py')}", flush=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "engine") as (port, server):
        asyncio.run(run(port, server, Path(folder), options))


if __name__ == "__main__":
    main()
