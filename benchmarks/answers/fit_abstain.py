"""Fits the model that decides between answer and abstention, and says what it is worth on articles it never saw.

    python benchmarks/answers/fit_abstain.py WORK/features.jsonl [--write NUMBERS]

NUMBERS is src/ragstone/answering/abstention/abstain.json.

Logistic regression over standardised signs (`features.py`), L2 penalty 10, each collection with a base of its own,
so that the weights learn what parts answerable from unanswerable within one collection and not what parts one
collection from another; the shipped base is their mean. In each collection answerable, near and off weigh the same
in total, `gone` half: some of those are answered elsewhere. The threshold is the mean over the collections of the
log-odds that 97 % of their answerable questions reach, 95 % with keywords alone.

Held out: the articles of squad_near one by one, a fifth of clapnq at a time, each other collection whole. Then by
halves: fitted on every second article (and fifth), the figures are of the others, and the other way round. The demo's
questions are never fitted on.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from regression import Floats, logistic

Row = dict[str, Any]
WORDING = (
    "sentence section numbers denied opposed other_number extremes typed covered unsaid replaced "
    "replaced_weight replaced_number"
)
SIGNS = {
    "vectors": f"cosine ahead similar {WORDING}".split(),
    "words": f"bm25 {WORDING}".split(),
}
SHARES = {"answerable": 1.0, "near": 1.0, "gone": 0.5, "off": 1.0}
BY_ARTICLE = ("squad_near", "clapnq")
PENALTY = 10.0
ANSWERED = {"vectors": 0.97, "words": 0.95}  # keywords alone tell less: .97 would answer a third of what is off topic


class Fitted:
    """Weights, means, deviations, base and threshold."""

    def __init__(self, rows: Sequence[Row], mode: str) -> None:
        self.mode, self.names = mode, SIGNS[mode]
        raw = self._raw(rows)
        self.mean, self.deviation = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0) + 1e-9
        sets = sorted({row["set"] for row in rows})
        own = np.eye(len(sets))[[sets.index(row["set"]) for row in rows]]
        answers = np.array([row["label"] == "answerable" for row in rows], dtype=float)
        found = logistic(
            np.c_[self._standard(rows), own], answers, _weights(rows), penalised=len(self.names), penalty=PENALTY
        )
        self.weight, self.base = found[: len(self.names)], float(found[len(self.names) :].mean())
        odds = self.odds(rows)
        good = [odds[[i for i, r in enumerate(rows) if r["set"] == s and r["label"] == "answerable"]] for s in sets]
        self.answer_from = float(np.mean([np.quantile(one, 1 - ANSWERED[mode]) for one in good]))

    def _raw(self, rows: Sequence[Row]) -> Floats:
        signs = [[row[self.mode][name] for name in self.names] for row in rows]
        return np.array([[np.nan if value is None else value for value in line] for line in signs], dtype=float)

    def _standard(self, rows: Sequence[Row]) -> Floats:
        standard: Floats = np.nan_to_num((self._raw(rows) - self.mean) / self.deviation)
        return standard

    def odds(self, rows: Sequence[Row]) -> Floats:
        """The log-odds of an answer for each row."""
        odds: Floats = self._standard(rows) @ self.weight + self.base
        return odds

    def data(self) -> dict[str, Any]:
        """As it stands in the JSON file."""
        numbers = zip(self.names, self.weight, self.mean, self.deviation, strict=True)
        return {
            "base": round(self.base, 4),
            "answer_from": round(self.answer_from, 4),
            "signs": {name: [round(float(n), 4) for n in three] for name, *three in numbers},
        }


def _weights(rows: Sequence[Row]) -> Floats:
    count: dict[tuple[str, str], int] = {}
    for row in rows:
        count[row["set"], row["label"]] = count.get((row["set"], row["label"]), 0) + 1
    weights = np.array([SHARES[row["label"]] / count[row["set"], row["label"]] for row in rows])
    return np.asarray(weights / weights.mean())


def main() -> None:
    """Report, then write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    rows = [row for row in map(json.loads, args.features.read_text("utf-8").splitlines()) if row["vectors"]["hits"]]
    fitted = [row for row in rows if row["set"] != "demo"]
    for mode in SIGNS:
        print(f"\n{mode}: held out")
        _held_out(fitted, mode)
        for odd in (False, True):
            print(f"\n{mode}: fitted on {'every other half' if odd else 'the first half'}, the rest reported")
            _halves(rows, mode, odd=odd)
    rows = fitted
    data = {
        "about": "log-odds of an answer = base + sum of weight * (sign - mean) / deviation; "
        "each sign: weight, mean, deviation",
        "fitted": "python benchmarks/answers/features.py DATA WORK && "
        "python benchmarks/answers/fit_abstain.py WORK/features.jsonl "
        "--write src/ragstone/answering/abstention/abstain.json",
        "on": {name: sum(row["set"] == name for row in rows) for name in sorted({row["set"] for row in rows})},
        "models": {mode: Fitted(rows, mode).data() for mode in SIGNS},
    }
    text = json.dumps(data, indent=1)
    print("\n" + text)
    if args.write:
        args.write.write_text(text + "\n", encoding="utf-8")


