"""By how much a cosine with a written question must lie above those with passages to count:
`python benchmarks/retrieval/written.py DATA`.

Questions of people stand in for a model's: every second one is written, and asked are the others (`others`: what
was written is not what is asked) or the same ones (`same`: the most that can be gained). Printed is MRR@10 of passages
by their own vectors, and the difference with a margin. Collections: `qa/squad_near` and `qa/chunking_evaluation`.
"""

import asyncio
import csv
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.scripted import Scripted

from ragstone.config.load import load
from ragstone.core.filters import Where
from ragstone.core.ports import Prompt, WrittenReader
from ragstone.engine import Engine

MARGINS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3)
EVERYTHING, DEPTH = 1_000_000, 10
Asked = tuple[str, str]  # a question, and a text that its passage contains
Ranked = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # of each chunk: cosine, best cosine of its questions, whether it is right


def read_squad(data: Path, docs: Path) -> Iterator[Asked]:
    """Answerable questions with the beginning of their paragraph."""
    texts = {one["_id"]: one["text"] for one in _read_lines(data / "qa/squad_near/corpus.jsonl")}
    for identity, text in texts.items():
        (docs / f"{identity}.md").write_text(text, encoding="utf-8")
    for one in _read_lines(data / "qa/squad_near/queries.jsonl"):
        if one["metadata"]["answerable"]:
            yield one["text"], flatten(texts[one["metadata"]["source_paragraph"]])[:80]


def read_chunking(data: Path, docs: Path) -> Iterator[Asked]:
    """Questions with the beginning of the first text that answers them."""
    folder = data / "qa/chunking_evaluation/data"
    for file in folder.rglob("corpora/*.md"):
        (docs / file.name).write_bytes(file.read_bytes())
    with next(folder.rglob("questions_df.csv")).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row["question"], flatten(json.loads(row["references"])[0]["content"])[:80]


def _read_lines(file: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def flatten(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


async def rank(engine: Engine, asked: Sequence[Asked]) -> list[Ranked]:
    """The cosines of all chunks with each question."""
    out = []
    embedder = engine.search_context.sources[0].embedder
    assert embedder is not None
    vectors = await embedder.embed([text for text, _ in asked], kind="query")
    async with engine.store.reader(engine.scope) as reader:
        assert isinstance(reader, WrittenReader)
        for (_, passage), vector in zip(asked, vectors, strict=True):
            own = await reader.nearest(vector, where=Where(), limit=EVERYTHING)
            written = await reader.rate_written([one.id for one in own], vector)
            texts = {chunk.id: flatten(chunk.text) for chunk in await reader.chunks([one.id for one in own[:2000]])}
            right = [passage in texts.get(one.id, "") for one in own]
            if any(right):
                best = [written.get(one.id, -2.0) for one in own]
                out.append((np.array([one.score for one in own]), np.array(best), np.array(right)))
    return out


def measure(ranked: Sequence[Ranked], margin: float) -> np.ndarray:
    """The reciprocal rank of the best right chunk of each question."""
    out = []
    for cosine, written, right in ranked:
        scores = np.maximum(cosine, written - margin)
        place = int((scores > scores[right].max()).sum()) + 1
        out.append(1 / place if place <= DEPTH else 0.0)
    return np.array(out)


async def compare(name: str, asked: Sequence[Asked], folder: Path) -> None:
    """Ingest, then rank the questions that were not written, and those that were."""
    written, others = asked[1::2], asked[::2]

    def write(prompt: Prompt) -> str:
        passage = flatten(prompt.messages[-1].text)
        found = [text for text, begin in written if begin in passage]
        return json.dumps({"questions": found[:5] or ["(nothing)"]})

    settings = load(store=str(folder / "store"), chunk__enrich=["questions"], chunk__enrich_vectors=True)
    async with Engine(settings, completion=Scripted(write)) as engine:
        await engine.ingest(folder / "docs")
        for kind, questions in (("others", others), ("same", written)):
            ranked = await rank(engine, questions)
            plain, chance = measure(ranked, 9.0), np.random.default_rng(0)
            print(f"{name}, {kind}: {len(ranked)} questions, MRR@10 {plain.mean():.3f}")
            for margin in MARGINS:
                gain = measure(ranked, margin) - plain
                drawn = [gain[chance.integers(0, len(gain), len(gain))].mean() for _ in range(1000)]
                low, high = np.percentile(drawn, [2.5, 97.5])
                print(f"  margin {margin:.2f}: {gain.mean():+.3f} ({low:+.3f} to {high:+.3f})")


if __name__ == "__main__":
    for name, read in (("squad_near", read_squad), ("chunking_evaluation", read_chunking)):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "docs").mkdir()
            found = list(read(Path(sys.argv[1]), folder / "docs"))
            asyncio.run(compare(name, found, folder))
