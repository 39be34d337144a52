"""A picture, or a page of one, as a PNG with boxes drawn around the cited text."""

from dataclasses import replace

import numpy as np

from ragstone.core.errors import Refused
from ragstone.extraction.image.decode import decode_pictures, load_opencv
from ragstone.extraction.image.parse import check_header
from ragstone.extraction.pdf.page_image import Boxes, highlight_boxes

LONGEST = 2000  # pixels of the longer side: what a screen shows, and a citation needs no more


def draw_image_page(data: bytes, *, path: str, page: int, boxes: Boxes = (), covered: Boxes = ()) -> bytes:
    """A page (from 1) upright, with the boxes marked and those of `covered` painted over: (x0, y0, x1, y1) in points as
    `extract.image.parse` has them.

    Raises `Refused`: broken, too_large, unsupported (no such page, or OpenCV is not installed).
    """
    about = check_header(data, path=path)
    if not 1 <= page <= len(about.frames):
        count = len(about.frames)
        raise Refused("unsupported", f"{path} has {count} page{'s' * (count != 1)}; page {page} is out of range")
    only = replace(about, frames=about.frames[page - 1 : page])
    pixels, scale = next(decode_pictures(data, only, path=path))
    height, width = pixels.shape[:2]
    fit = min(1.0, LONGEST / max(height, width))
    if fit < 1:
        size = max(1, round(width * fit)), max(1, round(height * fit))
        pixels = load_opencv().resize(pixels, size, interpolation=load_opencv().INTER_AREA)
    return highlight_boxes(np.array(pixels, dtype=np.uint8), boxes, covered=covered, scale=scale * fit)