def _held_out(rows: Sequence[Row], mode: str) -> None:
    """Every row scored by a model that did not see its article; off-topic ones of an article go with it."""
    odds, wanted = np.zeros(len(rows)), np.zeros(len(rows))
    for fold in sorted({_fold(row) for row in rows}):
        model = Fitted([row for row in rows if _fold(row) != fold], mode)
        inside = [i for i, row in enumerate(rows) if _fold(row) == fold]
        odds[inside] = model.odds([rows[i] for i in inside])
        wanted[inside] = model.answer_from
    for name in sorted({row["set"] for row in rows}):
        _report(name, odds, wanted, rows)


def _halves(rows: Sequence[Row], mode: str, *, odd: bool) -> None:
    """By halves of the articles; the small collections without articles are fitted on, the demo never."""
    articles = sorted({(row["set"], row["group"]) for row in rows if row["set"] in BY_ARTICLE})
    first = {article for i, article in enumerate(articles) if i % 2 == odd}
    seen = [r for r in rows if r["set"] != "demo" and (r["set"] not in BY_ARTICLE or (r["set"], r["group"]) in first)]
    rest = [r for r in rows if r["set"] == "demo" or (r["set"] in BY_ARTICLE and (r["set"], r["group"]) not in first)]
    model = Fitted(seen, mode)
    for name in sorted({row["set"] for row in rest}):
        _report(name, model.odds(rest), np.full(len(rest), model.answer_from), rest)


def _fold(row: Row) -> str:
    return f"{row['set']}/{row['group']}" if row["set"] in BY_ARTICLE else str(row["set"])


def _report(name: str, odds: Floats, wanted: Floats, rows: Sequence[Row]) -> None:
    at = {label: [i for i, r in enumerate(rows) if r["set"] == name and r["label"] == label] for label in SHARES}
    good = at["answerable"]
    answered = float(np.mean(odds[good] >= wanted[good]))
    tight = float(np.quantile(odds[good], 0.1))
    print(f"{name}: {answered:.3f} of {len(good)} answerable answered")
    for label in ("near", "gone", "off"):
        bad = at[label]
        if bad:
            refused = float(np.mean(odds[bad] < wanted[bad]))
            at_90 = float(np.mean(odds[bad] < tight))
            even = float(np.sort(odds[good + bad])[len(bad)])  # as many refused as there are: precision = recall
            print(
                f"    {label} ({len(bad)}): AUROC {_auroc(odds[good], odds[bad]):.3f} · refusal recall {refused:.3f}"
                f" precision {_precision(refused, 1 - answered):.3f} · where .90 are answered: recall {at_90:.3f}"
                f" precision {_precision(at_90, 0.1):.3f} · where both are alike: {np.mean(odds[bad] < even):.3f}"
            )


def _precision(right: float, wrong: float) -> float:
    """Were there as many unanswerable questions as answerable ones."""
    return right / (right + wrong) if right + wrong else 0.0


def _auroc(good: Floats, bad: Floats) -> float:
    """How often an answerable question has the larger odds."""
    return float(np.mean((good[:, None] > bad) + (good[:, None] == bad) / 2))


if __name__ == "__main__":
    main()
