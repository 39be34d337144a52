"""Fits the decision where the embedding model compares single words (`tokens` in abstain.json).

    python benchmarks/answers/fit_everyday.py WORK/rows.jsonl FEATURES [--write NUMBERS]

WORK/rows.jsonl is written by `everyday.py`, FEATURES by `features.py`; NUMBERS is
src/ragstone/answering/abstention/abstain.json, of which the other models stay.

Logistic regression over the signs of `vectors` and those of single words, L2 penalty 10; one sign keeps the weight that
it has in `vectors`. Of the everyday questions an answer is to be given where it is useful, of those of `features.py` as
`fit_abstain.py` says. Each collection has a base of its own, the everyday folders share one, which is shipped; the
questions of `features.py` weigh twice as much together. The threshold is the lowest with no more wrong answers and no
more unanswerable questions answered than before single words were compared, by odds of folders left out of the fit.

Printed: every folder left out of the fit in turn, at that threshold and along the curve; the same for `vectors`; then
the questions of `features.py`, every article (a fifth of clapnq, another collection whole) left out in turn.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fit_abstain import BY_ARTICLE, PENALTY, SHARES
from fit_abstain import SIGNS as OLD_SIGNS
from regression import Floats, logistic

from ragstone.answering.abstention.abstain import load_abstention_models
from ragstone.answering.abstention.evidence import Evidence

Row = dict[str, Any]
# Everyday questions seldom name an extreme, and fitted on them the sign would speak for an answer: it keeps its part.
HELD = ("extremes",)
SIGNS = [name for name in OLD_SIGNS["vectors"] if name not in HELD] + ["matched", "matched_ahead", "unmatched"]
FEATURES_WEIGH = 2.0  # in total, beside the everyday questions
EVERYDAY = "everyday"
# Wrong answers and unanswerable questions answered of these rows by `vectors`, sentences chosen without single words.
MOST_WRONG, MOST_ANSWERED = 53, 46


class Fitted:
    """Weights, means, deviations, and the base of everyday questions."""

    def __init__(self, rows: Sequence[Row]) -> None:
        raw = _raw(rows)
        self.mean, self.deviation = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0) + 1e-9
        sets = sorted({_set(row) for row in rows})
        own = np.eye(len(sets))[[sets.index(_set(row)) for row in rows]]
        wanted = np.array([row["useful"] if _is_everyday(row) else row["label"] == "answerable" for row in rows])
        signs = np.c_[self._standard(rows), own]
        found = logistic(signs, wanted.astype(float), _weights(rows), penalised=len(SIGNS), penalty=PENALTY)
        self.weight, self.base = found[: len(SIGNS)], float(found[len(SIGNS) + sets.index(EVERYDAY)])

    def _standard(self, rows: Sequence[Row]) -> Floats:
        standard: Floats = np.nan_to_num((_raw(rows) - self.mean) / self.deviation)
        return standard

    def odds(self, rows: Sequence[Row]) -> Floats:
        """The log-odds of a useful answer."""
        old = load_abstention_models()["vectors"]
        held = [[old.contributions(_evidence(row, "tokens"))[name] for name in HELD] for row in rows]
        odds: Floats = self._standard(rows) @ self.weight + self.base + np.array(held).sum(axis=1)
        return odds

    def data(self, answer_from: float) -> dict[str, Any]:
        """As it stands in the JSON file."""
        numbers = [*zip(SIGNS, self.weight, self.mean, self.deviation, strict=True)]
        old = load_abstention_models()["vectors"].signs
        numbers += [(name, old[name].weight, old[name].mean, old[name].deviation) for name in HELD]
        return {
            "base": round(self.base, 4),
            "answer_from": round(answer_from, 4),
            "signs": {name: [round(float(n), 4) for n in three] for name, *three in numbers},
        }


def _raw(rows: Sequence[Row]) -> Floats:
    signs = [[row["tokens"][name] for name in SIGNS] for row in rows]
    return np.array([[np.nan if value is None else value for value in line] for line in signs], dtype=float)


def _is_everyday(row: Row) -> bool:
    return "folder" in row


def _set(row: Row) -> str:
    return EVERYDAY if _is_everyday(row) else str(row["set"])


def _fold(row: Row) -> str:
    """What is left out of the fit together."""
    if _is_everyday(row):
        return f"{EVERYDAY}/{row['folder']}"
    return f"{row['set']}/{row['group']}" if row["set"] in BY_ARTICLE else str(row["set"])


def _weights(rows: Sequence[Row]) -> Floats:
    """Every everyday question weighs 1; of the others each collection as much, and each label in it its share."""
    count = Counter((row["set"], row["label"]) for row in rows if not _is_everyday(row))
    weights = np.array([1.0 if _is_everyday(r) else SHARES[r["label"]] / count[r["set"], r["label"]] for r in rows])
    others = np.array([not _is_everyday(row) for row in rows])
    weights[others] *= FEATURES_WEIGH * (~others).sum() / weights[others].sum()
    return weights


def main() -> None:
    """Report, then write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    rows = [row for row in _read(args.rows) if row["tokens"]["hits"]]
    others = [row for row in _read(args.features) if row["tokens"]["hits"] and row["set"] != "demo"]
    old = load_abstention_models()["vectors"]
    now = _count(rows, np.array([old.odds(_evidence(row, "tokens")) for row in rows]), old.answer_from)
    print(f"vectors: {_describe(now)}")
    left_out = _leave_out([*rows, *others])
    odds = left_out[: len(rows)]
    least = _find_threshold(rows, odds)
    print(f"tokens, folders left out in turn, from {least:.3f}: {_describe(_count(rows, odds, least))}")
    for tried in np.quantile(odds, np.linspace(0, 0.9, 10)):
        print(f"    from {tried:6.3f}: {_describe(_count(rows, odds, float(tried)))}")
    for name in sorted({row["folder"] for row in rows}):
        at = [i for i, row in enumerate(rows) if row["folder"] == name]
        print(f"    {name}: {_describe(_count([rows[i] for i in at], odds[at], least))}")
    before = np.array([old.odds(_evidence(row, "vectors")) for row in others])
    _report("vectors, as shipped", others, before, old.answer_from)
    _report("tokens, left out in turn", others, left_out[len(rows) :], least)
    model = Fitted([*rows, *others])
    print(f"tokens, fitted on all: {_describe(_count(rows, model.odds(rows), least))}")
    print(json.dumps(model.data(least)))
    if args.write:
        _write(args.write, model.data(least), [*rows, *others])


