"""Existing tables: what counting their words takes and keeps, what a question takes, per leg and with filters.

    python benchmarks/stores/tables.py --rows 20000 [--text FOLDER] [--index hnsw|ivfflat|none]

A server of its own is started and thrown away, or name one: RAGSTONE_TEST_POSTGRES=URL of a superuser.
"""

import argparse
import asyncio
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import Clusters, passages
from tests.stores.postgres.server import serving

from ragstone.core.filters import Condition, Where
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext, Source
from ragstone.stores import ColumnPair, word_counts
from ragstone.stores.tables import TableDatabase

QUESTIONS = 40
LIMIT = 50
VECTORS = Clusters()
INDEXES = {
    "none": "SELECT 1",
    "hnsw": "CREATE INDEX ON t USING hnsw (v vector_cosine_ops)",
    "ivfflat": "CREATE INDEX ON t USING ivfflat (v vector_cosine_ops) WITH (lists = 100)",
}
ALL = Where()
TENTH = Where(conditions=(Condition("tenth", "=", 3),))
HUNDREDTH = Where(conditions=(Condition("hundredth", "=", 3),))


class Given:
    """An embedder that knows the vectors of the questions."""

    model, variant, dimension = "clustered", "seeded", 384

    def __init__(self) -> None:
        self.asked = 0

    async def embed(self, texts: list[str], *, kind: str = "document") -> Any:
        del texts, kind
        self.asked += 1
        return VECTORS.of(self.asked)[None, :]


def filled(url: str, rows: int, texts: list[str], index: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE t (id int PRIMARY KEY, body text, tenth int, hundredth int, v vector(384))")
        with db.cursor().copy("COPY t FROM STDIN") as copy:
            for number, text in enumerate(texts):
                vector = "[" + ",".join(f"{x:.6f}" for x in VECTORS.of(number).tolist()) + "]"
                copy.write_row((number, text, number % 10, number % 100, vector))
        began = time.perf_counter()
        db.execute(INDEXES[index].encode())
        db.execute("ANALYZE t")
        print(f"{rows} rows, index {index} in {time.perf_counter() - began:.1f} s")


async def took(work: Callable[[int], Awaitable[object]], count: int = QUESTIONS) -> str:
    times = []
    for number in range(count):
        began = time.perf_counter()
        await work(number)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return f"{statistics.median(times):.1f} / {times[int(0.95 * (len(times) - 1))]:.1f} ms"


async def measured(url: str, texts: list[str]) -> None:
    tables = TableDatabase(url, timeout=60)
    pair = ColumnPair("t", "body", "v", "id", columns=("*",))
    asked = [" ".join(texts[(number * 37) % len(texts)].split()[3:9]) for number in range(QUESTIONS)]
    async with tables.reader(pair) as reader:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began, cpu = time.perf_counter(), time.process_time()
        await reader.matching(asked[0], where=ALL, limit=LIMIT)
        seconds, own = time.perf_counter() - began, time.process_time() - cpu
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(
            f"first question by words: {seconds:.2f} s, {own:.2f} s of our processor, {grown:.0f} MB more at the most"
        )
        print("look whether it changed:", await took(lambda _: reader._read_fingerprint(), 10))
        for name, where in (("all", ALL), ("a tenth", TENTH), ("a hundredth", HUNDREDTH)):
            nearest = lambda n, w=where: reader.nearest(VECTORS.of(n), where=w, limit=LIMIT)  # noqa: E731
            words = lambda n, w=where: reader.matching(asked[n], where=w, limit=LIMIT)  # noqa: E731
            print(f"{name}: nearest {await took(nearest)}, words {await took(words)}")
        exact = 0
        for number in range(QUESTIONS):
            found = {one.place[0] for one in await reader.nearest(VECTORS.of(number), where=ALL, limit=10)}
            exact += len(found & await true(url, number))
        print(f"recall@10 of the vectors: {exact / QUESTIONS / 10:.3f}")
    print("a view opened and closed:", await took(lambda _: opened(tables, pair)))
    context = SearchContext((Source("t", lambda: tables.reader(pair), Given(), is_table=True),))  # type: ignore[arg-type]  # all that is asked of it
    whole = lambda n: search(context, Question(asked[n]))  # noqa: E731
    print("a question through the pipeline, embedding apart:", await took(whole))
    word_counts.CHECK_INTERVAL = 0.0
    print("the same, looking each time whether the table changed:", await took(whole))
    await tables.close()


async def opened(tables: TableDatabase, pair: ColumnPair) -> None:
    async with tables.reader(pair):
        pass


async def true(url: str, number: int) -> set[str]:
    vector = str(VECTORS.of(number).tolist())
    async with await psycopg.AsyncConnection.connect(url) as db:
        await db.execute("SET enable_indexscan = off")
        rows = await db.execute("SELECT 'public.t/' || id FROM t ORDER BY v <=> %s::vector LIMIT 10", (vector,))
        return {row[0] for row in await rows.fetchall()}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--text", type=Path)
    options.add_argument("--index", choices=INDEXES, default="hnsw")
    given = options.parse_args()
    texts = list(islice(passages(given.text), given.rows))
    with serving() as server, server.database("template0") as name:
        server.run("CREATE EXTENSION vector", name)
        server.run("GRANT CREATE ON SCHEMA public TO PUBLIC", name)
        filled(server.owner(name), given.rows, texts, given.index)
        asyncio.run(measured(server.owner(name), texts))


if __name__ == "__main__":
    main()
