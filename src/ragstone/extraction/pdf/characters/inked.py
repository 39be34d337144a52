"""Which letters leave ink on a page where their colours do not tell: filled with a pattern, or cutting one out."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters.glyphs import Glyphs

SCALE = 1.5  # pixels a point
MOST = 12_000_000  # pixels of a page that is drawn: A1
LETTERS = 5_000  # of a page that are looked at
CONTRAST = 60  # of 255 in some row and some column of a letter's box: straight lines have it in one way only
SHARE = 0.6  # of a run's letters
COVERED = 0.25  # of a letter's box, which visible letters have: the ink there may be theirs

Bools = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]


def find_inked(page: Any, g: Glyphs, doubtful: Bools, certain: Bools) -> Bools:
    """Of `doubtful` letters those of runs most letters of which are seen in a picture of the page, where no letters
    are that are `certain` to be visible: a text hidden below another one has no ink of its own."""
    found = np.zeros_like(doubtful)
    width, height = page.get_size()
    if width * height * SCALE**2 > MOST or (places := np.flatnonzero(doubtful)).size > LETTERS:
        return found
    drawn = page.render(scale=SCALE, grayscale=True, maybe_alpha=False).to_numpy()
    grey: Grey = drawn.reshape(drawn.shape[0], drawn.shape[1])
    covered = np.zeros(grey.shape, np.bool_)
    for at in np.flatnonzero(certain):
        covered[_find_pixels(g, int(at), 0)] = True
    seen = np.fromiter((_has_ink(grey, covered, g, int(at)) for at in places), np.bool_, places.size)
    runs = g.run[places]
    count = np.bincount(runs)
    inked = np.bincount(runs, weights=seen) >= SHARE * np.maximum(count, 1)
    found[places] = inked[runs]
    return found


def _find_pixels(g: Glyphs, at: int, more: int) -> tuple[slice, slice]:
    left, top, right, bottom = (max(0, int(SCALE * float(edge[at]))) for edge in (g.x0, g.y0, g.x1, g.y1))
    return slice(top, bottom + more), slice(left, right + more)


def _has_ink(grey: Grey, covered: Bools, g: Glyphs, at: int) -> bool:
    pixels = _find_pixels(g, at, 1)
    inside = grey[pixels]
    if not inside.size or covered[pixels].mean() >= COVERED:
        return False
    return min(int(np.ptp(inside, axis=way).max()) for way in (0, 1)) >= CONTRAST
