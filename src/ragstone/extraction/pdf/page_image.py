"""A page as a PNG with boxes drawn around the cited text."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pypdfium2

from ragstone.core.errors import Refused
from ragstone.extraction.pdf.characters.pdfium import open_document

Pixels = npt.NDArray[np.uint8]
Boxes = Sequence[Sequence[float]]
MOST = 40_000_000  # pixels: an A0 poster at 150 dpi
HIGHLIGHT = (255, 214, 0)  # what a marker pen leaves
EDGE = (200, 60, 0)
COVER = (0, 0, 0)  # over a secret
SHARE = 0.35  # of the mark in a marked pixel
POINTS = 72 / 0.0254  # in a metre
MARGIN = 1.5  # points between the characters and the edge


def draw_pdf_page(
    data: bytes,
    *,
    path: str,
    page: int,
    boxes: Boxes = (),
    covered: Boxes = (),
    dpi: float = 110.0,
    password: str | None = None,
) -> bytes:
    """The page (from 1) as PNG, with the boxes (x0, y0, x1, y1 in points, origin top left) marked and
    those of `covered` painted over.

    Raises `Refused`: broken, encrypted, unsupported (no such page).
    """
    with open_document(data, path=path, password=password) as document:
        if not 1 <= page <= len(document):
            raise Refused("unsupported", f"{path} has {len(document)} pages; page {page} is out of range")
        try:
            found = document[page - 1]
            scale = min(dpi / 72, (MOST / max(1.0, found.get_width() * found.get_height())) ** 0.5)
            pixels = found.render(scale=scale, rev_byteorder=True, maybe_alpha=False).to_numpy()[:, :, :3].copy()
        except pypdfium2.PdfiumError as error:
            raise Refused("broken", f"page {page} of {path} cannot be drawn") from error
    return highlight_boxes(pixels, boxes, covered=covered, scale=scale)


def highlight_boxes(pixels: Pixels, boxes: Boxes, *, covered: Boxes = (), scale: float) -> bytes:
    """RGB pixels as a PNG with boxes in points marked on them, and other boxes painted over; `scale` is pixels a
    point."""
    for box in boxes:
        _highlight_box(_pixels_inside(pixels, box, scale))
    for box in covered:
        _pixels_inside(pixels, box, scale)[:] = COVER
    return encode_png(pixels, scale)


def _pixels_inside(pixels: Pixels, box: Sequence[float], scale: float) -> Pixels:
    """The pixels of a box in points and of a margin around it."""
    x0, y0, x1, y1 = (round(scale * (at + way * MARGIN)) for at, way in zip(box, (-1, -1, 1, 1), strict=True))
    height, width = pixels.shape[:2]
    left, right = (min(max(x, 0), width - 1) for x in (x0, x1))
    top, bottom = (min(max(y, 0), height - 1) for y in (y0, y1))
    return pixels[top : bottom + 1, left : right + 1]


def _highlight_box(inside: Pixels) -> None:
    inside[:] = (inside * (1 - SHARE) + np.array(HIGHLIGHT) * SHARE).astype(np.uint8)
    for edge in (inside[0], inside[-1], inside[:, 0], inside[:, -1]):
        edge[:] = EDGE


def encode_png(pixels: Pixels, scale: float) -> bytes:
    """RGB pixels of shape (height, width, 3) as a PNG file (RFC 2083): every row unfiltered, deflated. The file names
    `scale`, in pixels a point, as pixels a metre (`pHYs`): by it a viewer finds places that are given in points."""
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    density = max(1, round(scale * POINTS))
    physical = struct.pack(">IIB", density, density, 1)
    parts = ((b"IHDR", header), (b"pHYs", physical), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, body) for kind, body in parts)


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
