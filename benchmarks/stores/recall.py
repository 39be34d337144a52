"""What PostgreSQL's approximate index finds of the exact nearest, and in what time, over vectors of a real model.

    python benchmarks/stores/recall.py --vectors STORE/default/default/vectors-1.f32 [--dimension 384]

The file is that of an embedded store whose documents were ingested with the model. A hundred of its vectors are held
back and asked with; equal ones are taken once.
"""

import argparse
import asyncio
import hashlib
import statistics
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import CHUNKS, MODEL, VARIANT, passages, revision
from tests.stores.postgres.server import serving

from ragstone.core.filters import Where
from ragstone.core.ports import Store, Vectors
from ragstone.core.types import Scope
from ragstone.stores import open_store

QUESTIONS = 100
SCOPE = Scope("acme", "bench")
BATCH = 50  # documents of one write
LIMITS = (10, 50)


def taken(path: Path, dimension: int) -> tuple[Vectors, Vectors]:
    """The vectors to store and those to ask with."""
    floats = np.fromfile(path, dtype="<f4")
    rows = floats[len(floats) % dimension :].reshape(-1, dimension)  # behind the head of the file
    rows = np.unique(rows[np.abs(np.linalg.norm(rows, axis=1) - 1) < 1e-3], axis=0)
    rows = rows[np.random.default_rng(1).permutation(len(rows))]
    return rows[QUESTIONS:], rows[:QUESTIONS]


async def filled(store: Store, rows: Vectors) -> None:
    await store.admin.create(SCOPE, model=MODEL, variant=VARIANT, dimension=rows.shape[1])
    texts = passages(None)
    keys = [hashlib.sha256(row.tobytes()).hexdigest() for row in rows]
    async with store.writer(SCOPE) as writer:
        for first in range(0, len(rows), BATCH * CHUNKS):
            starts = range(first, min(first + BATCH * CHUNKS, len(rows)), CHUNKS)
            made = [
                revision(
                    SCOPE, f"{start}.md", list(islice(texts, min(CHUNKS, len(rows) - start))), first=start, keys=keys
                )
                for start in starts
            ]
            await writer.replace(made)
            await writer.put({keys[n]: rows[n] for n in range(first, min(first + BATCH * CHUNKS, len(rows)))})
        await writer.settle()


async def found(store: Store, questions: Vectors, limit: int) -> tuple[list[set[str]], str]:
    """The ids of the nearest of each question, and the time of a search, p50 and p95."""
    sets, times = [], []
    for question in questions:
        start = time.perf_counter()
        async with store.reader(SCOPE) as reader:
            near = await reader.nearest(question, where=Where(), limit=limit)
        times.append((time.perf_counter() - start) * 1e3)
        sets.append({candidate.id for candidate in near})
    times.sort()
    return sets, f"{statistics.median(times):.1f} / {times[95]:.1f} ms"


async def measured(url: str, rows: Vectors, questions: Vectors) -> None:
    store, exact = open_store(url), open_store(f"{url}?exact=true")
    await filled(store, rows)
    print(f"{len(rows)} vectors of {rows.shape[1]} dimensions, {len(questions)} questions")
    for limit in LIMITS:
        (some, took), (true, longer) = [await found(one, questions, limit) for one in (store, exact)]
        shared = sum(len(a & b) for a, b in zip(some, true, strict=True)) / sum(map(len, true))
        print(f"recall@{limit}: {shared:.4f}; by the index {took}, exactly {longer}", flush=True)
    await store.close()
    await exact.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, required=True, help="a file of float32 rows")
    parser.add_argument("--dimension", type=int, default=384)
    options = parser.parse_args()
    rows, questions = taken(options.vectors, options.dimension)
    with serving("shared_buffers=1GB") as server, server.database() as database:
        asyncio.run(measured(server.url(database), rows, questions))


if __name__ == "__main__":
    main()
