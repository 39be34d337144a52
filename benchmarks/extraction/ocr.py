"""OCR: pages of PDFs that have text, read from their pixels and compared with that text.

    python benchmarks/extraction/ocr.py DATA [--dpi N] [--engine NAME] [--program PATH] [--every N] [--askew DEGREES]

Renders the first page of every n-th PDF, reads it as a scan, and prints for each page: words of the PDF, the share
of them that was read (recall), the share of what was read that stands there (precision), the share of runs of four
words that was read in the same order, seconds of the processor; for words that stand once on the page, how
far (median and nine in ten, in points) the sides of their boxes are off, and the share of boxes that hold the
middle of the PDF's. Words are compared without the marks around them. Then the sums, and the peak of memory.
"""

import argparse
import math
import resource
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2

from ragstone.core.errors import Refused
from ragstone.core.page_layout import Layout
from ragstone.extraction.image.engines import choose_engine
from ragstone.extraction.image.parse import read_scan
from ragstone.extraction.pdf.document.continuations import join_pieces
from ragstone.extraction.pdf.document.record_writer import RecordWriter
from ragstone.extraction.pdf.page import Page, read_pdf_page

FEWEST = 40  # words of a page that is compared
MARKS = ".,;:!?()[]{}\"'“”‘’|*•·-–—"
RUN = 4


def written(page: Page) -> tuple[str, Layout]:
    """The record of one page, and where its characters stand."""
    writer = RecordWriter(frozenset())
    for piece in join_pieces([page]):
        if piece.lines or piece.table:
            writer.write_piece(piece)
    return writer.record(), writer.packing.build()


def words(record: str) -> list[tuple[str, int, int]]:
    """The words of a record as they are compared, each with its characters."""
    out: list[tuple[str, int, int]] = []
    at = 0
    for word in record.split():
        start = record.index(word, at)
        at = start + len(word)
        bare = word.strip(MARKS)
        if any(c.isalnum() for c in bare):
            first = start + word.index(bare)
            out.append((bare.lower(), first, first + len(bare)))
    return out


def share(said: list[Any], there: list[Any]) -> float:
    """How much of `there` is in `said`, each as often as it stands there."""
    return (Counter(said) & Counter(there)).total() / max(1, len(there))


def runs(texts: list[str]) -> list[tuple[str, ...]]:
    return [tuple(texts[k : k + RUN]) for k in range(len(texts) - RUN + 1)]


def places(found: list[tuple[str, int, int]], layout: Layout) -> dict[str, Any]:
    """The box of each word that stands once."""
    often = Counter(word for word, _, _ in found)
    boxes = {word: layout.line_boxes(start, end) for word, start, end in found if often[word] == 1}
    return {word: own[0][3] for word, own in boxes.items() if len(own) == 1}


def turned(pixels: Any, degrees: float) -> Any:
    """A page put down askew, on white."""
    import cv2

    height, width = pixels.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return cv2.warpAffine(pixels, matrix, (width, height), borderValue=(255, 255, 255))


def followed(box: Any, degrees: float, width: float, height: float) -> Any:
    """Where a box of the straight page stands on the page askew: moved with its middle."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = (box[0] + box[2]) / 2 - width / 2, (box[1] + box[3]) / 2 - height / 2
    dx, dy = x * cos + y * sin - x, y * cos - x * sin - y
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def pages(data: Path, every: int) -> Iterator[tuple[str, Any]]:
    files = sorted(
        (*(data / "icdar2013_tables_eu" / "pdf").glob("*.pdf"), *(data / "hard_pdfs" / "pdfs").glob("*.pdf"))
    )
    for file in files[::every]:
        try:
            document = pypdfium2.PdfDocument(file)
            yield file.stem[:34], document[0]
        except pypdfium2.PdfiumError:
            continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--dpi", type=float, default=150)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--program", default="")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--askew", type=float, default=0.0)
    given = parser.parse_args()
    engine = choose_engine(given.engine, program=given.program, path="this benchmark")
    scale = given.dpi / 72
    rows: list[tuple[float, ...]] = []
    head = f"page ({given.dpi:.0f} dpi, {engine.name})"
    print(f"| {head} | words | recall | precision | runs of 4 | off by | 9 in 10 | hit | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, page in pages(given.data, given.every):
        native = read_pdf_page(page, 1)
        if any(piece.turn for piece in native.pieces) or min(native.width, native.height) < 200:
            continue
        record, layout = written(native)
        there = words(record)
        # Words of scripts without spaces are no measure.
        if len(there) < FEWEST or sum(word.isascii() for word, _, _ in there) < 0.8 * len(there):
            continue
        pixels = np.ascontiguousarray(page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3])
        if given.askew:
            pixels = turned(pixels, given.askew)
        start = time.process_time()
        begun = time.perf_counter()
        try:
            scan = read_scan(pixels, scale=scale, number=1, engine=engine)
        except Refused as error:
            print(f"| {name} | refused: {error} |")
            continue
        seconds = time.process_time() - start if engine.turned else time.perf_counter() - begun
        text, own = written(scan.page)
        said = words(text)
        told, true = [w for w, _, _ in said], [w for w, _, _ in there]
        ours, theirs = places(said, own), places(there, layout)
        size = (native.width, native.height)
        both = [(ours[word], followed(theirs[word], given.askew, *size)) for word in theirs if word in ours]
        off = sorted(max(abs(a[0] - b[0]), abs(a[2] - b[2])) for a, b in both) or [0.0]
        hit = [a[0] <= (b[0] + b[2]) / 2 <= a[2] and a[1] <= (b[1] + b[3]) / 2 <= a[3] for a, b in both]
        row = (
            len(there),
            share(told, true),
            share(true, told),
            share(runs(told), runs(true)),
            statistics.median(off),
            off[int(0.9 * (len(off) - 1))],
            sum(hit) / max(1, len(hit)),
            seconds,
        )
        rows.append(row)
        print(_shown(name, row), flush=True)
    total = sum(row[0] for row in rows)
    weighted = [sum(row[k] * row[0] for row in rows) / max(1.0, total) for k in range(8)]
    print(
        _shown(f"{len(rows)} pages, by words", (total, *weighted[1:7], sum(row[7] for row in rows) / max(1, len(rows))))
    )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def _shown(name: str, row: tuple[float, ...]) -> str:
    count, recall, precision, four, *off, hit, seconds = row
    said = " | ".join(f"{value:.3f}" for value in (recall, precision, four))
    return f"| {name} | {count:.0f} | {said} | {off[0]:.2f} | {off[1]:.2f} | {hit:.3f} | {seconds:.1f} |"


if __name__ == "__main__":
    main()
