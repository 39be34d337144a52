"""Drawings of a page beside text: ruling lines, filled boxes, pictures."""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import filterfalse, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.glyphs import PALE, View
from ragstone.extraction.pdf.characters.path_outlines import has_ends, read_sides
from ragstone.extraction.pdf.characters.transform import IDENTITY, Matrix, map_to_page, multiply_matrices, read_matrix

PATH, IMAGE, SHADING, FORM = 2, 3, 4, 5  # kinds of objects
OBJECTS = 30_000  # of one page are looked at: maps draw more, and hold no table
DEEPEST = 8  # forms inside forms
THIN = 2.5  # points: a filled box so thin is a line
SHORTEST = 4.0  # points: shorter strokes are no rule


class Rule(NamedTuple):
    """A line along an axis: at `at`, from `start` to `end` on the other axis, where it was put together at `joints`."""

    at: float
    start: float
    end: float
    joints: tuple[float, ...] = ()


@dataclass(slots=True)
class Graphics:
    """In points of the visible page, origin top left."""

    across: list[Rule] = field(default_factory=list)  # horizontal: `at` is y
    down: list[Rule] = field(default_factory=list)  # vertical: `at` is x
    fills: list[Box] = field(default_factory=list)  # boxes of a colour, white ones left out
    images: list[Box] = field(default_factory=list)
    curves: list[Box] = field(default_factory=list)  # drawings: what charts are made of
    strokes: list[Box] = field(default_factory=list)  # of these, lines with two ends that do not run along an axis


def read_graphics(page: int, view: View, texts: Set[int]) -> Graphics:
    """The lines, boxes and pictures of a page; `texts` are objects of it that are known to be text."""
    found = Graphics()
    for items, kinds, matrix in _walk_objects(page, texts):
        paths = [item for item, kind in zip(items, kinds, strict=True) if kind == PATH]
        if paths:
            _add_paths(paths, matrix, view, found)
        pictures = [item for item, kind in zip(items, kinds, strict=True) if kind in (IMAGE, SHADING)]
        for box in _read_bounds(pictures, matrix, view).tolist() if pictures else ():
            if box[2] - box[0] > THIN and box[3] - box[1] > THIN:
                found.images.append(tuple(box))
            else:
                _add_line(box, found)
    return found


def _walk_objects(page: int, texts: Set[int]) -> Iterator[tuple[list[Any], list[int], Matrix]]:
    """The objects of a page and of each form in it and their kinds, with the matrix of the forms around them."""
    left = OBJECTS
    stack: list[tuple[Any, bool, Matrix, int]] = [(pdfium.pointer(page), True, IDENTITY, 0)]
    while stack:
        owner, is_page, matrix, depth = stack.pop()
        count = pdfium.objects_of_page(owner) if is_page else pdfium.objects_of_form(owner)
        get = pdfium.object_of_page if is_page else pdfium.object_of_form
        addresses = pdfium.call_each(get, repeat(owner), range(min(count, left)))
        items = list(map(pdfium.pointer, filterfalse(texts.__contains__, addresses)))
        kinds = list(pdfium.call_each(pdfium.type_of, items))
        yield items, kinds, matrix
        for item, kind in zip(items, kinds, strict=True):
            if kind == FORM and depth < DEEPEST:
                stack.append((item, False, multiply_matrices(read_matrix(item), matrix), depth + 1))
        left -= count
        if left <= 0:
            return


def _read_bounds(items: Sequence[Any], matrix: Matrix, view: View) -> npt.NDArray[np.float64]:
    """The boxes of objects, (count, 4); an object without one has it in a corner, without any size."""
    sides = pdfium.call_into_array(pdfium.bounds_of, "f4", len(items), items, columns=4, addresses=4).astype(np.float64)
    left, bottom, right, top = sides.T
    if matrix is IDENTITY:
        (ax, ay), (bx, by) = view.map_point(left, bottom), view.map_point(right, top)
    else:
        (ax, ay), (bx, by) = map_to_page(left, bottom, matrix, view), map_to_page(right, top, matrix, view)
    return np.stack((np.minimum(ax, bx), np.minimum(ay, by), np.maximum(ax, bx), np.maximum(ay, by)), axis=1)


def _add_line(box: Sequence[float], found: Graphics) -> None:
    """A box that is thin in one direction."""
    x0, y0, x1, y1 = box
    if x1 - x0 >= y1 - y0:
        if x1 - x0 >= SHORTEST:
            found.across.append(Rule((y0 + y1) / 2, x0, x1))
    elif y1 - y0 >= SHORTEST:
        found.down.append(Rule((x0 + x1) / 2, y0, y1))


def _add_paths(items: Sequence[Any], matrix: Matrix, view: View, found: Graphics) -> None:
    """What paths on the page draw in a colour."""
    boxes = _read_bounds(items, matrix, view)
    x0, y0, x1, y1 = boxes.T
    on = ~((x1 < 0) | (y1 < 0) | (x0 > view.width) | (y0 > view.height))
    modes = pdfium.call_into_array(pdfium.draw_mode_of, "i4", len(items), items, columns=2, addresses=2) != 0
    fill, stroke = modes[:, 0], modes[:, 1]
    white = _find_white_paths(items, on & fill, pdfium.fill_of)
    stroke &= ~_find_white_paths(items, on & stroke, pdfium.stroke_of)
    shown = on & (stroke | (fill & ~white))
    thin = np.minimum(x1 - x0, y1 - y0) <= THIN
    for line in boxes[shown & thin].tolist():
        _add_line(line, found)
    numbers = np.flatnonzero(shown & ~thin).tolist()
    drawings = read_sides([items[number] for number in numbers], matrix, view) if numbers else []
    for number, sides in zip(numbers, drawings, strict=True):
        box: Box = tuple(boxes[number].tolist())
        _add_drawing(items[number], box, sides, found, fill=bool(fill[number]), stroke=bool(stroke[number]))


def _find_white_paths(
    items: Sequence[Any], of: npt.NDArray[np.bool_], colour_of: Callable[..., int]
) -> npt.NDArray[np.bool_]:
    """Which of some paths have a colour that is white or lets everything through."""
    out = np.zeros(len(items), dtype=np.bool_)
    numbers = np.flatnonzero(of)
    own = [items[number] for number in numbers.tolist()]
    colour = pdfium.call_into_array(colour_of, "u4", len(own), own, columns=4, addresses=4, unknown=1)
    out[numbers] = (colour[:, 3] == 0) | (colour[:, :3].min(axis=1) >= PALE)
    return out


def _add_drawing(item: Any, box: Box, sides: list[Box] | None, found: Graphics, *, fill: bool, stroke: bool) -> None:
    """A path that is no thin line: lines along the axes, boxes or something else."""
    if sides is None:
        found.curves.append(box)
        if not fill and has_ends(item):
            found.strokes.append(box)
    elif stroke:
        for side in sides:
            _add_line(side, found)
    elif len(sides) <= 5:
        found.fills.append(box)
    else:
        _add_boxes(sides, found)


def _add_boxes(pieces: list[Box], found: Graphics) -> None:
    """A path of several filled rectangles: four sides each."""
    for i in range(0, len(pieces) - 3, 4):
        sides = pieces[i : i + 4]
        box = (min(s[0] for s in sides), min(s[1] for s in sides), max(s[2] for s in sides), max(s[3] for s in sides))
        if min(box[2] - box[0], box[3] - box[1]) <= THIN:
            _add_line(box, found)
        else:
            found.fills.append(box)
