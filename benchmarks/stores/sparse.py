"""Stored sparse vectors of a large collection: `python benchmarks/stores/sparse.py [--chunks 20000] [--store URL]`.

Vectors have 120 terms of a vocabulary of 30,522, a few of them frequent; questions have 25. Printed are chunks a second
while they are stored, milliseconds of a search (p50 / p95) by sparse vectors and by words, bytes, and peak memory.
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
from ragstone.core.ports import SparseIndexingStore, SparseReader, SparseVector
from ragstone.core.types import Scope
from ragstone.stores import open_store

SCOPE = Scope("bench", "notes")
TERMS, ASKED, VOCABULARY, TURNS = 120, 25, 30_522, 60


def make_vector(number: int, terms: int) -> SparseVector:
    """A vector of terms that are as frequent as words are, by their rank."""
    chance = np.random.default_rng(number)
    ranks = np.unique(np.minimum(VOCABULARY * chance.random(terms) ** 3, VOCABULARY - 1).astype(int))
    return SparseVector(tuple(ranks.tolist()), tuple(np.round(chance.uniform(0.05, 3, len(ranks)), 6).tolist()))


def peak() -> int:
    """The peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


async def measure(url: str, chunks: int) -> None:
    """Build, then ask."""
    store = open_store(url)
    assert isinstance(store, SparseIndexingStore)
    await store.admin.create(SCOPE, model=None, variant=None, dimension=None)
    made = revisions(SCOPE, passages(None), chunks)
    async with store.writer(SCOPE) as writer:
        while batch := list(islice(made, 50)):
            await writer.replace(batch)
        await writer.settle()
    print(f"texts are there; peak {peak()} MB")
    last, count, begun = 0, 0, time.perf_counter()
    async with store.sparse_index(SCOPE) as index:
        await index.begin("made/up")
        while wanted := await index.find_unindexed(64, after=last):
            last = wanted[-1][0]
            await index.put({number: make_vector(number, TERMS) for number, _ in wanted})
            count += len(wanted)
        await index.settle()
    print(f"{count} chunks, {count / (time.perf_counter() - begun):,.0f} a second; peak {peak()} MB")
    spent: dict[str, list[float]] = {"sparse": [], "words": []}
    for turn in range(TURNS):
        async with store.reader(SCOPE) as reader:
            assert isinstance(reader, SparseReader)
            for name in spent:
                begun = time.perf_counter()
                if name == "sparse":
                    await reader.match_sparse(make_vector(-turn % 10**9, ASKED), where=Where(), limit=50)
                else:
                    await reader.matching(f"the server and port {turn}", where=Where(), limit=50)
                spent[name].append(1000 * (time.perf_counter() - begun))
    for name, times in spent.items():
        print(f"{name}: {np.percentile(times, 50):.1f} / {np.percentile(times, 95):.1f} ms; peak {peak()} MB")
    await store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--store")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(given.store or f"embedded:{folder}/store", given.chunks))
        print(f"{sum(one.stat().st_size for one in Path(folder).rglob('*') if one.is_file()) / 1e6:.0f} MB on disk")
