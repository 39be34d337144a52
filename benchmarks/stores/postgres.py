"""PostgreSQL store: build, disk, questions for small and large tenants and many clients, replacement, all against raw
SQL of the same queries; and against the embedded store.

    python benchmarks/stores/postgres.py --chunks 100000 [--text FOLDER] [--seconds 4] [--only tenants|beside]

A server of its own is started and thrown away, or name one: RAGSTONE_TEST_POSTGRES=URL of a superuser.
"""

import argparse
import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import CHUNKS, MODEL, VARIANT, Clusters, passages, rank_found, revision, revisions
from tests.stores.postgres.server import Server, serving

from ragstone.core.filters import Where
from ragstone.core.ports import Store, Vectors
from ragstone.core.types import Scope
from ragstone.retrieval.question import Question as Asked
from ragstone.stores import open_store, postings
from ragstone.stores.bm25 import query_terms
from ragstone.stores.postgres import reader as reading
from ragstone.stores.postgres import vector_search
from ragstone.stores.postgres.filters import build_chunk_filter
from ragstone.stores.postgres.ts_rank import MATCHING_PAGE, TS_RANKED

BATCH = 50  # documents of one write
LIMIT = 50  # candidates of a leg, as a question for ten results asks for
CLIENTS = (1, 8, 32)
SHARES = {"half": 0.5, "one percent": 0.01, "rest": 0.49}
VECTORS = Clusters()
QUESTIONS = 200
SETTINGS = (
    "shared_buffers=1GB",
)  # a server of its own has a quarter of the memory; the default of 128 MB holds no index

# What somebody would write by hand over the same tables: a join of the normal ones, and the table kept for questions.
NORMAL = """SELECT c.chunk_id, e.embedding::vector(384) <=> %(v)s::vector(384) AS d
    FROM chunk_embeddings e JOIN chunks c ON c.collection_id = e.collection_id AND c.vector_key = e.vector_key
    JOIN document_versions v ON v.doc_version_id = c.doc_version_id AND v.is_active
    JOIN documents p ON p.collection_id = v.collection_id AND p.doc_id = v.doc_id
    WHERE e.embedding_model = 'clustered' AND e.embedding_dim = 384 AND e.tenant_id = %(t)s AND e.collection_id = %(c)s
        AND c.collection_id = %(c)s AND p.collection_id = %(c)s
    ORDER BY e.embedding::vector(384) <=> %(v)s::vector(384) LIMIT 50"""
ACTIVE = """SELECT m.chunk_id, e.embedding::vector(384) <=> %(v)s::vector(384) AS d
    FROM chunk_embeddings e JOIN mv_active_chunks m ON m.collection_id = e.collection_id AND m.vector_key = e.vector_key
    WHERE e.embedding_model = 'clustered' AND e.embedding_dim = 384 AND e.tenant_id = %(t)s AND e.collection_id = %(c)s
        AND m.collection_id = %(c)s AND m.tenant_id = %(t)s
    ORDER BY e.embedding::vector(384) <=> %(v)s::vector(384) LIMIT 50"""
RANKED = """SELECT c.chunk_id, ts_rank_cd(f.tsv, q) AS score
    FROM (SELECT {} AS q) AS asked, chunk_fts f JOIN mv_active_chunks c ON c.chunk_key = f.chunk_key
    WHERE f.tenant_id = %(t)s AND f.collection_id = %(c)s AND f.tsv @@ q ORDER BY score DESC LIMIT 50"""
EVERY = "websearch_to_tsquery('english', %(q)s)"
ANY = "replace(plainto_tsquery('english', %(q)s)::text, '&', '|')::tsquery"  # what BM25 answers: any of the words
Ask = Callable[[int], Awaitable[Any]]


def questions(texts: Sequence[str]) -> list[str]:
    """Six words in a row from passages."""
    return [" ".join(text.split()[3:9]) for text in texts if len(text.split()) > 20]


def question_vector(number: int) -> Vectors:
    return VECTORS.of(10_000_000 + number)


