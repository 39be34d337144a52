"""Prose of documentation pages that stays text, by folder: the share of its characters in blocks of the role body.

    python benchmarks/extraction/html_docs.py FOLDER… [--each 60] [--worst 5]

Each FOLDER holds pages (*.html, also below it), at best of one program; of each `--each` are drawn with a fixed seed.
Prose is every `p` and `pre` of 60 characters and more with few links, outside `nav`, `aside`, `header`, `footer` and
elements whose role says so, without controls. `--worst` names the pages that lose most.
"""

import argparse
import random
import re
from pathlib import Path

from lxml import html

from ragstone.core.errors import Refused
from ragstone.extraction import extract

LEAST = 60
APART = "ancestor::*[self::nav or self::aside or self::header or self::footer or @role='navigation']"
WORD = re.compile(r"\w+")
TARGET = re.compile(r"\]\([^)\s]*\)")


def list_prose(data: bytes) -> list[str]:
    """The words of each paragraph of a page, joined."""
    found, page = [], html.fromstring(data)
    for control in page.xpath("//button | //script | //style"):
        control.drop_tree()
    for node in page.xpath("//p | //pre"):
        text = node.text_content()
        linked = sum(len(a.text_content()) for a in node.xpath(".//a[@href]"))
        if len(" ".join(text.split())) >= LEAST and linked < 0.5 * len(text) and not node.xpath(APART):
            found.append("".join(WORD.findall(text)))
    return found


def measure_page(path: Path) -> tuple[int, int]:
    """Characters of prose that are kept, and of all prose."""
    data = path.read_bytes()
    try:
        blocks = extract(data, path=path.name).blocks
    except Refused:
        return 0, 0
    kept = "".join(WORD.findall(TARGET.sub("]", " ".join(block.text for block in blocks if block.role == "body"))))
    prose = list_prose(data)
    return sum(len(one) for one in prose if one in kept), sum(map(len, prose))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--worst", type=int, default=0)
    given = parser.parse_args()
    for folder in given.folders:
        pages = sorted(folder.rglob("*.html"))
        drawn = random.Random(7).sample(pages, min(given.each, len(pages)))
        counts = {path: measure_page(path) for path in drawn}
        shares = {path: kept / every for path, (kept, every) in counts.items() if every}
        mean = sum(shares.values()) / len(shares) if shares else 0.0
        print(
            f"{mean:.3f} of the prose in the mean of {len(shares)} pages, "
            f"{sum(share < 0.8 for share in shares.values())} below .8: {folder}"
        )
        for path in sorted(shares, key=shares.__getitem__)[: given.worst]:
            print(f"    {shares[path]:.2f} of {counts[path][1]:,} {path.relative_to(folder)}")


if __name__ == "__main__":
    main()
