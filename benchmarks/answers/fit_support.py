"""Fits the model that tells a sentence found in its passage from one that only shares words with it.

    python benchmarks/answers/fit_support.py DATA [--write src/ragstone/answering/verification/support.json]

Logistic regression, L2 penalty 1, over the signs of sentences in which nothing is said otherwise: light paraphrases and
what people wrote (supported) against sentences held against chunks that do not say them, each kind with the same
weight in total. `verified_from` are the log-odds that 99 % of the supported sentences reach, `doubtful_from` four less;
`word_from` is the cosine that 95 % of a synonym's pairs reach. Only the training articles are read (`corrupt.half`).
"""

import argparse
import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from corrupt import Case, articles, cases, written
from regression import logistic

from ragstone.answering.verification.features import SupportSigns
from ragstone.answering.verification.support import GroundingContext, SentencePair
from ragstone.core.ports import Embedder
from ragstone.providers import make_embedder

SIGNS = "aligned near longest runs pieces extremes".split()
MODES = {"words": SIGNS, "vectors": [*SIGNS, "similar"]}
GOOD = (
    "reordered",
    "dropped",
    "synonyms",
    "twofold",
    "refigured",
    "two sentences in one",
    "two chunks in one",
    "written by people",
)
BAD = ("wrong chunk", "half of it from another chunk", "its chunk is gone")
EACH = 250
PENALTY = 1.0
REACHED = 0.99


def main() -> None:
    """Print the numbers; with `--write` put them where they are read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    found = [case for case in (*cases(articles(args.data), most=30), *written(args.data)) if not case.held_out]
    random.Random(0).shuffle(found)
    text = json.dumps(asyncio.run(_fitted(found)), indent=1)
    print(text)
    if args.write:
        args.write.write_text(text + "\n", encoding="utf-8")


async def _fitted(found: Sequence[Case]) -> dict[str, Any]:
    embedder = make_embedder("minilm")
    taken: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        if case.kind in (*GOOD, *BAD) and len(taken[case.kind]) < EACH:
            taken[case.kind].append(case)
    rows: list[tuple[str, SupportSigns]] = []
    words: list[float] = []
    for kind, some in taken.items():
        for case in some:
            if (row := await _signs(case, embedder)) is not None:
                rows.append((kind, row[0]))
                words += row[1] if kind == "synonyms" else []
    await embedder.close()
    about = "log-odds that a passage supports a sentence = base + sum of weight * sign"
    word_from = round(float(np.quantile(words, 0.05)), 3)
    return {
        "about": about,
        "fitted": "python benchmarks/answers/fit_support.py DATA "
        "--write src/ragstone/answering/verification/support.json",
        "on": dict(sorted(Counter(kind for kind, _ in rows).items())),
        "models": {mode: {**_model(rows, names), "word_from": word_from} for mode, names in MODES.items()},
    }


async def _signs(case: Case, embedder: Embedder) -> tuple[SupportSigns, list[float]] | None:
    """The signs of a sentence beside what it cites alone, with cosines, and those of its replaced words."""
    grounds = GroundingContext([case.context[n] for n in case.cited])
    seen = grounds.check(case.sentence, range(len(case.cited)))
    if seen.about or not seen.quotes or seen.why == "quoted":
        return None
    known = await cosines(embedder, all_pairs(grounds, case.sentence, len(case.cited)))
    again = grounds.check(case.sentence, range(len(case.cited)), similar=known)
    changed = list(known.values())[len(again.quotes) :]
    return (replace(again.signs), changed)


def all_pairs(grounds: GroundingContext, sentence: str, cited: int) -> list[SentencePair]:
    """Every pair that a cosine may be asked for: the sentence with its passages, then replaced words."""
    return list(grounds.pairs(sentence, range(cited)))


async def cosines(embedder: Embedder, pairs: Sequence[SentencePair]) -> dict[SentencePair, float]:
    """The cosine of each pair of texts."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts:
        return {}
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    return {(a, b): float(vectors[a] @ vectors[b]) for a, b in pairs}


def _model(rows: Sequence[tuple[str, SupportSigns]], names: Sequence[str]) -> dict[str, Any]:
    count = Counter(kind for kind, _ in rows)
    signs = np.array([[getattr(signs, name) or 0.0 for name in names] + [1.0] for _, signs in rows])
    good = np.array([kind in GOOD for kind, _ in rows], dtype=float)
    weights = np.array([1 / count[kind] / (len(GOOD) if kind in GOOD else len(BAD)) for kind, _ in rows])
    found = logistic(signs, good, weights * len(rows) / weights.sum(), penalised=len(names), penalty=PENALTY)
    odds = signs @ found
    start = float(np.quantile(odds[good > 0], 1 - REACHED))
    print(
        f"{'+'.join(names)}: reached by {np.mean(odds[good > 0] >= start):.3f} of {int(good.sum())} supported, "
        f"by {np.mean(odds[good == 0] >= start):.3f} of {int((1 - good).sum())} others"
    )
    return {
        "base": round(float(found[-1]), 4),
        "verified_from": round(start, 4),
        "doubtful_from": round(start - 4, 4),
        "weights": {name: round(float(w), 4) for name, w in zip(names, found, strict=False)},
    }


if __name__ == "__main__":
    main()
