"""How many lines that count pages are body text, and on how many pages.

    python benchmarks/extraction/pdf_furniture.py FILE.pdf …

A line counts pages if the same words return on four pages or more and its last number rises from page to page, by one
a page at most. In a chunk such a line is quoted as if the document said it.
"""

import re
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.image.pdf_with_ocr import parse_pdf

DIGITS = re.compile(r"\d+")


def count_lines(extraction: Extraction) -> dict[str, int]:
    """The words of lines that count pages, and on how many pages they do."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for block in extraction.blocks:
        if block.role != "body" or block.type == "table" or block.spans[0].page is None:
            continue
        for line in block.text.split("\n"):
            if numbers := DIGITS.findall(line):
                found[DIGITS.sub("#", line)][block.spans[0].page] = int(numbers[-1][-9:])
    return {
        words: len(pages)
        for words, pages in found.items()
        if len(pages) >= 4 and all(0 < n - m <= b - a for (a, m), (b, n) in pairwise(sorted(pages.items())))
    }


for name in sys.argv[1:]:
    try:
        counted = count_lines(parse_pdf(Path(name).read_bytes(), path=name, ocr=False))
    except Refused as refused:
        print(f"{Path(name).name}: {refused}")
        continue
    print(f"{Path(name).name}: {sum(counted.values())} {counted or ''}", flush=True)
