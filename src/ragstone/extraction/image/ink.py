"""Fits the boxes of words to the ink in them: engines draw them with a margin, and differ about its size."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import bounding_box
from ragstone.extraction.image.ocr_result import OcrLine, OcrWord

Bools = npt.NDArray[np.bool_]

# Of a font's size, as in most text fonts (Times, Arial, Helvetica, Calibri within 0.04 of it).
TALL, LOW, BELOW = 0.71, 0.5, 0.21
SQUARE, FOOT = 0.8, 0.1  # of characters that fill a square (Chinese, Japanese, Korean), above and below the baseline
SQUARES = 0x2E80  # where they begin
TALL_LETTERS = frozenset("bdfhijklt0123456789()[]{}/|\\!?§$€£&%@#ß\"'“”‘’`")
BELOW_LETTERS = frozenset("gjpqyçQ,;()[]{}/|\\§$@_")
OVER = 0.78  # letters above the baseline in the box that is made of a word, as `pdf.words` has it
CONTRAST = 40  # of 255 between ink and paper; below it there is nothing to fit to
RULE = 0.9  # of a word's width: a row so full of ink is a line drawn under or around it
PLAUSIBLE = (0.45, 1.1)  # a font's size over the height of the engine's box
USUAL = 0.7  # the same where the ink does not tell; both from pages of known fonts (benchmarks/extraction/ocr.py)
REACH = 0.5  # letter heights: the white between two words is looked for so far around it


def fit_to_ink(line: OcrLine, grey: npt.NDArray[np.uint8]) -> OcrLine:
    """A line that runs to the right with words that begin and end where their ink does, of one height.

    Sizes of words differ by what the engine saw; the middle one speaks for the line.
    """
    ink = _find_ink(grey, line)
    if ink is None:
        return line
    height = min(word.box[3] - word.box[1] for word in line.words)
    bases = [_measure_font(word, ink, line) for word in line.words]
    told = [size for size, _ in filter(None, bases)]
    size = median(told) if told else USUAL * height
    if not PLAUSIBLE[0] * height <= size <= PLAUSIBLE[1] * height:
        size = USUAL * height
        bases = [None] * len(bases)
    words = _fit_word_edges(line.words, ink, line, size)
    words = [_fit_word_height(word, base[1] if base else None, size) for word, base in zip(words, bases, strict=True)]
    return replace(line, words=tuple(words), box=bounding_box(word.box for word in words), size=size)


def _find_ink(grey: npt.NDArray[np.uint8], line: OcrLine) -> Bools | None:
    """Where ink is in the line's box: what is on the rarer side of the middle between dark and bright."""
    x0, y0, x1, y1 = _pixel_box(line)
    part = grey[y0:y1, x0:x1]
    if not part.size:
        return None
    low, high = np.percentile(part, (2, 98))
    if high - low < CONTRAST:
        return None
    dark = part < (float(low) + float(high)) / 2
    return dark if 2 * np.count_nonzero(dark) <= dark.size else ~dark


def _pixel_box(line: OcrLine) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = line.box
    return max(0, int(x0)), max(0, int(y0)), max(0, int(x1) + 1), max(0, int(y1) + 1)


def _measure_font(word: OcrWord, ink: Bools, line: OcrLine) -> tuple[float, float] | None:
    """The size of a word's font and its baseline, told from its ink and its letters."""
    left, top, *_ = _pixel_box(line)
    x0, y0, x1, y1 = word.box
    own = ink[max(0, int(y0) - top) : max(0, int(y1) - top + 1), max(0, int(x0) - left) : max(0, int(x1) - left + 1)]
    if not own.size or not any(c.isalnum() for c in word.text):
        return None
    rows = own.mean(axis=1)
    inked = np.flatnonzero((rows > 0) & (rows < RULE))
    if not len(inked):
        return None
    first, last = _find_middle_run(inked, len(rows) / 2)
    above, below = _measure_letter_extent(word.text)
    size = (last + 1 - first) / (above + below)
    return size, max(0, int(y0) - top) + top + last + 1 - below * size


def _measure_letter_extent(text: str) -> tuple[float, float]:
    """How far letters reach over and under the baseline, of their font's size."""
    if any(ord(c) >= SQUARES for c in text):
        return SQUARE, FOOT
    above = TALL if any(c in TALL_LETTERS or c.isupper() for c in text) else LOW
    return above, BELOW if any(c in BELOW_LETTERS for c in text) else 0.0


def _find_middle_run(rows: npt.NDArray[np.int64], middle: float) -> tuple[int, int]:
    """First and last of the rows that go on without much white from the one nearest to the middle."""
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1)
    at = min(range(len(runs)), key=lambda k: (min(abs(runs[k] - middle)), k))
    return int(runs[at][0]), int(runs[at][-1])


def _fit_word_edges(words: Sequence[OcrWord], ink: Bools, line: OcrLine, size: float) -> list[OcrWord]:
    """The words from ink to ink: at both ends of the line, and around the widest white between two of them."""
    left = _pixel_box(line)[0]
    empty: Bools = np.logical_not(ink[int(0.15 * len(ink)) : max(1, int(0.85 * len(ink)))].any(axis=0))
    inked = np.flatnonzero(~empty)
    if not len(inked):
        return list(words)
    edges = [[word.box[0], word.box[2]] for word in words]
    edges[0][0] = min(max(edges[0][0], left + inked[0]), edges[0][1])
    edges[-1][1] = max(min(edges[-1][1], left + inked[-1] + 1), edges[-1][0])
    for before, after in pairwise(edges):
        low = max(before[1] - REACH * size, (before[0] + before[1]) / 2)
        high = min(after[0] + REACH * size, (after[0] + after[1]) / 2)
        white = _find_widest_white(empty, int(low) - left, int(high) - left)
        if white is not None:
            before[1], after[0] = float(left + white[0]), float(left + white[1])
    return [
        replace(word, box=(float(x0), word.box[1], float(max(x1, x0 + 1)), word.box[3]))
        for word, (x0, x1) in zip(words, edges, strict=True)
    ]


def _find_widest_white(empty: Bools, low: int, high: int) -> tuple[int, int] | None:
    """The widest run without ink between two columns: its first, and the one behind its last."""
    low, high = max(0, low), min(len(empty), high)
    columns = np.flatnonzero(empty[low:high]) + low if high > low else np.empty(0, dtype=np.int64)
    if not len(columns):
        return None
    runs = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)
    best = max(runs, key=len)
    return int(best[0]), int(best[-1]) + 1


def _fit_word_height(word: OcrWord, base: float | None, size: float) -> OcrWord:
    """A word's box from the top of an ascender to the bottom of a descender around its baseline."""
    x0, y0, x1, y1 = word.box
    middle = (y0 + y1) / 2
    usual = middle + (OVER - 0.5) * size
    if base is None or abs(base - usual) > 0.35 * size:
        base = usual
    return replace(word, box=(x0, base - OVER * size, x1, base + (1 - OVER) * size))
