"""Vertical writing: letters that stand upright below each other, which pdfium gives as a text that runs right."""

from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters import pdfium

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# PDF 32000-1, 9.7.4.3: the origin of vertical writing lies .88 of the size above the baseline, a letter takes one size.
ABOVE, BELOW = 0.88, 0.12
CENTRE = 0.28  # of the size: from the middle of a column to the baseline that gives its words their height
FAR = 0.5  # of the size: letters of one text that stand so far off their line may be below each other


def set_upright(
    page: Any, seen: Any, box: tuple[Floats, Floats, Floats, Floats], run: Ints, turn: Ints, base: Floats, size: Floats
) -> None:
    """Give such runs the turn that they are read in, their letters cells without gaps, and a baseline.

    All arrays are those of `Glyphs`, and changed where they stand.
    """
    x0, y0, x1, y1 = box
    inked = np.flatnonzero((run >= 0) & (x1 > x0))
    if len(inked) < 2:
        return
    own = run[inked]
    firsts = np.flatnonzero(np.diff(own, prepend=-1) != 0)
    lasts = np.append(firsts[1:], len(own)) - 1
    x, y = (x0[inked] + x1[inked]) / 2, (y0[inked] + y1[inked]) / 2
    right, down = np.abs(x[lasts] - x[firsts]), np.abs(y[lasts] - y[firsts])
    runs = own[firsts]
    level = turn[runs] % 2 == 0
    along, across = np.where(level, right, down), np.where(level, down, right)
    for k in np.flatnonzero((turn[runs] >= 0) & (across > FAR * size[runs]) & (across > along)).tolist():
        _set_column_upright(page, seen, box, inked[firsts[k] : lasts[k] + 1], int(runs[k]), turn, base, size)


def _set_column_upright(
    page: Any,
    seen: Any,
    box: tuple[Floats, Floats, Floats, Floats],
    at: npt.NDArray[np.intp],
    run: int,
    turn: Ints,
    base: Floats,
    size: Floats,
) -> None:
    """Set one run upright, if its letters really advance down."""
    origins = pdfium.call_into_array(pdfium.origin_of, "f8", len(at), repeat(page), at.tolist(), columns=2, addresses=2)
    x, y = seen.map_point(origins[:, 0], origins[:, 1])
    kind, em = int(turn[run]), float(size[run])
    steps = (y - y[0], x[0] - x, y[0] - y, x - x[0])[kind]  # down, as a reader of the letters sees it
    aside = x if kind % 2 == 0 else y
    if steps[-1] <= FAR * em or np.ptp(aside) > steps[-1]:
        return
    low, high = (0, 2) if kind % 2 else (1, 3)
    at_origin = x if kind % 2 else y
    before, behind = (ABOVE, BELOW) if kind in (0, 3) else (BELOW, ABOVE)
    box[low][at], box[high][at] = at_origin - before * em, at_origin + behind * em
    low, high = (1, 3) if kind % 2 else (0, 2)
    middle = float(box[low][at].min() + box[high][at].max()) / 2
    turn[run] = (kind + 1) % 4
    base[run] = (-middle if turn[run] in (1, 2) else middle) + CENTRE * em
