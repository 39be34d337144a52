"""Fits the numbers that weigh what speaks for and against a sentence beside its passages.

    python benchmarks/answers/fit_support.py DATA [--write src/ragstone/answering/verification/support.json]

A logistic regression (`found`) and a small net (`agrees`, `small_net.py`), L2 penalty 1 and 12 on signs of one
deviation, over sentences of the training articles (`corrupt.half`) and of the sets of records with several
facts in one sentence (`coordinated.py`); those that judge are never read. `found` tells supported sentences from those
beside strange chunks, each kind with the same weight; `agrees` tells supported ones from corrupted ones.
`verified_from` are the log-odds that 99.55 % and 95.7 % of the supported sentences of the training articles reach when
their article is left out of the fit; `word_from` is the cosine that 95 % of a synonym's pairs reach.
What passes of each kind is printed, its article or its set left out.
"""

import argparse
import asyncio
import json
import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from coordinated import FIRST, FITTED, SECOND, Record, as_chunk, read_file
from corrupt import Case, articles, cases, written
from regression import Floats, logistic
from small_net import apply_net, fit_net

from ragstone.answering.verification.bindings import Binding
from ragstone.answering.verification.features import RULES
from ragstone.answering.verification.support import GroundingContext, SentencePair
from ragstone.core.ports import Embedder
from ragstone.core.types import Chunk
from ragstone.providers import make_embedder

FOUND = "soft aligned pieces runs covered low back".split()
AGREES = [
    *"soft aligned longest runs pieces extremes strange covered low stolen rival denial denied denial_sure".split(),
    *"denied_sure explained turned back mix kept both condition swapped exchanged".split(),
    *(f"side_{name}" for name in "opposite gained dropped same moved rests".split()),
    *(f"rule_{name}" for name in RULES),
    *(f"bind_{field.name}" for field in fields(Binding)),
]
MODES: dict[str, list[str]] = {"words": [], "vectors": ["similar"]}
PEOPLE = "written by people"
STRANGE = frozenset(("its chunk is gone", "wrong chunk", "half of it from another chunk"))
EACH, WRITTEN = 150, 400  # sentences of a kind of the articles, and of those that people wrote
FOLDS = 5
FOUND_PENALTY, AGREES_PENALTY = 1.0, 12.0
FOUND_REACHED, AGREES_REACHED = 0.9955, 0.957
ARTICLES = 0.2  # what a sentence of the articles and of the first two sets weighs beside the other records
PLAIN = {"reworded": 0.1}  # beside it a plain word in the place of another, which only cosines tell from a synonym
OF_A_KIND, OF_A_STRANGE_KIND = 200.0, 500.0  # what all sentences of a kind weigh together where they are told apart

Net = tuple[float, Floats, Floats]  # base, a number for each sign, hidden units
Fit = Callable[[Floats, Floats, Floats], Net]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence: of which text, of which kind, its weight, whether it is supported, and its signs."""

    text: str
    kind: str
    weight: float
    right: bool
    signs: Mapping[str, float]


def main() -> None:
    """Print the numbers; with `--write` put them where they are read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    text = json.dumps(asyncio.run(_fit_models(args.data)), indent=1)
    text = re.sub(r"\[[-\d.,e\s]+\]", lambda row: " ".join(row.group().split()), text)  # a unit on a line
    print(text)
    if args.write:
        args.write.write_text(text + "\n", encoding="utf-8")


async def _fit_models(data: Path) -> dict[str, Any]:
    embedder = make_embedder("minilm")
    rows: list[Row] = []
    words: list[float] = []
    for text, kind, weight, right, sentence, cited in (*_list_records(), *_list_cases(data)):
        found = await _read_signs(sentence, cited, embedder)
        if found is not None:
            rows.append(Row(text, kind, weight, right, found[0]))
            words += found[1] if kind == "synonyms" else []
    await embedder.close()
    word_from = round(float(np.quantile(words, 0.05)), 3)
    return {
        "about": "log-odds that a sentence is found, and that what is found agrees = base + sum of weight * sign",
        "fitted": "python benchmarks/answers/fit_support.py DATA "
        "--write src/ragstone/answering/verification/support.json",
        "on": dict(sorted(Counter(row.kind for row in rows).items())),
        "models": {mode: {**_fit_models_of(rows, more), "word_from": word_from} for mode, more in MODES.items()},
    }


Sentence = tuple[str, str, float, bool, str, list[Chunk]]


def _list_records() -> Iterator[Sentence]:
    sets: Mapping[str, Sequence[Record]] = {
        "first": FIRST,
        "second": SECOND,
        **{name: read_file(f"coordinated_{name}.jsonl") for name in FITTED},
    }
    for name, records in sets.items():
        for record in records:
            for right, sentences in ((True, record.right), (False, record.wrong)):
                for sentence in sentences:
                    yield record.text, f"records, {name}", 1.0, right, sentence, [as_chunk(record.text)]


