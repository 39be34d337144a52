"""The operations of the performance table that go-rag publishes, by Ragstone, and the share of each stage.

    python benchmarks/seeds/operations.py [--rounds N]

Embeddings come from the built-in model on the CPU, the store is the embedded one. Figures are medians over the rounds.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragstone.chunking import Characters, make_chunker
from ragstone.config.load import load
from ragstone.core.filters import Where
from ragstone.core.ports import Embedder, Vectors
from ragstone.engine import Engine
from ragstone.extraction.markdown.parse import Markdown

TEXT = "Samples of series {n} are kept for {n} days on the disk of node {n}, and a block of them holds two hours. "
LENGTHS = (50, 500, 2000)  # characters of an embedded text


@dataclass(slots=True)
class TimedEmbedder:
    """An embedder that counts the seconds in which at least one of its calls runs, and their texts."""

    inner: Embedder
    seconds: float = 0.0
    texts: int = 0
    running: int = 0
    since: float = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        """The inner embedder's vectors."""
        if not self.running:
            self.since = time.perf_counter()
        self.running += 1
        try:
            return await self.inner.embed(texts, kind=kind)
        finally:
            self.running -= 1
            self.texts += len(texts)
            if not self.running:
                self.seconds += time.perf_counter() - self.since

    async def close(self) -> None:
        """Leave the inner one open: several collections share it."""


async def measure(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    """The median milliseconds of an operation, after one that does not count."""
    await work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        await work()
        times.append(1000 * (time.perf_counter() - start))
    return round(statistics.median(times), 3)


def make_text(characters: int, n: int = 1) -> str:
    """A text of about this length."""
    return (TEXT.format(n=n) * (1 + characters // len(TEXT)))[:characters]


def write_files(folder: Path, texts: Sequence[str], ending: str) -> Path:
    """A new folder with a file for each text."""
    folder.mkdir()
    for n, text in enumerate(texts):
        (folder / f"{n}{ending}").write_text(text, "utf-8")
    return folder


async def measure_embedding(embedder: Embedder, rounds: int) -> dict[str, float]:
    """One text of several lengths, and ten at once."""
    out = {}
    for length in LENGTHS:
        text = make_text(length)
        out[f"one text of {length} characters, ms"] = await measure(lambda text=text: embedder.embed([text]), rounds)
    ten = [make_text(200, n) for n in range(10)]
    out["ten texts of 200 characters, ms"] = await measure(lambda: embedder.embed(ten), rounds)
    return out


async def measure_search(embedder: Embedder, points: int, rounds: int) -> float:
    """The nearest ten of a store with this number of points, the vector given, the view open."""
    with tempfile.TemporaryDirectory() as folder:
        place = write_files(Path(folder, "docs"), [TEXT.format(n=n) for n in range(points)], ".txt")
        async with Engine(load(store=f"embedded:{folder}/store"), embedder=embedder) as engine:
            await engine.ingest(place)
            vector = (await embedder.embed(["how long are samples kept"], kind="query"))[0]
            async with engine.store.reader(engine.scope) as reader:
                return await measure(lambda: reader.nearest(vector, where=Where(), limit=10), rounds)


async def measure_chunking(text: str, rounds: int) -> dict[str, float]:
    """Parsing a Markdown text, and cutting what was parsed."""
    data, chunker = text.encode(), make_chunker("markdown", tokenizer=Characters())

    async def extract() -> object:
        return Markdown().extract(data, path="a.md")

    parsed = Markdown().extract(data, path="a.md")

    async def cut() -> object:
        return chunker.cut(parsed)

    return {"parse, ms": await measure(extract, rounds), "cut, ms": await measure(cut, rounds)}


async def measure_cycle(embedder: Embedder) -> dict[str, Any]:
    """Five documents ingested and one question asked: all seconds, and those of the embedder."""
    timed = TimedEmbedder(embedder)
    with tempfile.TemporaryDirectory() as folder:
        parts = [[f"## Part {m}\n\n{make_text(900, 10 * n + m)}\n\n" for m in range(10)] for n in range(5)]
        place = write_files(Path(folder, "docs"), ["".join(one) for one in parts], ".md")
        start = time.perf_counter()
        async with Engine(load(store=f"embedded:{folder}/store"), embedder=timed) as engine:
            await engine.ingest(place)
            ingested, embedded = time.perf_counter() - start, timed.seconds
            found = await engine.search("how long are samples kept")
        whole = time.perf_counter() - start
    return {
        "ingest and question, s": round(whole, 3),
        "chunks embedded": timed.texts - 1,
        "share of embedding": round(timed.seconds / whole, 3),
        "share of the rest of ingestion": round((ingested - embedded) / whole, 3),
        "question by stage, ms": {stage: round(1000 * seconds, 2) for stage, seconds in found.timings.items()},
    }


async def measure_all(rounds: int) -> dict[str, Any]:
    """All operations."""
    with tempfile.TemporaryDirectory() as folder:
        async with Engine(load(store=f"embedded:{folder}/store")) as engine:
            embedder = engine.search_context.sources[0].embedder
            assert embedder is not None
            sections = "".join(f"## Section {n}\n\n{make_text(300, n)}\n\n" for n in range(50))
            paragraphs = "\n\n".join(make_text(200, n) for n in range(1000))
            return {
                "embedding": await measure_embedding(embedder, rounds),
                "search of 100 points, ms": await measure_search(embedder, 100, 10 * rounds),
                "search of 200 points, ms": await measure_search(embedder, 200, 10 * rounds),
                "50 sections": await measure_chunking(sections, rounds),
                "1,000 paragraphs": await measure_chunking(paragraphs, rounds),
                "five documents": await measure_cycle(embedder),
            }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    print(json.dumps(asyncio.run(measure_all(parser.parse_args().rounds)), indent=1))


if __name__ == "__main__":
    main()
