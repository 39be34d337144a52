"""The outlines of paths: the sides of those that run along the axes only."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.glyphs import View
from ragstone.extraction.pdf.characters.transform import Matrix, map_to_page, multiply_matrices, read_matrix

MOST = 400  # segments of one path: beyond it is a curve or a drawing
FEW = 8  # segments: rectangles and lines have no more, and are asked for together
STRAIGHT = 0.7  # points off the axis
CURVE, MOVE = 1, 2  # kinds of segments; the first is a control or end point

Segment = tuple[int, int, tuple[float, float]]  # kind, whether it closes its outline, where it ends

_BUFFER = (ctypes.c_float * 4)()
_AT = [ctypes.byref(_BUFFER, 4 * k) for k in range(4)]


def read_sides(items: Sequence[Any], matrix: Matrix, view: View) -> list[list[Box] | None]:
    """The sides of each path as flat boxes; None for a path that does not run along the axes only."""
    counts = [pdfium.segments_of(item) for item in items]
    few = [(item, count) for item, count in zip(items, counts, strict=True) if 0 < count <= FEW]
    together = iter(_read_segments(few, matrix, view))
    out: list[list[Box] | None] = []
    for item, count in zip(items, counts, strict=True):
        if 0 < count <= FEW:
            out.append(_collect_sides([next(together) for _ in range(count)]))
        else:
            out.append(
                _collect_sides(_iter_segments(item, count, multiply_matrices(read_matrix(item), matrix), view))
                if count <= MOST
                else None
            )
    return out


def _read_segments(paths: Sequence[tuple[Any, int]], matrix: Matrix, view: View) -> list[Segment]:
    """The segments of several paths, one after the other."""
    items, counts = [item for item, _ in paths], [count for _, count in paths]
    owners = chain.from_iterable(map(repeat, items, counts))
    numbers = chain.from_iterable(map(range, counts))
    segments = list(map(pdfium.pointer, pdfium.call_each(pdfium.segment_of, owners, numbers)))
    ends = pdfium.call_into_array(pdfium.point_of, "f4", len(segments), segments, columns=2, addresses=2).astype(
        np.float64
    )
    own = pdfium.call_into_array(pdfium.object_matrix_of, "f4", len(items), items, columns=6).astype(np.float64)
    a, b, c, d, e, f = own.repeat(counts, axis=0).T
    x, y = map_to_page(ends[:, 0], ends[:, 1], multiply_matrices((a, b, c, d, e, f), matrix), view)
    points = zip(x.tolist(), y.tolist(), strict=True)
    kinds, closes = pdfium.call_each(pdfium.kind_of, segments), pdfium.call_each(pdfium.closes_path, segments)
    return list(zip(kinds, closes, points, strict=True))


def _iter_segments(item: Any, count: int, matrix: Matrix, view: View) -> Iterator[Segment]:
    """The segments of one path, asked for as they are needed: a curve shows at the first ones that it is none."""
    for segment in map(pdfium.pointer, map(pdfium.segment_of, repeat(item), range(count))):
        pdfium.point_of(segment, _AT[0], _AT[1])
        yield pdfium.kind_of(segment), pdfium.closes_path(segment), map_to_page(_BUFFER[0], _BUFFER[1], matrix, view)


def _collect_sides(segments: Iterable[Segment]) -> list[Box] | None:
    sides: list[Box] = []
    first = last = (0.0, 0.0)
    for kind, closes, point in segments:
        if kind == CURVE:
            return None
        if kind == MOVE:
            first = last = point
            continue
        if not _add_axis_side(last, point, sides):
            return None
        last = point
        if closes and not _add_axis_side(last, first, sides):
            return None
    return sides


def _add_axis_side(a: tuple[float, float], b: tuple[float, float], sides: list[Box]) -> bool:
    """Whether a side runs along an axis; one that has a length is kept."""
    (ax, ay), (bx, by) = a, b
    wide, high = abs(ax - bx) > STRAIGHT, abs(ay - by) > STRAIGHT
    if wide and high:
        return False
    if wide or high:
        sides.append((ax if ax < bx else bx, ay if ay < by else by, bx if ax < bx else ax, by if ay < by else ay))
    return True


def has_ends(item: Any) -> bool:
    """Whether a path does not come back to where it began."""
    last = pdfium.pointer(pdfium.segment_of(item, pdfium.segments_of(item) - 1))
    if pdfium.closes_path(last):
        return False
    pdfium.point_of(last, _AT[0], _AT[1])
    pdfium.point_of(pdfium.pointer(pdfium.segment_of(item, 0)), _AT[2], _AT[3])
    return bool(abs(_BUFFER[0] - _BUFFER[2]) > STRAIGHT or abs(_BUFFER[1] - _BUFFER[3]) > STRAIGHT)