def _list_cases(data: Path) -> Iterator[Sentence]:
    found: list[Case] = [case for case in (*cases(articles(data), most=30), *written(data)) if not case.held_out]
    random.Random(0).shuffle(found)
    taken: dict[str, int] = defaultdict(int)
    for case in found:
        taken[case.kind] += 1
        if taken[case.kind] <= (WRITTEN if case.kind == PEOPLE else EACH):
            cited = [case.context[n] for n in case.cited]
            weight = ARTICLES * PLAIN.get(case.kind, 1.0)
            yield case.article, case.kind, weight, case.right == "supported", case.sentence, cited


async def _read_signs(
    sentence: str, cited: Sequence[Chunk], embedder: Embedder
) -> tuple[Mapping[str, float], list[float]] | None:
    """The signs of a sentence beside what it cites alone, and the cosines of its replaced words."""
    grounds, places = GroundingContext(cited), range(len(cited))
    seen = grounds.check(sentence, places)
    if seen.why == "quoted" or not seen.quotes:
        return None
    known = await cosines(embedder, grounds.pairs(sentence, places))
    again = grounds.check(sentence, places, similar=known)
    return again.signs, list(known.values())[len(again.quotes) :]


async def cosines(embedder: Embedder, pairs: Sequence[SentencePair]) -> dict[SentencePair, float]:
    """The cosine of each pair of texts."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts:
        return {}
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    return {(a, b): float(vectors[a] @ vectors[b]) for a, b in pairs}


def _fit_models_of(rows: Sequence[Row], more: Sequence[str]) -> dict[str, Any]:
    """The numbers of both regressions; what `agrees` needs is read off the supported sentences that are found."""
    weighed = [row for row in rows if "covered" in row.signs]
    strange = [row for row in weighed if row.right or row.kind in STRANGE]
    count = Counter(row.kind for row in strange)
    shares = [(OF_A_STRANGE_KIND if row.kind in STRANGE else OF_A_KIND) / count[row.kind] for row in strange]
    others = [row for row in weighed if row.kind not in STRANGE]
    weights = [row.weight for row in others]
    return {
        "found": _fit_model(strange, shares, [*FOUND, *more], FOUND_REACHED, _fit_straight),
        "agrees": _fit_model(others, weights, [*AGREES, *more], AGREES_REACHED, _fit_bent),
    }


def _fit_model(
    rows: Sequence[Row], shares: Sequence[float], names: Sequence[str], reached: float, fit: Fit
) -> dict[str, Any]:
    signs = np.array([[row.signs.get(name, 0.0) for name in names] for row in rows])
    right = np.array([row.right for row in rows], dtype=float)
    weights = np.array(shares)
    fold = np.array([_number_fold(row) for row in rows])
    left_out = np.zeros(len(rows))
    for k in set(fold.tolist()):
        left_out[fold == k] = apply_net(signs[fold == k], fit(signs[fold != k], right[fold != k], weights[fold != k]))
    articles_right = np.array([row.right and "records" not in row.kind for row in rows])
    start = float(np.quantile(left_out[articles_right], 1 - reached))
    for name in sorted({row.kind for row in rows}):
        of = np.array([row.kind == name for row in rows])
        wrong, true = of & (right == 0), of & (right == 1)
        passed = " ".join(f"{np.mean(left_out[one] >= start):.3f}" if one.any() else "-" for one in (true, wrong))
        print(f"{name}: passed of the right and of the wrong {passed}")
    base, found, units = fit(signs, right, weights)
    return {
        "base": round(base, 4),
        "verified_from": round(start, 4),
        "weights": {name: round(float(w), 4) for name, w in zip(names, found, strict=True)},
        "units": [[round(float(w), 4) for w in unit] for unit in units],
    }


def _number_fold(row: Row) -> int:
    """Articles by their text; of the records each set is left out as a whole."""
    if row.kind.startswith("records"):
        return FOLDS + zlib.crc32(row.kind.encode())
    return zlib.crc32(row.text.encode()) % FOLDS


def _fit_straight(signs: Floats, right: Floats, weights: Floats) -> Net:
    """A net without hidden units."""
    scale = signs.std(axis=0)
    scale[scale == 0] = 1.0
    columns = np.hstack([signs / scale, np.ones((len(signs), 1))])
    found = logistic(columns, right, weights, penalised=signs.shape[1], penalty=FOUND_PENALTY)
    return float(found[-1]), found[:-1] / scale, np.zeros((0, signs.shape[1] + 2))


def _fit_bent(signs: Floats, right: Floats, weights: Floats) -> Net:
    return fit_net(signs, right, weights, AGREES_PENALTY)


if __name__ == "__main__":
    main()
