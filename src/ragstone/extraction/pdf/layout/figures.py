"""Where a page shows figures: pictures and drawings that stand together."""

from collections.abc import Iterator, Sequence

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.graphics import Graphics
from ragstone.extraction.pdf.tables import ruled

NEAR, CLOSE = 16.0, 4.0  # points between parts of one figure: small ones, as the bars of a chart, and large ones
LARGE = 72.0  # points of the shorter side: two such parts are two figures, if they do not touch
LEAST = 30.0  # points of its shorter side: what is smaller is a sign
WHOLE = 0.85  # of the page: a picture so large is its ground, or a scan; so are strips of its width that add up to it
STRIP = 0.95  # of the page's width
GRID = 2.0  # points: parts that differ by less are looked at once
PARTS = 800  # of one page are looked at
PASSES = 4


def find_figures(drawn: Graphics, width: float, height: float) -> list[Box]:
    """The boxes around pictures and drawings, from the top down; those of tables, notes and frames too."""
    strips = [box for box in drawn.images if box[2] - box[0] >= STRIP * width]
    ground = sum(y1 - y0 for _, y0, _, y1 in strips) >= WHOLE * height
    pictures = [box for box in drawn.images if not ground or box not in strips]
    parts = {
        (
            _snap_to_grid(max(0.0, x0)),
            _snap_to_grid(max(0.0, y0)),
            _snap_to_grid(min(width, x1)),
            _snap_to_grid(min(height, y1)),
        )
        for x0, y0, x1, y1 in (*pictures, *drawn.curves, *drawn.fills, *_frame_boxes(drawn))
        if (x1 - x0) * (y1 - y0) < WHOLE * width * height
    }
    found = sorted(parts, key=lambda box: (box[1], box[0]))[:PARTS]
    for _ in range(PASSES):
        joined = _join_boxes(found)
        if len(joined) == len(found):
            break
        found = joined
    return [box for box in found if min(box[2] - box[0], box[3] - box[1]) >= LEAST]


def _frame_boxes(drawn: Graphics) -> Iterator[Box]:
    """What lines are drawn around, or through, as the grid of a chart is."""
    for frame in ruled.find_frames(drawn):
        xs = [at for r in frame.across for at in (r.start, r.end)] + [r.at for r in frame.down]
        ys = [at for r in frame.down for at in (r.start, r.end)] + [r.at for r in frame.across]
        yield min(xs), min(ys), max(xs), max(ys)


def _snap_to_grid(at: float) -> float:
    return GRID * round(at / GRID)


def _join_boxes(boxes: Sequence[Box]) -> list[Box]:
    out: list[Box] = []
    for x0, y0, x1, y1 in boxes:
        large = min(x1 - x0, y1 - y0) >= LARGE
        for number, (left, top, right, bottom) in enumerate(out):
            near = CLOSE if large and min(right - left, bottom - top) >= LARGE else NEAR
            if x0 <= right + near and left <= x1 + near and y0 <= bottom + near and top <= y1 + near:
                out[number] = (min(x0, left), min(y0, top), max(x1, right), max(y1, bottom))
                break
        else:
            out.append((x0, y0, x1, y1))
    return out
