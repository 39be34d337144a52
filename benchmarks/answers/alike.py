"""How alike sections of the same page are across versions of a documentation, and sections of different pages.

    python benchmarks/answers/alike.py DATA/kb/powershell_docs

Sections under level-2 headings of at least 20 terms. Pairs: the same page and heading in two versions;
and, for false folds, sections of other pages of one version.
"""

import argparse
import random
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from ragstone.core.analyzer import extract_terms
from ragstone.core.passage_difference import differ_in_facts
from ragstone.retrieval.selection import ALIKE, jaccard

LEVELS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7)


def main() -> None:
    """Print the share of pairs at or above each similarity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    args = parser.parse_args()
    pages: dict[tuple[str, str], list[tuple[str, frozenset[str], str]]] = defaultdict(list)
    for path in sorted(args.tree.rglob("*.md")):
        version = next((part for part in path.parts if re.fullmatch(r"\d\.\d", part)), None)
        if version is None:
            continue
        for section in re.split(r"\n(?=## )", path.read_text(encoding="utf-8", errors="replace"))[1:]:
            bag = frozenset(extract_terms(section))
            if len(bag) >= 20:
                pages[path.name, section.split("\n", 1)[0]].append((version, bag, section))
    chance = random.Random(0)
    same = [jaccard(a[1], b[1]) for found in pages.values() for a, b in pairwise(found) if a[0] != b[0]]
    close = [
        (a[2], b[2])
        for found in pages.values()
        for a, b in pairwise(found)
        if a[0] != b[0] and jaccard(a[1], b[1]) >= ALIKE
    ]
    folded = sum(" ".join(a.split()) == " ".join(b.split()) or not differ_in_facts(a, b) for a, b in close)
    print(f"same section, two versions, alike: {folded / len(close):.4f} of {len(close)} also agree in their facts")
    keys = sorted(pages)
    other = [
        jaccard(pages[a][0][1], pages[b][0][1])
        for heading in (
            "## Examples",
            "## Description",
            "## Parameters",
            "## Inputs",
            "## Syntax",
            "## NOTES",
            "## Notes",
        )
        for group in [[key for key in keys if key[1].lower() == heading.lower()]]
        for a, b in [chance.sample(group, 2) for _ in range(3000 if len(group) > 2 else 0)]
        if a[0] != b[0]
    ]
    for name, values in (("same section, two versions", same), ("same heading, two pages", other)):
        shares = " ".join(f"≥{level}: {sum(v >= level for v in values) / len(values):.4f}" for level in LEVELS)
        print(f"{name} ({len(values)} pairs) {shares}")


if __name__ == "__main__":
    main()
