"""How often a written answer needs no vectors of passages before it is begun, and whether that changes a decision.

    python benchmarks/answers/sparing.py WORK/features.jsonl

Reads what `features.py` wrote. Prints, for each collection and label, the share of questions whose decision stands
before the passages are compared, and how many of those the comparison would have decided otherwise; last how far the
cosine of the passage lies from that of the best chunk. The signs are those of the passage that was chosen with vectors:
one chosen by words alone can be another.
"""

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ragstone.answering.abstention.abstain import decide_abstention, is_settled
from ragstone.answering.abstention.evidence import Evidence

SIGNS = {field.name for field in fields(Evidence)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    away: list[float] = []
    with open(parser.parse_args().features, encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found = _evidence(row["vectors"])
            if found.cosine is None or found.similar is None:
                continue
            away.append(found.similar - found.cosine)
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


def _evidence(signs: dict[str, Any]) -> Evidence:
    known = {name: value for name, value in signs.items() if name in SIGNS}
    return Evidence(**{**known, "missing": tuple(signs["missing"])})


def _told(found: Evidence) -> Counter[str]:
    stands = is_settled(found)
    other = (
        stands and decide_abstention(replace(found, similar=found.cosine)).abstain != decide_abstention(found).abstain
    )
    return Counter(questions=1, settled=stands, otherwise=other)


if __name__ == "__main__":
    main()
