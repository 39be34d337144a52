"""How well chunks fit the passages that answer questions: 472 questions with exact spans in 5 texts.

    python benchmarks/chunking/gold_spans.py DATA [--way structure] [--option tokens=200] [--top 5]

DATA is the folder with `corpora/*.md` and `questions_df.csv` of Chroma's chunking evaluation (MIT).
In characters, means over the questions: `recall` is the share of the gold that the top chunks hold
(cosine with the built-in embedder), `precision` the share of those chunks that is gold, `iou` both
over their union; `ceiling` is the precision when exactly the chunks that touch the gold are found,
`whole` the share of gold spans that one chunk holds entirely. `--top 0` leaves the embedder out.
"""

import argparse
import asyncio
import csv
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

import numpy as np

from ragstone.chunking import make_chunker
from ragstone.core.ports import Embedder
from ragstone.core.types import Piece
from ragstone.extraction import extract
from ragstone.providers import make_embedder

Ranges = Sequence[tuple[int, int]]
# The embedded text has the headings above it, as in an ingestion.
ARROW = " > "


def union(ranges: Ranges) -> list[tuple[int, int]]:
    """The same characters without overlaps, in order."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def length(ranges: Ranges) -> int:
    return sum(end - start for start, end in ranges)


def shared(a: Ranges, b: Ranges) -> int:
    """How many characters two unions share."""
    return sum(max(0, min(e1, e2) - max(s1, s2)) for s1, e1 in a for s2, e2 in b)


def places(piece: Piece) -> list[tuple[int, int]]:
    return [(span.char_start, span.char_end) for span in piece.spans]


def questions(data: Path) -> dict[str, list[tuple[str, list[tuple[int, int]]]]]:
    """Questions and their gold ranges for each corpus."""
    out: dict[str, list[tuple[str, list[tuple[int, int]]]]] = {}
    with (data / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            gold = [(ref["start_index"], ref["end_index"]) for ref in json.loads(row["references"])]
            out.setdefault(row["corpus_id"], []).append((row["question"], union(gold)))
    return out


def fit(pieces: Sequence[Piece], gold: Ranges) -> dict[str, float]:
    """What can be said without retrieval: `ceiling` and `whole`."""
    touching = [place for piece in pieces if shared(places(piece), gold) for place in places(piece)]
    whole = [any(shared(places(piece), [span]) == length([span]) for piece in pieces) for span in gold]
    return {"ceiling": shared(union(touching), gold) / max(1, length(touching)), "whole": mean(whole)}


def found(pieces: Sequence[Piece], gold: Ranges) -> dict[str, float]:
    """Recall, precision and intersection over union of the found pieces; what they repeat counts each time."""
    held = [place for piece in pieces for place in places(piece)]
    both, size = shared(union(held), gold), length(held)
    return {"recall": both / length(gold), "precision": both / size, "iou": both / (size + length(gold) - both)}


async def ranked(embedder: Embedder, pieces: Sequence[Piece], asked: Sequence[str], top: int) -> list[list[Piece]]:
    """The pieces nearest to each question, ties by place."""
    texts = ["\n".join(filter(None, [ARROW.join(p.heading_path), p.header, p.text])) for p in pieces]
    vectors = await embedder.embed(texts)
    queries = await embedder.embed(asked, kind="query")
    orders = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :top]
    return [[pieces[i] for i in order] for order in orders]


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--way", default="structure")
    parser.add_argument("--option", action="append", default=[], help="name=whole number")
    parser.add_argument("--top", type=int, default=5)
    given = parser.parse_args()
    options = {name: int(value) for name, value in (pair.split("=") for pair in given.option)}
    embedder = make_embedder("minilm")
    chunker = make_chunker(given.way, tokenizer=embedder.tokenizer, reads=embedder.reads, options=options)
    rows: list[dict[str, float]] = []
    tokens: list[int] = []
    seconds = 0.0
    for corpus, asked in sorted(questions(given.data).items()):
        path = given.data / "corpora" / f"{corpus}.md"
        extraction = extract(path.read_bytes(), path=path.name)
        start = time.process_time()
        pieces = chunker.cut(extraction)
        seconds += time.process_time() - start
        tokens += [piece.tokens for piece in pieces]
        hits = await ranked(embedder, pieces, [q for q, _ in asked], given.top) if given.top else [[] for _ in asked]
        for (_, gold), best in zip(asked, hits, strict=True):
            rows.append(fit(pieces, gold) | (found(best, gold) if best else {}))
    await embedder.close()
    measures = {name: round(mean(row[name] for row in rows), 3) for name in rows[0]}
    sizes = {"pieces": len(tokens), "median_tokens": median(tokens), "cut_cpu_seconds": round(seconds, 2)}
    print(json.dumps({"recipe": chunker.recipe, "questions": len(rows), "top": given.top, **measures, **sizes}))


if __name__ == "__main__":
    asyncio.run(main())
