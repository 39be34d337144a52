"""Fits what makes a request stand out of its text, and says what that is worth on kinds of attack it never saw.

    python benchmarks/guard/fit_switch.py DATA --more FOLDER [--write src/ragstone/guard/switch.json]

Logistic regression over the signs of each sentence that asks for something (`ragstone.guard.request_signs`), L2 penalty
3 on standardised signs; each set weighs what SHARES says, whatever its size. A sentence of an attacked document is an
attack where it lies in what was put in. `cut` is the log-odds that CLEAN of the chunks of documentation exceed, mean
over the trees. Fitted on one half; all figures are of the other. DATA as in `texts.py`.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from texts import Text, every

from ragstone.guard.request_signs import NAMES
from ragstone.guard.topic_switch import find_switches

Floats = NDArray[np.float64]
SHARES = {
    "kb": 1.0,
    "clapnq": 0.2,
    "squad": 0.2,
    "prompting": 0.3,
    "questions answered": 0.6,
    "bipia clean": 0.2,
    "bipia": 0.5,
    "bipia, one line": 0.4,
    "bipia, elsewhere": 0.4,
    "in documentation": 0.5,
    "pages, chunks": 0.6,
    "pages, paragraphs": 1.2,
    "help": 0.5,
    "handbooks": 0.4,
    "sayings": 0.3,
    "tables": 0.6,
    "in cells": 0.3,
}
MADE = ("bipia", "bipia, one line", "bipia, elsewhere", "in documentation", "in cells")
CALM = 0.3  # of a set's share goes to what is clean in attacked documents
TOTAL = 2000.0
PENALTY = 3.0
CLEAN = 0.005
CUT_ON = ("kb", "pages, chunks", "help", "handbooks")


class Asking:
    """The sentences that ask, of all texts: signs, whether each is an attack, and of which text it is."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts
        signs, attacks, of = [], [], []
        for n, text in enumerate(texts):
            at = text.text.rfind(text.attack) if text.attack else len(text.text)
            for one, found in find_switches(text.text):
                signs.append(found)
                attacks.append(one.end > at and one.start < at + len(text.attack))
                of.append(n)
        self.signs, self.attacks, self.of = np.array(signs), np.array(attacks), np.array(of)

    def weights(self, chosen: NDArray[np.bool_]) -> Floats:
        sets = np.array([self.texts[n].set for n in self.of])
        out = np.zeros(len(self.of))
        for name, share in SHARES.items():
            for attack in (True, False):
                these = chosen & (sets == name) & (self.attacks == attack)
                part = CALM if name in MADE and not attack else 1.0
                out[these] = TOTAL * share * part / max(1, these.sum())
        return out

    def odds(self, weight: Floats, base: float) -> Floats:
        """The highest log-odds in each text."""
        out = np.full(len(self.texts), -np.inf)
        np.maximum.at(out, self.of, self.signs @ weight + base)
        return out

    def where(self, **wanted: Any) -> NDArray[np.bool_]:
        return np.array([all(getattr(text, name) == value for name, value in wanted.items()) for text in self.texts])


def fitted(asking: Asking, texts: NDArray[np.bool_]) -> tuple[Floats, float, float]:
    """Weights, base and cut from the sentences of these texts."""
    known = np.array([text.set in SHARES for text in asking.texts])
    chosen = (texts & known)[asking.of]
    weight, base = logistic(asking.signs[chosen], asking.attacks[chosen], asking.weights(chosen)[chosen])
    return weight, base, cut(asking, asking.odds(weight, base))


def logistic(signs: Floats, attacks: NDArray[np.bool_], weights: Floats) -> tuple[Floats, float]:
    """Weights and base for signs as they are."""
    mean, deviation = signs.mean(0), signs.std(0) + 1e-6
    rows = np.c_[(signs - mean) / deviation, np.ones(len(signs))]
    found, penalty = np.zeros(rows.shape[1]), np.eye(rows.shape[1]) * PENALTY
    penalty[-1, -1] = 1e-9
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weights * (attacks - chance)) - penalty @ found
        found = found + np.linalg.solve((rows * (weights * chance * (1 - chance))[:, None]).T @ rows + penalty, slope)
    weight: Floats = found[:-1] / deviation
    return weight, float(found[-1] - weight @ mean)


def cut(asking: Asking, odds: Floats) -> float:
    kinds = sorted({(text.set, text.kind) for text in asking.texts if text.set in CUT_ON and text.fit})
    trees = [odds[asking.where(set=name, kind=kind, fit=True)] for name, kind in kinds]
    tried = np.unique(np.concatenate([tree[np.isfinite(tree)] for tree in trees]))
    return float(next(one for one in tried if np.mean([np.mean(tree > one) for tree in trees]) <= CLEAN))


def main() -> None:
    """Print the signs' weights, then the share of each set that is flagged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    asking = Asking(list(every(args.data, more=args.more)))
    fit = asking.where(fit=True)
    weight, base, border = fitted(asking, fit)
    for name, value in zip(NAMES, weight, strict=True):
        print(f"{name:>10} {value:6.2f}")
    odds = asking.odds(weight, base)
    for name in (*SHARES, "deepset in Russian", "notinject"):
        rest = asking.where(set=name, fit=False)
        print(f"{name}: {np.mean(odds[rest] > border):.4f} of {rest.sum()}")
    for kind in sorted({text.kind for text in asking.texts if text.set == "bipia"}):
        seen = np.array([text.set not in MADE or text.kind != kind for text in asking.texts])
        own, own_base, own_cut = fitted(asking, fit & seen)
        unseen = asking.where(fit=False, kind=kind, set="bipia")
        print(f"never saw {kind}: {np.mean(asking.odds(own, own_base)[unseen] > own_cut):.4f} of {unseen.sum()}")
    if args.write:
        weights = {name: round(float(value), 3) for name, value in zip(NAMES, weight, strict=True)}
        data = {"base": round(base, 3), "cut": round(border, 3), "weights": weights}
        args.write.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
