"""What encryption costs the embedded store, and what overwriting removed vectors costs: plain and encrypted in one run.

    python benchmarks/stores/encryption.py [--chunks 20000] [--questions 300] [--text FOLDER]

Questions are asked of the stores in turns, so that whatever else the machine does meets all alike. Memory is that of a
process of its own for each, after questions to every vector; `not kept` is encrypted with no decrypted row kept.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.stores.corpus import CHUNKS, MODEL, VARIANT, Clusters, passages, rank_found, revisions

from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.retrieval.question import Question
from ragstone.stores.embedded import EmbeddedStore, encrypted_rows, purge
from ragstone.stores.embedded import writer as writing
from ragstone.stores.encryption import SecretKey
from ragstone.stores.master_key import MasterKey

SCOPE = Scope("bench", "notes")
MASTER = MasterKey(SecretKey(bytes(range(32))))
KINDS = {"plain": None, "encrypted": MASTER, "not kept": MASTER}
VECTORS = Clusters()
BATCH = 50  # documents of one write
LIMIT = 50
Ask = Callable[[EmbeddedStore, int], Awaitable[Any]]


def opened(root: Path, kind: str) -> EmbeddedStore:
    """The store of a kind: the one that keeps no decrypted rows has the files of the encrypted one."""
    name = "plain" if kind == "plain" else "encrypted"
    return EmbeddedStore(root / name, master=KINDS[kind])


async def built(store: EmbeddedStore, chunks: int, folder: Path | None) -> float:
    """Seconds of writing, the vectors being at hand."""
    await store.admin.create(SCOPE, model=MODEL, variant=VARIANT, dimension=VECTORS.dimension)
    made, number, spent = revisions(SCOPE, passages(folder), chunks), 0, 0.0
    async with store.writer(SCOPE) as writer:
        while batch := list(islice(made, BATCH)):
            keys = [chunk.vector_key for one in batch for chunk in one.chunks]
            vectors = {key: VECTORS.of(number + i) for i, key in enumerate(keys)}
            number += len(keys)
            start = time.perf_counter()
            await writer.replace(batch)
            await writer.put(vectors)
            spent += time.perf_counter() - start
        start = time.perf_counter()
        await writer.settle()
    return spent + time.perf_counter() - start


async def vector(store: EmbeddedStore, number: int) -> Any:
    async with store.reader(SCOPE) as reader:
        return await reader.nearest(VECTORS.of(10_000_000 + number), where=Where(), limit=LIMIT)


def asks(words: list[str]) -> dict[str, Ask]:
    """The legs and the whole, each with a view of its own."""

    async def keywords(store: EmbeddedStore, number: int) -> Any:
        async with store.reader(SCOPE) as reader:
            return await reader.matching(words[number % len(words)], where=Where(), limit=LIMIT)

    async def hybrid(store: EmbeddedStore, number: int) -> Any:
        text, query = words[number % len(words)], VECTORS.of(10_000_000 + number)
        async with store.reader(SCOPE) as reader:
            near = await reader.nearest(query, where=Where(), limit=LIMIT)
            found = await reader.matching(text, where=Where(), limit=LIMIT)
            return await rank_found(reader, Question(text), query, {"cosine": near, "bm25": found})

    return {"vector": vector, "BM25": keywords, "hybrid": hybrid}


async def times(stores: dict[str, EmbeddedStore], ask: Ask, count: int) -> dict[str, float]:
    """The median in milliseconds, the stores asked in turns."""
    taken: dict[str, list[float]] = {name: [] for name in stores}
    for number in range(-3, count):
        for name, store in stores.items():
            held, encrypted_rows.MAX_CACHED_BYTES = (
                encrypted_rows.MAX_CACHED_BYTES,
                0 if name == "not kept" else encrypted_rows.MAX_CACHED_BYTES,
            )
            start = time.perf_counter()
            await ask(store, abs(number))
            if number >= 0:
                taken[name].append((time.perf_counter() - start) * 1e3)
            encrypted_rows.MAX_CACHED_BYTES = held
    return {name: round(median(each), 2) for name, each in taken.items()}


async def first(root: Path, ask: Ask) -> dict[str, float]:
    """Milliseconds from opening a store to the answer of its first question, the median of five."""
    taken: dict[str, list[float]] = {"plain": [], "encrypted": []}
    for _ in range(5):
        for name, each in taken.items():
            store = opened(root, name)
            start = time.perf_counter()
            await ask(store, 1)
            each.append((time.perf_counter() - start) * 1e3)
            await store.close()
    return {name: round(median(each), 1) for name, each in taken.items()}


async def removed(store: EmbeddedStore, count: int) -> dict[str, float]:
    """Milliseconds of a run's end after one document was removed, the median; and what of it its vectors took."""
    taken, vectors = [], []
    spent = 0.0

    def timed(work: Callable[..., None]) -> Callable[..., None]:
        def measured(*args: Any) -> None:
            nonlocal spent
            start = time.perf_counter()
            work(*args)
            spent += time.perf_counter() - start

        return measured

    writing.forget_dead_vectors, writing.overwrite_dead_vectors = (
        timed(purge.forget_dead_vectors),
        timed(purge.overwrite_dead_vectors),
    )
    documents = await store.ledger(SCOPE).documents()
    async with store.writer(SCOPE) as writer:
        for document in documents[:count]:
            await writer.remove([document.id])
            start, spent = time.perf_counter(), 0.0
            await writer.settle()
            taken.append((time.perf_counter() - start) * 1e3)
            vectors.append(spent * 1e3)
    return {"all": round(median(taken), 1), "vectors": round(median(vectors), 1)}


