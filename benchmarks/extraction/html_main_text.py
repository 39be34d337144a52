"""Main text of web pages: 4-gram F1 against the article bodies of the article extraction benchmark.

    python benchmarks/extraction/html_main_text.py DATA [--half even|odd] [--pages]

DATA is a folder with `ground-truth.json` and `html/*.html.gz` (github.com/scrapinghub/article-extraction-benchmark).
The measure is that benchmark's: multisets of 4-grams of `\\w+` tokens; true and false positives and false
negatives of a page divided by their sum; precision and recall are the means over pages, F1 is taken of the
two means. Compared is the text of blocks with the role `body`; the page's title (its headings of level 1)
is left out, as the article bodies leave it out, and so are the addresses that links lead to.
"""

import argparse
import gzip
import json
import re
import statistics
from collections import Counter
from pathlib import Path

from ragstone.core.errors import Refused
from ragstone.extraction import extract

N = 4
TOKEN = re.compile(r"\w+")
TARGET = re.compile(r"\]\([^)\s]*\)")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = TOKEN.findall(text)
    return Counter(tuple(tokens[i : i + N]) for i in range(max(1, len(tokens) - N + 1)) if tokens)


def compared(true: str, found: str) -> tuple[float, float, float]:
    """Shares of true positives, false positives and false negatives."""
    a, b = shingles(true), shingles(found)
    counts = ((a & b).total(), (b - a).total(), (a - b).total())
    total = sum(counts)
    return (counts[0] / total, counts[1] / total, counts[2] / total) if total else (0.0, 0.0, 0.0)


def ratio(hit: float, miss: float) -> float:
    return hit / (hit + miss) if hit + miss else 1.0


def main_text(data: bytes, path: str) -> str:
    try:
        extraction = extract(data, path=path)
    except Refused:
        return ""
    blocks = (b for b in extraction.blocks if b.role == "body" and not (b.type == "heading" and b.level == 1))
    return TARGET.sub("]", "\n".join(block.text for block in blocks))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--half", choices=("even", "odd"), help="every second page, by id")
    arguments.add_argument("--pages", action="store_true", help="one line a page, the worst first")
    options = arguments.parse_args()
    truth = json.loads((options.data / "ground-truth.json").read_text(encoding="utf-8"))
    names = sorted(truth)
    if options.half:
        names = names[options.half == "odd" :: 2]
    pages = []
    for name in names:
        data = gzip.decompress((options.data / "html" / f"{name}.html.gz").read_bytes())
        pages.append((name, *compared(truth[name]["articleBody"], main_text(data, f"{name}.html"))))
    precision = statistics.mean(ratio(tp, fp) for _, tp, fp, _ in pages if tp + fp)
    recall = statistics.mean(ratio(tp, fn) for _, tp, _, fn in pages if tp + fn)
    if options.pages:
        for name, tp, fp, fn in sorted(pages, key=lambda page: page[1]):
            print(f"{name[:12]} precision {ratio(tp, fp):.3f} recall {ratio(tp, fn):.3f} {truth[name]['url'][:80]}")
    f1 = 2 * precision * recall / (precision + recall)
    print(json.dumps({"pages": len(pages), "precision": precision, "recall": recall, "f1": f1}))


if __name__ == "__main__":
    main()
