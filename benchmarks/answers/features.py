"""The signs that decide between answer and abstention, for the questions of five collections, as JSON lines.

The fifth is this project's demo, which is reported on and never fitted on.

    python benchmarks/answers/features.py DATA WORK

DATA holds `qa/squad_near`, `qa/clapnq`, `qa/chunking_evaluation`, `retrieval/anthropic_docs`. Each is ingested
once into WORK with the built-in model; WORK also keeps every vector, so that a second run embeds nothing
but the tokens (the first takes some 20 minutes of processor time). Writes WORK/features.jsonl, a line a question and
label:

- answerable, near: as the collection says (near: the right paragraph is there, the answer is not in it);
- gone: an answerable question whose answering chunks are taken out of what was found;
- off: a question of another collection.

Each line has the signs with the vectors of tokens, with vectors of texts alone (as other models give them) and, as in
keyword mode, without.
"""

import argparse
import asyncio
import csv
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

import ragstone
from ragstone.answering.passage_choice import AnswerInput, choose_passages
from ragstone.core.ports import Embedder, Reader, Vectors
from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.evaluation import BeirSource, path_for_id
from ragstone.providers import make_embedder
from ragstone.retrieval.query_vectors import embed_question
from ragstone.retrieval.question import Question

DEEP = 40  # hits before the answering ones are taken out
OFF = 150  # questions of another collection
EVERY = {"chunking": 2}  # only every so many questions, for time
DEMO = Path(__file__).parents[2] / "demo"
KINDS: dict[str, Literal["near", "off"]] = {"near miss": "near", "off topic": "off"}


@dataclass(frozen=True)
class Asking:
    """A question, its label, the article that it belongs to, which hits answer it."""

    text: str
    label: Literal["answerable", "near", "off"]
    group: str
    answers: Callable[[Hit], bool] | None = None


class Kept:
    """An embedder that remembers its vectors in a file."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self.inner, self.file = inner, file
        self.vectors: dict[str, Any] = pickle.loads(file.read_bytes()) if file.exists() else {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        """As the inner one."""
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors.update(zip(new, await self.inner.embed(new, kind=kind), strict=True))
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)

    async def close(self) -> None:
        """Write the vectors down."""
        self.file.write_bytes(pickle.dumps(self.vectors))


class TextsAlone:
    """An embedder without the vectors of its tokens."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        if name == "match_tokens":
            raise AttributeError(name)
        return getattr(self.inner, name)


def main() -> None:
    """Write the features."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    asyncio.run(_all(args.data, args.work))


async def _all(data: Path, work: Path) -> None:
    embedder = Kept(make_embedder("minilm", precision="int8"), work / "vec.pkl")
    folders = {
        "squad_near": data / "qa" / "squad_near",
        "clapnq": data / "qa" / "clapnq",
        "anthropic": data / "retrieval" / "anthropic_docs",
        "chunking": data / "qa" / "chunking_evaluation" / "data",
        "demo": DEMO,
    }
    reads = {"chunking": _spans, "demo": _golden}
    asked = {name: list(reads.get(name, _beir)(folder))[:: EVERY.get(name, 1)] for name, folder in folders.items()}
    strangers = {name: asked["squad_near" if name != "squad_near" else "clapnq"] for name in folders}
    with (work / "features.jsonl").open("w", encoding="utf-8") as out:
        for name, folder in folders.items():
            store = work / f"store_{name}"
            there = store.exists()
            async with ragstone.Engine(ragstone.load(store=str(store)), embedder=embedder) as kb:
                if not there:
                    inside = {"chunking": "corpora", "demo": "docs"}.get(name)
                    await (kb.ingest(folder / inside) if inside else kb.ingest_source(BeirSource(folder)))
                other = strangers[name]
                off = [replace(one, label="off") for one in other[:: max(1, len(other) // OFF)]]
                async for row in _rows(kb, name, [*asked[name], *off]):
                    out.write(json.dumps(row) + "\n")
            await embedder.close()
            print(name, flush=True)


async def _rows(kb: ragstone.Engine, name: str, asked: Sequence[Asking]) -> Any:
    context = kb.search_context
    embedder = context.sources[0].embedder
    async with kb.store.reader(kb.scope) as reader:
        for one in asked:
            question = kb.question(one.text)
            vector = (await embed_question(context, question, Trace())).first
            hits = (await kb.search(one.text)).hits
            yield await _row(embedder, reader, question, vector, hits, name, one.label, one.group)
            if one.label == "answerable" and one.answers is not None:
                deep = (await kb.search(one.text, top_k=DEEP)).hits
                gone = [hit for hit in deep if not one.answers(hit)][: question.top_k]
                yield await _row(embedder, reader, question, vector, gone, name, "gone", one.group)


async def _row(
    embedder: Any,
    reader: Reader,
    question: Question,
    vector: Any,
    hits: Sequence[Hit],
    name: str,
    *what: str,
) -> dict[str, Any]:
    asked = AnswerInput(question, hits, reader, Trace(), embedder, vector)
    tokens = (await choose_passages(asked)).evidence
    vectors = (await choose_passages(replace(asked, embedder=cast(Embedder, TextsAlone(embedder))))).evidence
    bare = [replace(hit, signals={"bm25": hit.signals["bm25"]}) for hit in hits]
    words = (await choose_passages(AnswerInput(question, bare, reader, Trace(), embedder))).evidence
    label, group = what
    return {
        "set": name, "label": label, "group": group, "question": question.text,
        "tokens": asdict(tokens), "vectors": asdict(vectors), "words": asdict(words),
    }  # fmt: skip


def _beir(folder: Path) -> Iterator[Asking]:
    titles = {row["_id"]: row.get("title", "") for row in _lines(folder / "corpus.jsonl")}
    gold: dict[str, set[str]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            gold.setdefault(query, set()).add(path_for_id(document))
    for number, row in enumerate(_lines(folder / "queries.jsonl")):
        about = row.get("metadata", {})
        group = titles.get(about.get("source_paragraph"), str(number % 5))
        paths = gold.get(row["_id"])
        yield Asking(
            row["text"],
            "near" if about.get("answerable") is False else "answerable",
            group,
            _stands_in(paths) if paths else None,
        )


def _golden(folder: Path) -> Iterator[Asking]:
    for row in _lines(folder / "golden.jsonl"):
        yield Asking(row["question"], KINDS.get(row["kind"], "answerable"), row["kind"])


def _spans(folder: Path) -> Iterator[Asking]:
    """The chunking evaluation, whose answers are spans of its five documents."""
    with (folder / "questions_df.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            places = [(r["start_index"], r["end_index"]) for r in json.loads(row["references"])]
            path = f"{row['corpus_id']}.md"
            yield Asking(row["question"], "answerable", row["corpus_id"], _meets(path, places))


def _stands_in(paths: set[str]) -> Callable[[Hit], bool]:
    return lambda hit: hit.chunk.document.path in paths


def _meets(path: str, places: Sequence[tuple[int, int]]) -> Callable[[Hit], bool]:
    return lambda hit: (
        hit.chunk.document.path == path
        and any(a < span.char_end and span.char_start < b for span in hit.chunk.spans for a, b in places)
    )


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