async def build(store: Store, scope: Scope, chunks: int, *, first: int, folder: Path | None) -> dict[str, float]:
    """Write a collection; seconds for documents, vectors, the end of the run."""
    await store.admin.create(scope, model=MODEL, variant=VARIANT, dimension=VECTORS.dimension)
    spent = {"documents": 0.0, "vectors": 0.0, "settle": 0.0}
    made = revisions(scope, passages(folder), chunks, first=first)
    number = first
    async with store.writer(scope) as writer:
        while batch := list(islice(made, BATCH)):
            start = time.perf_counter()
            await writer.replace(batch)
            spent["documents"] += time.perf_counter() - start
            keys = [chunk.vector_key for one in batch for chunk in one.chunks]
            vectors = {key: VECTORS.of(number + i) for i, key in enumerate(keys)}
            number += len(keys)
            start = time.perf_counter()
            await writer.put(vectors)
            spent["vectors"] += time.perf_counter() - start
        start = time.perf_counter()
        await writer.settle()
        spent["settle"] += time.perf_counter() - start
    return spent


async def measured(ask: Ask, *, clients: int, seconds: float) -> str:
    """p50 and p95 in milliseconds, and answers a second, after a few that warm up."""
    for number in range(5):
        await ask(number)
    times: list[float] = []
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        while time.perf_counter() < end or not times:
            start = time.perf_counter()
            await ask(number % QUESTIONS)
            times.append((time.perf_counter() - start) * 1e3)
            number += clients

    start = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    rate = len(times) / (time.perf_counter() - start)
    times.sort()
    return f"{statistics.median(times):7.1f} {times[int(len(times) * 0.95)]:7.1f} ms {rate:7.0f}/s"


def asks(store: Store, scope: Scope, words: Sequence[str]) -> dict[str, Ask]:
    """The legs and the whole, each with a view of its own as a question has."""

    async def vector(number: int) -> Any:
        async with store.reader(scope) as reader:
            return await reader.nearest(question_vector(number), where=Where(), limit=LIMIT)

    async def keywords(number: int) -> Any:
        async with store.reader(scope) as reader:
            return await reader.matching(words[number % len(words)], where=Where(), limit=LIMIT)

    async def tagged(number: int) -> Any:
        where = Where(tags=(f"t{number % 100}",))
        async with store.reader(scope) as reader:
            return await reader.matching(words[number % len(words)], where=where, limit=LIMIT)

    async def hybrid(number: int) -> Any:
        text, query = words[number % len(words)], question_vector(number)
        async with store.reader(scope) as reader:
            await reader.info()
            legs = {
                "cosine": await reader.nearest(query, where=Where(), limit=LIMIT),
                "bm25": await reader.matching(text, where=Where(), limit=LIMIT),
            }
            return await rank_found(reader, Asked(text), query, legs)

    return {"vector": vector, "words": keywords, "words, one tag of 100": tagged, "hybrid": hybrid}


async def raw(url: str, scope: Scope, words: Sequence[str], *, seconds: float) -> None:
    """The same questions as one statement each over one open connection: no view, no check, no chunk's text."""
    connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
    async with connection:
        await connection.execute("SELECT set_config('search_path', 'ragstone, public', false)")
        await connection.execute("SELECT set_config('ragstone.tenant', %s, false)", (scope.tenant,))
        await connection.execute("SET hnsw.iterative_scan = strict_order")
        await connection.execute("SET hnsw.ef_search = 64")
        [(collection,)] = await (await connection.execute("SELECT collection_id FROM collections")).fetchall()

        def asked(sql: str) -> Ask:
            async def ask(number: int) -> Any:
                vector = "[" + ",".join(f"{x:.7g}" for x in question_vector(number).tolist()) + "]"
                given = {"t": scope.tenant, "c": collection, "v": vector, "q": words[number % len(words)]}
                return await (await connection.execute(sql.encode(), given, prepare=False)).fetchall()

            return ask

        statements = {
            "vector, mv_active_chunks": ACTIVE,
            "vector, normal tables": NORMAL,
            "ts_rank_cd, every word": RANKED.format(EVERY),
            "ts_rank_cd, any word": RANKED.format(ANY),
        }
        for name, sql in statements.items():
            print(f"  raw {name:28} {await measured(asked(sql), clients=1, seconds=seconds)}", flush=True)