async def memory(root: Path, kind: str) -> dict[str, float]:
    """MB of this process before and after questions to every vector, its own and that of mapped files."""
    if kind == "not kept":
        encrypted_rows.MAX_CACHED_BYTES = 0
    store = opened(root, kind)
    async with store.reader(SCOPE) as reader:
        await reader.matching("nothing", where=Where(), limit=1)
    before = _resident()
    for number in range(3):
        await vector(store, number)
    after = _resident()
    await store.close()
    return {name: round(after[name] - before[name], 1) for name in before}


def _resident() -> dict[str, float]:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(lines[name].split()[0]) / 1e3 for name in ("RssAnon", "RssFile")}


def _apart(root: Path, kind: str) -> Any:
    command = [sys.executable, __file__, "--memory", kind, "--root", str(root)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


async def measured(root: Path, options: argparse.Namespace) -> dict[str, Any]:
    words = [" ".join(text.split()[3:9]) for text in islice(passages(options.text), 200) if len(text.split()) > 20]
    found: dict[str, Any] = {"chunks": options.chunks, "documents of": CHUNKS}
    stores = {kind: opened(root, kind) for kind in KINDS}
    found["build, s"] = {
        k: round(await built(stores[k], options.chunks, options.text), 2) for k in ("plain", "encrypted")
    }
    found["disk, MB"] = {
        k: round(sum(path.stat().st_size for path in (root / k).rglob("*") if path.is_file()) / 1e6, 2)
        for k in ("plain", "encrypted")
    }
    found["first question, vector, ms"] = await first(root, vector)
    for name, ask in asks(words).items():
        found[f"{name}, ms"] = await times(stores, ask, options.questions)
    found["memory of vectors, MB"] = {kind: _apart(root, kind) for kind in KINDS}
    found["settle after one removal, ms"] = {k: await removed(stores[k], 9) for k in ("plain", "encrypted")}
    for store in stores.values():
        await store.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        print(json.dumps(asyncio.run(memory(options.root, options.memory))))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measured(Path(folder), options)), indent=1))


if __name__ == "__main__":
    main()
