"""Questions in everyday words: how early the passage comes that has the expected words, by each scale of word scores.

    python benchmarks/retrieval/everyday.py DATA [--code FOLDER] [--questions everyday.jsonl] [--total]

Asks the answerable questions of `benchmarks/answers/first_hour.py`, which says what DATA and FOLDER are; without
`--code` those about code are left out. Prints for each folder and for all: the share of questions whose first passage
has all expected words, that of the first three, and the mean reciprocal rank among ten.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parents[1] / "answers"
sys.path.insert(0, str(ANSWERS))
from first_hour import collect_folder, holds  # noqa: E402

import ragstone  # noqa: E402

SCALES = ("best", "coverage")
Ranks = dict[str, list[int | None]]


def main() -> None:
    """Print a line for each folder and scale, and those of all folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--code", type=Path, help="folder with the sources for questions about code")
    parser.add_argument("--questions", default="everyday.jsonl", help="file of questions")
    parser.add_argument("--total", action="store_true", help="print the lines for all folders alone")
    args = parser.parse_args()
    lines = (ANSWERS / args.questions).read_text(encoding="utf-8").splitlines()
    questions = [one for one in map(json.loads, lines) if one["document"]]
    every: Ranks = {scale: [] for scale in SCALES}
    with tempfile.TemporaryDirectory() as work:
        for name in dict.fromkeys(one["folder"] for one in questions):
            folder = collect_folder(args.data, name, Path(work), args.code)
            if folder is None:
                continue
            found = asyncio.run(
                _rank(folder, Path(work) / f"{name}.store", [q for q in questions if q["folder"] == name])
            )
            for scale in SCALES:
                every[scale] += found[scale]
                if not args.total:
                    print(f"{name}, {scale}: {_describe(found[scale])}", flush=True)
    for scale in SCALES:
        print(f"all, {scale}: {_describe(every[scale])}")


async def _rank(folder: Path, store: Path, questions: Sequence[dict[str, Any]]) -> Ranks:
    """For each scale the rank from 0 of the first passage with the expected words, None where ten have none."""
    ranks: Ranks = {scale: [] for scale in SCALES}
    async with ragstone.Engine(ragstone.load(store=str(store))) as kb:
        await kb.ingest(folder)
        for one in questions:
            for scale in SCALES:
                hits = (await kb.search(one["question"], top_k=10, word_scale=scale)).hits
                fitting = (rank for rank, hit in enumerate(hits) if holds(hit.chunk.text, one["expected"]))
                ranks[scale].append(next(fitting, None))
    return ranks


def _describe(ranks: Sequence[int | None]) -> str:
    first, three = (sum(rank is not None and rank < most for rank in ranks) / len(ranks) for most in (1, 3))
    mean = sum(1 / (1 + rank) for rank in ranks if rank is not None) / len(ranks)
    return f"{len(ranks)} questions: first {first:.3f}, among three {three:.3f}, MRR {mean:.3f}"


if __name__ == "__main__":
    main()