async def plans(url: str, scope: Scope, words: Sequence[str]) -> None:
    """What the server does for each statement of a question, and the quickest of 30 by its own clock: on a busy
    machine the others measure the neighbours."""
    connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
    async with connection:
        await connection.execute("SELECT set_config('search_path', 'ragstone, public', false)")
        await connection.execute("SELECT set_config('ragstone.tenant', %s, false)", (scope.tenant,))
        await connection.execute("SET hnsw.iterative_scan = strict_order")
        await connection.execute("SET hnsw.ef_search = 66")
        [(collection,)] = await (await connection.execute("SELECT collection_id FROM collections")).fetchall()
        some = "SELECT number, chunk_id FROM mv_active_chunks WHERE collection_id = %s LIMIT 1000"
        rows = (await (await connection.execute(some.encode(), (collection,))).fetchall())[::20]
        tag = build_chunk_filter(Where(tags=("t3",)))
        statements = {
            "vector, index": vector_search.approximate_sql("NOT m.restricted", VECTORS.dimension),
            "vector, exact": vector_search.all_vectors_sql("NOT m.restricted"),
            "vector, exact by a filter": vector_search.exact_sql("NOT m.restricted", numbers=False),
            "postings": postings.FETCH,
            "places": reading.PLACES,
            "signals and texts": reading.RATED,
            "chunks": reading.BY_ID,
            "chunk at a place": reading.AT.format(""),
            "recipes": reading.RECIPES,
            "versions with a tag": tag.versions or "",
            "by hand, mv_active_chunks": ACTIVE,
            "by hand, normal tables": NORMAL,
            "ts_rank_cd by its index": MATCHING_PAGE.format(TS_RANKED.format(6, reading.OURS), "true"),
            "by hand, ts_rank_cd": RANKED.format(EVERY),
        }
        for name, sql in statements.items():
            times, scans = [], set()
            for number in [*range(15), *range(15)]:
                vector = vector_search.vector_literal(question_vector(number).astype(float))
                given = {
                    "t": scope.tenant,
                    "c": collection,
                    "v": vector,
                    "q": words[number],
                    "query": words[number],
                    "limit": LIMIT,
                    "tenant": scope.tenant,
                    "collection": collection,
                    "vector": vector,
                    "model": MODEL,
                    "count": 66,
                    "terms": query_terms(words[number]),
                    "numbers": [row[0] for row in rows],
                    "ids": [row[1] for row in rows],
                    "unrated": [row[1] for row in rows],
                    "path": "docs/000002.md",
                    "ordinal": 3,
                    **tag.parameters,
                }
                explained = await connection.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {sql}".encode(), given)
                text = "\n".join(str(line) for (line,) in await explained.fetchall())
                scans |= set(re.findall(r"(Seq Scan on \w+|Scan using \w+|Bitmap Index Scan on \w+)", text))
                times.append(float(re.findall(r"Execution Time: ([\d.]+)", text)[0]))
            print(f"  {name:26} {min(times):7.2f} ms  {', '.join(sorted(scans))}", flush=True)


async def recall(store: Store, exact: Store, scope: Scope) -> float:
    """How many of the exact ten nearest the store finds."""
    shared = 0
    for number in range(50):
        found = []
        for one in (store, exact):
            async with one.reader(scope) as reader:
                near = await reader.nearest(question_vector(number), where=Where(), limit=10)
                found.append({candidate.id for candidate in near})
        shared += len(found[0] & found[1])
    return shared / 500


async def replacing(store: Store, scope: Scope, folder: Path | None, rounds: int = 20) -> str:
    """Milliseconds from the call that replaces a document of 20 chunks until a new reader finds the new text."""
    texts = passages(folder)
    times = []
    for number in range(rounds):
        mark = f"zyx{chr(ord('a') + number)}q"
        words = [f"{mark} {next(texts)}" for _ in range(CHUNKS)]
        new = revision(scope, f"docs/{number:06d}.md", words, first=number * CHUNKS, state=number + 2)
        start = time.perf_counter()
        async with store.writer(scope) as writer:
            await writer.replace([new])
        async with store.reader(scope) as reader:
            found = await reader.matching(mark, where=Where(), limit=LIMIT)
        times.append((time.perf_counter() - start) * 1e3)
        assert len(found) == CHUNKS
    times.sort()
    return f"{statistics.median(times):.1f} {times[-2]:.1f} ms"


