"""A picture, or a page of one, as a PNG with boxes drawn around what is cited."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragstone.core.errors import Refused
from ragstone.extraction.image.decode import pictures, vision
from ragstone.extraction.image.parse import checked
from ragstone.extraction.pdf.picture import marked

LONGEST = 2000  # pixels of the longer side: what a screen shows, and a citation needs no more


def picture(data: bytes, *, path: str, page: int, boxes: Sequence[Sequence[float]] = ()) -> bytes:
    """A page (from 1) upright, with the boxes marked: (x0, y0, x1, y1) in points as `extract.image.parse` has them.

    Raises `Refused`: broken, too_large, unsupported (no such page, or OpenCV is not installed).
    """
    about = checked(data, path=path)
    if not 1 <= page <= len(about.frames):
        count = len(about.frames)
        raise Refused("unsupported", f"{path} has {count} page{'s' * (count != 1)}; page {page} is not one of them")
    only = replace(about, frames=about.frames[page - 1 : page])
    pixels, scale = next(pictures(data, only, path=path))
    height, width = pixels.shape[:2]
    fit = min(1.0, LONGEST / max(height, width))
    if fit < 1:
        size = max(1, round(width * fit)), max(1, round(height * fit))
        pixels = vision().resize(pixels, size, interpolation=vision().INTER_AREA)
    return marked(np.array(pixels, dtype=np.uint8), boxes, scale=scale * fit)