def _read(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _evidence(row: Row, mode: str) -> Evidence:
    return Evidence(**{**row[mode], "missing": tuple(row[mode]["missing"])})


def _leave_out(rows: Sequence[Row]) -> Floats:
    odds = np.zeros(len(rows))
    for fold in sorted({_fold(row) for row in rows}):
        model = Fitted([row for row in rows if _fold(row) != fold])
        inside = [i for i, row in enumerate(rows) if _fold(row) == fold]
        odds[inside] = model.odds([rows[i] for i in inside])
    return odds


def _count(rows: Sequence[Row], odds: Floats, least: float) -> "Counter[str]":
    counts: Counter[str] = Counter()
    for row, odd in zip(rows, odds, strict=True):
        given = row["answered"] and odd >= least
        kind = "useful" if row["useful"] else "wrong"
        counts[(kind if given else "declined") if row["answerable"] else "answered" if given else "refused"] += 1
    return counts


def _find_threshold(rows: Sequence[Row], odds: Floats) -> float:
    """The lowest with no more wrong answers and unanswerable questions answered, in the middle to the next lower."""
    steps = sorted(set(odds.tolist()))
    for lower, least in zip([steps[0] - 1.0, *steps], steps, strict=False):
        counts = _count(rows, odds, least)
        if counts["wrong"] <= MOST_WRONG and counts["answered"] <= MOST_ANSWERED:
            return float(lower + least) / 2
    raise SystemExit("no threshold keeps wrong answers and unanswerable questions where they are")


def _describe(counts: "Counter[str]") -> str:
    asked = counts["useful"] + counts["wrong"] + counts["declined"]
    return (
        f"{counts['useful']} useful, {counts['wrong']} wrong, {counts['declined']} declined of {asked}; "
        f"{counts['answered']} of {counts['answered'] + counts['refused']} unanswerable answered"
    )


def _report(title: str, rows: Sequence[Row], odds: Floats, least: float) -> None:
    """AUROC and shares answered of the questions of `features.py`."""
    print(title)
    for name in sorted({row["set"] for row in rows}):
        of = {
            label: odds[[i for i, row in enumerate(rows) if row["set"] == name and row["label"] == label]]
            for label in SHARES
        }
        good = of.pop("answerable")
        shares = [
            f"{label} AUROC {_auroc(good, bad):.3f}, answered {np.mean(bad >= least):.3f}"
            for label, bad in of.items()
            if bad.size
        ]
        print(f"    {name}: answered {np.mean(good >= least):.3f} · {' · '.join(shares)}")


def _auroc(good: Floats, bad: Floats) -> float:
    return float(np.mean((good[:, None] > bad) + (good[:, None] == bad) / 2))


def _write(file: Path, made: Row, rows: Sequence[Row]) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    data["models"] = {"tokens": made, **{name: one for name, one in data["models"].items() if name != "tokens"}}
    data["fitted_tokens"] = (
        "python benchmarks/answers/everyday.py DATA WORK && python benchmarks/answers/fit_everyday.py WORK/rows.jsonl "
        "FEATURES --write src/ragstone/answering/abstention/abstain.json"
    )
    data["on_tokens"] = {name: sum(row["set"] == name for row in rows) for name in sorted({row["set"] for row in rows})}
    order = ("about", "fitted", "on", "fitted_tokens", "on_tokens", "models")
    file.write_text(json.dumps({key: data[key] for key in order}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