def sizes(server: Server, database: str) -> None:
    sql = """SELECT relname, pg_total_relation_size(oid) / 1e6 FROM pg_class
        WHERE relnamespace = 'ragstone'::regnamespace AND relkind = 'r' ORDER BY 2 DESC LIMIT 7"""
    rows = server.run(sql, database)
    print("disk, MB with indexes: " + ", ".join(f"{name} {float(str(size)):.0f}" for name, size in rows))


async def postgres(server: Server, database: str, options: argparse.Namespace) -> None:
    url = server.url(database, pool="32")
    store = open_store(url)
    words = questions(list(islice(passages(options.text), 2 * QUESTIONS)))
    first, scopes = 0, {}
    for name, share in SHARES.items():
        scopes[name] = Scope(name, "bench")
        count = int(options.chunks * share)
        spent = await build(store, scopes[name], count, first=first, folder=options.text)
        first += count
        rate = count / sum(spent.values())
        told = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in spent.items())
        print(f"built {name}: {count} chunks, {rate:.0f}/s ({told})", flush=True)
    sizes(server, database)
    for name in ("half", "one percent"):
        print(f"tenant {name}:   p50     p95")
        for what, ask in asks(store, scopes[name], words).items():
            for clients in CLIENTS:
                line = await measured(ask, clients=clients, seconds=options.seconds)
                print(f"  {what:22} {clients:3} clients {line}", flush=True)
        await raw(url.partition("?")[0], scopes[name], words, seconds=options.seconds)
        await plans(url.partition("?")[0], scopes[name], words)
        ranked = open_store(server.url(database, keywords="ts_rank_cd"))
        line = await measured(asks(ranked, scopes[name], words)["words"], clients=1, seconds=options.seconds)
        print(f"  {'words by ts_rank_cd':22}   1 clients {line}", flush=True)
        await ranked.close()
    exact = open_store(server.url(database, exact="true"))
    print(f"recall@10 of the index, tenant half: {await recall(store, exact, scopes['half']):.3f}")
    await exact.close()
    print(f"replaced and found, p50 and p95: {await replacing(store, scopes['half'], options.text)}")
    await store.close()


async def beside(server: Server, database: str, options: argparse.Namespace) -> None:
    """Both stores with the same 20,000 chunks (or fewer), one after the other."""
    words = questions(list(islice(passages(options.text), 2 * QUESTIONS)))
    scope = Scope("acme", "bench")
    count = min(20_000, options.chunks)
    with tempfile.TemporaryDirectory() as folder:
        for url in (f"embedded:{folder}/store", server.url(database, pool="32")):
            store = open_store(url)
            spent = await build(store, scope, count, first=0, folder=options.text)
            print(f"{store.provider}: {count} chunks, {count / sum(spent.values()):.0f}/s;   p50     p95")
            for what, ask in asks(store, scope, words).items():
                line = await measured(ask, clients=1, seconds=options.seconds)
                print(f"  {what:22} {line}", flush=True)
            if url.startswith("postgresql"):
                exact = open_store(f"{url}&exact=true")
                line = await measured(asks(exact, scope, words)["vector"], clients=1, seconds=options.seconds)
                print(f"  {'vector, exact=true':22} {line}", flush=True)
                print(f"  recall@10 of the index: {await recall(store, exact, scope):.3f}", flush=True)
                await exact.close()
            print(f"  replaced and found, p50 and p95: {await replacing(store, scope, options.text)}", flush=True)
            await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--text", type=Path, default=None, help="a folder of Markdown to take passages from")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each figure is measured")
    parser.add_argument("--only", choices=("tenants", "beside"), help="one of the two parts")
    options = parser.parse_args()
    with serving(*SETTINGS) as server:
        for name, part in (("tenants", postgres), ("beside", beside)):
            if options.only in (None, name):
                with server.database() as database:
                    asyncio.run(part(server, database, options))


if __name__ == "__main__":
    main()
