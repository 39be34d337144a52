"""Reads one page of pixels of any size and orientation, and gives boxes in points."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ragstone.core.errors import Refused
from ragstone.core.page_layout import Box
from ragstone.extraction.image.decode import load_opencv
from ragstone.extraction.image.ocr_result import OcrEngine, OcrLine, Pixels, mean_confidence, move_line, to_grey

# Pixels. Pages are read between 1,200 and 2,400 of their longer side: below it small print runs together,
# above it time grows and nothing is gained (200 dpi of A4 are 2,339).
LEAST, MOST = 1200, 2400
LARGER = 2.0  # times that a small picture is enlarged at the most
LONG = 2.2  # times its shorter side: a longer picture is read in parts
PART = 1.5  # times the shorter side: the length of such a part
DOUBT = 0.75  # mean confidence: below it a page may lie on its side or on its head
ENOUGH = 3  # letters: less text tells no way


def read_page(pixels: Pixels, *, scale: float, engine: OcrEngine) -> list[OcrLine]:
    """The lines of a page, unsure ones too, with boxes in points of the picture as it is given.

    `pixels` is (height, width, 3) in red, green, blue; `scale` says how many of them make a point.
    A page that lies on its side or head has lines with a `turn`. Raises `Refused` where the engine fails.
    """
    height, width = pixels.shape[:2]
    if not height or not width:
        return []
    lines: list[OcrLine] = []
    for x, y, part in _split_parts(pixels):
        fit = _fit_factor(part)
        found = _read_any_way(_resize(part, fit), engine)
        lines += [move_line(line, _make_placement(x, y, fit, scale), scale=1 / fit / scale) for line in found]
    return lines


def _make_placement(x: int, y: int, fit: float, scale: float) -> "_Placement":
    return _Placement(x / scale, y / scale, 1 / fit / scale)


class _Placement:
    """From pixels of a part that was resized to points of the page."""

    def __init__(self, x: float, y: float, by: float) -> None:
        self._x, self._y, self._by = x, y, by

    def __call__(self, box: Box) -> Box:
        x0, y0, x1, y1 = box
        by = self._by
        return self._x + x0 * by, self._y + y0 * by, self._x + x1 * by, self._y + y1 * by


def _fit_factor(part: Pixels) -> float:
    """By how much a picture is resized before it is read."""
    longer = int(max(part.shape[:2]))
    if longer > MOST:
        return MOST / longer
    return min(LARGER, LEAST / longer) if longer < LEAST else 1.0


def _resize(part: Pixels, fit: float) -> Pixels:
    if fit == 1.0:
        return part
    cv2 = load_opencv()
    height, width = part.shape[:2]
    size = max(1, round(width * fit)), max(1, round(height * fit))
    made: Pixels = cv2.resize(part, size, interpolation=cv2.INTER_AREA if fit < 1 else cv2.INTER_CUBIC)
    return made


def _split_parts(pixels: Pixels) -> Iterator[tuple[int, int, Pixels]]:
    """The picture, or, where it is very long (a web page, a roll of paper), parts of it cut where nothing is drawn."""
    height, width = pixels.shape[:2]
    if max(height, width) <= max(LONG * min(height, width), LEAST):
        yield 0, 0, pixels
        return
    down = height > width
    for start, end in _find_cuts(pixels if down else pixels.transpose(1, 0, 2)):
        yield (0, start, pixels[start:end]) if down else (start, 0, pixels[:, start:end])


def _find_cuts(pixels: Pixels) -> Iterator[tuple[int, int]]:
    """Stretches of a long picture, cut between half and all of a part's length at the evenest row."""
    height, width = pixels.shape[:2]
    length = max(LEAST // 2, int(PART * width))
    start = 0
    while height - start > length:
        rows = pixels[start + length // 2 : start + length].mean(axis=2, dtype=np.float32)
        changes = np.abs(np.diff(rows, axis=1)).sum(axis=1)
        # The lowest of the rows with the fewest changes.
        at = start + length // 2 + len(changes) - 1 - int(np.argmin(changes[::-1]))
        yield start, at
        start = at
    yield start, height


def _read_any_way(pixels: Pixels, engine: OcrEngine) -> list[OcrLine]:
    """The lines of a picture, turned first where it reads better so."""
    upright = engine.read(pixels)
    best, sure = upright, mean_confidence(upright)
    for turn in _choose_rotations(upright, sure, turned=engine.turned):
        lines = _read_turned(pixels, turn, engine)
        if mean_confidence(lines) > sure and _count_letters(lines) >= 0.5 * _count_letters(best):
            best, sure = lines, mean_confidence(lines)
    return best


def _choose_rotations(lines: list[OcrLine], sure: float, *, turned: bool) -> tuple[int, ...]:
    """The quarter turns that a page may lie in."""
    aside = {turn: _count_letters([line for line in lines if line.turn == turn]) for turn in (1, 3)}
    most = max(aside, key=lambda turn: aside[turn])
    if aside[most] > max(ENOUGH, 0.5 * _count_letters(lines)):
        return (most,)
    if sure >= DOUBT or _count_letters(lines) < ENOUGH:
        return ()
    return (2,) if turned else (2, 1, 3)


def _count_letters(lines: list[OcrLine]) -> int:
    return sum(len(word.text) for line in lines for word in line.words)


def _read_turned(pixels: Pixels, turn: int, engine: OcrEngine) -> list[OcrLine]:
    height, width = pixels.shape[:2]
    lines = engine.read(np.ascontiguousarray(np.rot90(pixels, turn)))
    back = _TurnBack(turn, width, height)
    return [move_line(line, back, turn=turn) for line in lines]


class _TurnBack:
    """From pixels of a picture that was turned against the clock by quarter turns to those before."""

    def __init__(self, turn: int, width: int, height: int) -> None:
        self._turn, self._width, self._height = turn, width, height

    def __call__(self, box: Box) -> Box:
        x0, y0, x1, y1 = box
        if self._turn == 1:
            return self._width - y1, x0, self._width - y0, x1
        if self._turn == 2:
            return self._width - x1, self._height - y1, self._width - x0, self._height - y0
        return y0, self._height - x1, y1, self._height - x0


SHORTEST = 30  # of the shorter side of a page: shorter lines are strokes of large letters
RULES = 2000  # of one page


def find_rules(pixels: Pixels, *, scale: float) -> tuple[list[Box], list[Box]]:
    """Straight lines across and down that are drawn on a page, as thin boxes in points; none without OpenCV.

    Long thin runs of dark pixels; letters are too short for that, the edges of pictures too thick.
    """
    try:
        cv2 = load_opencv()
    except Refused:
        return [], []
    fit = min(1.0, MOST / max(pixels.shape))
    page = to_grey(_resize(pixels, fit))
    block = 2 * max(8, min(page.shape) // 100) + 1
    dark = cv2.adaptiveThreshold(page, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, 20)
    long = max(20, min(page.shape) // SHORTEST)
    by = 1 / fit / scale
    found = []
    for kernel in (np.ones((1, long), np.uint8), np.ones((long, 1), np.uint8)):
        kept = cv2.morphologyEx(dark, cv2.MORPH_OPEN, kernel)
        found.append(_thin_boxes(kept, by, thin=max(4, min(page.shape) // 200)))
    return found[0], found[1]


def _thin_boxes(kept: npt.NDArray[np.uint8], by: float, *, thin: int) -> list[Box]:
    cv2 = load_opencv()
    count, _, stats, _ = cv2.connectedComponentsWithStats(kept, connectivity=8)
    if count > RULES:
        return []
    boxes = [(x * by, y * by, (x + w) * by, (y + h) * by) for x, y, w, h, _ in stats[1:].tolist() if min(w, h) <= thin]
    return sorted(boxes, key=lambda box: (box[1], box[0]))
