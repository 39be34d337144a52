"""Whether every word that pdfium reads on a page stands in the record, and every box encloses its quote.

    python benchmarks/extraction/pdf_nothing_lost.py FOLDER … [--seconds 120] [--boxes 40] [--worst 20]

Every `*.pdf` under the folders is read. Per file: pages, seconds, the share of pdfium's words (plain text of
each page, hyphens at line ends joined, letters and digits only, compared without spaces in a window) that the
record's characters of that page hold; and for quotes spread over the record whether pdfium's text inside
`layout.boxes` of the quote, equals the quote. Refusals are listed.
"""

import argparse
import json
import re
import time
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pypdfium2

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.image.pdf_with_ocr import parse_pdf

WORD = re.compile(r"[^\W_]+")
HYPHEN = re.compile(r"(?:[\x02\xad\ufffe]|-)\s*\n\s*")


def words(text: str) -> Counter[str]:
    text = HYPHEN.sub("", text)
    return Counter(w for w in WORD.findall(unicodedata.normalize("NFKC", text).lower()))


def pages_of(extraction: Extraction) -> dict[int, str]:
    """The record's text of each page, by its strips."""
    assert extraction.layout is not None
    parts: dict[int, list[str]] = {}
    for strip in extraction.layout.strips():
        parts.setdefault(strip.page, []).append(extraction.record[strip.start : strip.end])
    return {page: "\n".join(texts) for page, texts in parts.items()}


def held(want: Counter[str], text: str) -> int:
    """How many of the words stand in a text, whole or inside what it writes together."""
    have = words(text)
    run = "".join(WORD.findall(unicodedata.normalize("NFKC", text).lower()))
    return sum(n if have[w] >= n or w in run else have[w] for w, n in want.items())


def normal(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.replace("\x02", "-").replace("\ufffe", "-").replace("\xad", "-"))
    return "".join(c for c in plain if not c.isspace() and c.isprintable())


def boxed(document: Any, extraction: Extraction, number: int) -> tuple[int, int, list[str]]:
    """Of `number` quotes over the record, how many are exactly what pdfium reads inside their boxes."""
    assert extraction.layout is not None
    strips = [s for s in extraction.layout.strips() if s.edges and s.end - s.start >= 8]
    right, tried, wrong = 0, 0, []
    for strip in strips[:: max(1, len(strips) // number)] if strips else []:
        length = strip.end - strip.start
        a, b = strip.start + length // 5, strip.end - length // 5
        quote = extraction.record[a:b]
        said = "".join(read_inside(document, place) for place in extraction.layout.line_boxes(a, b))
        tried += 1
        if normal(said) == normal(quote):
            right += 1
        else:
            wrong.append(f"{quote!r} != {said!r}")
    return right, tried, wrong


def read_inside(document: Any, place: tuple[int, int, int, tuple[float, float, float, float]]) -> str:
    """The characters whose middle lies inside a box."""
    _, _, number, (x0, y0, x1, y1) = place
    page = document[number - 1]
    left, bottom, right, top = page.get_bbox()
    turn = (page.get_rotation() // 90) % 4
    text = page.get_textpage()
    found: list[str] = []
    for i in range(text.count_chars()):
        x_left, b, r, t = text.get_charbox(i)
        if r <= x_left and t <= b:
            continue
        cx, cy = (x_left + r) / 2, (b + t) / 2
        x, y = ((cx - left, top - cy), (cy - bottom, cx - left), (right - cx, cy - bottom), (top - cy, right - cx))[
            turn
        ]
        if x0 <= x <= x1 and y0 <= y <= y1:
            found.append(text.get_text_range(i, 1))
    return "".join(found)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("--boxes", type=int, default=20, help="quotes of a file whose boxes are read back")
    arguments.add_argument("--worst", type=int, default=10, help="pages and quotes to show")
    arguments.add_argument("--seconds", type=float, default=120.0, help="a file that takes longer is named")
    options = arguments.parse_args()
    files = sorted(path for folder in options.folders for path in folder.rglob("*.pdf"))
    total = Counter[str]()
    low: list[tuple[float, str]] = []
    wrong: list[str] = []
    for path in files:
        data = path.read_bytes()
        start = time.process_time()
        try:
            extraction = parse_pdf(data, path=path.name, ocr=False)
        except Refused as error:
            total["refused"] += 1
            print(f"refused {error.reason}: {error}")
            continue
        seconds = time.process_time() - start
        if seconds > options.seconds:
            print(f"slow: {path.name} {seconds:.0f} s")
        total["files"] += 1
        total["ms"] += int(seconds * 1000)
        texts = pages_of(extraction)
        with pypdfium2.PdfDocument(data) as document:
            for number in range(len(document)):
                want = words(document[number].get_textpage().get_text_range())
                have = held(want, texts.get(number + 1, ""))
                total["pages"] += 1
                total["words"] += want.total()
                total["held"] += have
                if want.total() and have < 0.99 * want.total():
                    low.append((have / want.total(), f"{path.name} page {number + 1}: {have} of {want.total()}"))
            right, tried, shown = boxed(document, extraction, options.boxes)
        total["quotes"] += tried
        total["exact"] += right
        wrong += [f"{path.name}: {line}" for line in shown]
    for share, line in sorted(low)[: options.worst]:
        print(f"{share:.3f} {line}")
    for line in wrong[: options.worst]:
        print("box", line[:200])
    print(
        json.dumps(
            {
                **total,
                "share": total["held"] / max(1, total["words"]),
                "low_pages": len(low),
                "boxes": total["exact"] / max(1, total["quotes"]),
            }
        )
    )


if __name__ == "__main__":
    main()
