"""Pages that are a scan with a little text of their own: a stamp, a page number, a watermark."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.words import to_page_box

SCAN_SHARE = 0.75  # of the page under pictures makes it a scan; charts and photographs with a caption take up to .6
GRID = 64  # cells of each side of a page that are looked at
SPARSE = 1500.0  # square points of picture a letter: a page of print has one in 150, a stamped one none in 3,000
# A scan is paper with ink on it, a photograph neither; shares of the pixels, from scans and photographs looked at.
BINS = 16  # of brightness: paper fills one of them and its neighbours …
PAPER = 0.4  # … with so much of the picture
INK = (0.002, 0.4)  # pixels that differ by more than
CONTRAST = 64  # of 255 from the paper
STEP = 4  # pixels: every fourth of each side is looked at
WATERMARK = 24.0  # points: letters so large that lie over a scan are no heading of it
PLAIN = re.compile(r"[\W_]+")


def area_share(boxes: Sequence[Box], width: float, height: float) -> float:
    """The share of a page under boxes, those that lie over one another counted once."""
    if not boxes or width <= 0 or height <= 0:
        return 0.0
    grid = np.zeros((GRID, GRID), dtype=np.bool_)
    for x0, y0, x1, y1 in boxes:
        left, right = (min(max(round(GRID * x / width), 0), GRID) for x in (x0, x1))
        top, bottom = (min(max(round(GRID * y / height), 0), GRID) for y in (y0, y1))
        grid[top:bottom, left:right] = True
    return float(grid.mean())


def is_mixed(images: Sequence[Box], letters: int, width: float, height: float) -> bool:
    """Whether pictures cover most of a page and hold hardly any of its `letters`, which counts those inside them."""
    share = area_share(images, width, height)
    return share >= SCAN_SHARE and letters * SPARSE < share * width * height


def is_inked_paper(pixels: npt.NDArray[np.uint8]) -> bool:
    """Whether a picture is paper with ink on it, light or dark; `pixels` are (height, width, 3)."""
    bright = pixels[::STEP, ::STEP].mean(axis=2)
    counts, edges = np.histogram(bright, bins=BINS, range=(0, 256))
    most = int(counts.argmax())
    paper = counts[max(0, most - 1) : most + 2].sum() / max(1, bright.size)
    ink = float((np.abs(bright - (edges[most] + edges[most + 1]) / 2) > CONTRAST).mean())
    return bool(paper >= PAPER and INK[0] <= ink <= INK[1])


def build_word_filter(pieces: Sequence[Piece], images: Sequence[Box]) -> Callable[[str, Box], bool]:
    """Tells of a word and its place whether it stands in a picture and not in the page's own text already."""
    own = [
        (PLAIN.sub("", line.text).lower(), to_page_box(line.box, piece.turn))
        for piece in pieces
        for line in (*piece.lines, *(line for s in (piece.table.squares if piece.table else ()) for line in s.lines))
    ]

    def is_new(text: str, box: Box) -> bool:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        slack = (box[3] - box[1]) / 2
        said = PLAIN.sub("", text).lower()
        if any(
            said in text and x0 - slack <= x <= x1 + slack and y0 - slack <= y <= y1 + slack
            for text, (x0, y0, x1, y1) in own
        ):
            return False
        return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in images)

    return is_new


def merge_scan_pieces(own: Sequence[Piece], seen: Sequence[Piece]) -> list[Piece]:
    """The pieces read by OCR in their order, with the page's own few pieces before those below them.

    Very large letters among them are page furniture.
    """
    out = list(seen)
    for piece in own:
        if piece.size >= WATERMARK:
            piece.role = "header"
    for piece in sorted(own, key=lambda piece: -to_page_box(piece.box, piece.turn)[1]):
        top = to_page_box(piece.box, piece.turn)[1]
        below = (n for n, other in enumerate(out) if to_page_box(other.box, other.turn)[1] >= top)
        out.insert(next(below, len(out)), piece)
    return out
