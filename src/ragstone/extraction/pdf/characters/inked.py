"""Which letters leave ink on a page where their colours do not tell: filled with a pattern, or cutting one out."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters.glyphs import Glyphs

SCALE = 1.5  # pixels a point
MOST = 12_000_000  # pixels of a page that is drawn: A1
LETTERS = 5_000  # of a page that are looked at
CONTRAST = 60  # of 255 between the brightest and the darkest pixel in a letter's box
SHARE = 0.6  # of a run's letters

Bools = npt.NDArray[np.bool_]


def find_inked(page: Any, g: Glyphs, doubtful: Bools) -> Bools:
    """Of `doubtful` letters those of runs most letters of which are seen in a picture of the page."""
    found = np.zeros_like(doubtful)
    width, height = page.get_size()
    if width * height * SCALE**2 > MOST or (places := np.flatnonzero(doubtful)).size > LETTERS:
        return found
    drawn = page.render(scale=SCALE, grayscale=True, maybe_alpha=False).to_numpy()
    grey = drawn.reshape(drawn.shape[0], drawn.shape[1])
    seen = np.fromiter((_has_ink(grey, g, int(at)) for at in places), np.bool_, places.size)
    runs = g.run[places]
    count = np.bincount(runs)
    inked = np.bincount(runs, weights=seen) >= SHARE * np.maximum(count, 1)
    found[places] = inked[runs]
    return found


def _has_ink(grey: npt.NDArray[np.uint8], g: Glyphs, at: int) -> bool:
    left, top, right, bottom = (max(0, int(SCALE * float(edge[at]))) for edge in (g.x0, g.y0, g.x1, g.y1))
    inside = grey[top : bottom + 1, left : right + 1]
    return inside.size > 0 and int(inside.max()) - int(inside.min()) >= CONTRAST
