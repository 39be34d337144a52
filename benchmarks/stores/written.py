"""Vectors of summaries and questions in a large collection: `python benchmarks/stores/written.py [--chunks 10000]
[--store URL]`.

Each chunk has four made-up vectors of 384 dimensions. Printed are CPU and wall milliseconds of a search (p50) by them
and by the chunks' own vectors, the bytes that they take on disk, and peak memory.
"""

import argparse
import asyncio
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path
from sys import path

import numpy as np

path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import passages, revisions

from ragstone.core.filters import Where
from ragstone.core.ports import Store, Vectors, WrittenIndexingStore, WrittenReader
from ragstone.core.types import Scope
from ragstone.stores import open_store

SCOPE = Scope("bench", "notes")
TEXTS, DIMENSION, TURNS = 4, 384, 40


def make_vectors(chance: np.random.Generator, count: int) -> Vectors:
    """Unit vectors."""
    rows = chance.standard_normal((count, DIMENSION))
    made: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return made


async def build(store: Store, chunks: int, chance: np.random.Generator) -> None:
    """Texts with their vectors."""
    await store.admin.create(SCOPE, model="made/up", variant="v", dimension=DIMENSION)
    made = revisions(SCOPE, passages(None), chunks)
    async with store.writer(SCOPE) as writer:
        while batch := list(islice(made, 50)):
            await writer.replace(batch)
        while wanted := await writer.find_unembedded(500):
            rows = make_vectors(chance, len(wanted))
            await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, rows, strict=True)})
        await writer.settle()


async def describe(store: Store, chance: np.random.Generator) -> int:
    """The vectors beside them; the number of chunks."""
    assert isinstance(store, WrittenIndexingStore)
    last = count = 0
    async with store.written_index(SCOPE) as index:
        await index.begin("made/up", "v", DIMENSION)
        while wanted := await index.find_unlinked(64, after=last):
            last = wanted[-1][0]
            keys = {number: f"{number:064x}" for number, _ in wanted}
            await index.put(keys, {key: make_vectors(chance, TEXTS) for key in keys.values()})
            count += len(wanted)
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    return count


async def measure(url: str, chunks: int, folder: Path) -> None:
    """Build, then ask."""
    store, chance = open_store(url), np.random.default_rng(7)
    await build(store, chunks, chance)
    before = count_bytes(folder)
    count = await describe(store, chance)
    spent: dict[str, list[tuple[float, float]]] = {"summaries and questions": [], "chunks": []}
    for _ in range(TURNS):
        vector = make_vectors(chance, 1)[0]
        async with store.reader(SCOPE) as reader:
            assert isinstance(reader, WrittenReader)
            await reader.info()
            for name, times in spent.items():
                search = reader.nearest if name == "chunks" else reader.match_written
                cpu, wall = time.process_time(), time.perf_counter()
                await search(vector, where=Where(), limit=50)
                times.append((1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)))
    for name, times in spent.items():
        cpu, wall = np.percentile(times, 50, axis=0)
        print(f"by vectors of {name}: CPU {cpu:.1f} ms, wall {wall:.1f} ms")
    grown, peak = count_bytes(folder) - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{count} chunks with {TEXTS} texts: {grown / count:,.0f} bytes a chunk in a directory; peak {peak} MB")
    await store.close()


def count_bytes(folder: Path) -> int:
    """The bytes of all files."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--store")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(measure(given.store or f"embedded:{temporary}/store", given.chunks, Path(temporary)))
