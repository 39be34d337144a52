"""How often a written answer needs no vectors of passages before it is begun, and whether that changes a decision.

    python benchmarks/answers/sparing.py WORK/features.jsonl [--signs vectors]

Reads what `features.py` wrote. Prints, for each collection and label, the share of questions whose decision stands
before the passages are compared, and how many of those the comparison would have decided otherwise; last how far the
cosine of the passage lies from that of the best chunk, and what the signs of single words are. The signs are those of
the passage that was chosen with vectors: one chosen by words alone can be another.
"""

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ragstone.answering.abstention.abstain import MATCHES, decide_abstention, is_settled
from ragstone.answering.abstention.evidence import Evidence

SIGNS = {field.name for field in fields(Evidence)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--signs", choices=("tokens", "vectors"), default="tokens")
    args = parser.parse_args()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    away: list[float] = []
    words: dict[str, list[float]] = defaultdict(list)
    with open(args.features, encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found = _evidence(row[args.signs])
            if found.cosine is None or found.similar is None:
                continue
            away.append(found.similar - found.cosine)
            for name in MATCHES:
                words[name] += [value] if (value := getattr(found, name)) is not None else []
            counts[row["set"], row["label"]].update(_told(found))
    for (name, label), count in sorted(counts.items()):
        share = count["settled"] / count["questions"]
        print(f"{name:<12} {label:<11} {count['questions']:>5} settled {share:.3f} otherwise {count['otherwise']}")
    whole = sum(counts.values(), Counter())
    print(
        f"all {whole['questions']} settled {whole['settled'] / whole['questions']:.3f} otherwise {whole['otherwise']}"
    )
    low, high = np.percentile(away, [1.5, 98.5])
    print(f"similar - cosine: mean {np.mean(away):.3f}, 97 in 100 between {low:.3f} and {high:.3f}")
    for name, values in words.items() if args.signs == "tokens" else ():
        low, high = np.percentile(values, [10, 90])
        print(f"{name}: 80 in 100 between {low:.3f} and {high:.3f}")


def _evidence(signs: dict[str, Any]) -> Evidence:
    known = {name: value for name, value in signs.items() if name in SIGNS}
    return Evidence(**{**known, "missing": tuple(signs["missing"])})


def _told(found: Evidence) -> Counter[str]:
    stands = is_settled(found)
    guessed = replace(found, similar=found.cosine, matched=None, matched_ahead=None, unmatched=None)
    other = stands and decide_abstention(guessed).abstain != decide_abstention(found).abstain
    return Counter(questions=1, settled=stands, otherwise=other)


if __name__ == "__main__":
    main()
