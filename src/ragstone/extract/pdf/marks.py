"""What a page draws beside text: ruling lines, filled boxes, pictures."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

from ragstone.extract.pdf import pdfium
from ragstone.extract.pdf.glyphs import PALE, View

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
OBJECTS = 30_000  # of one page are looked at: maps draw more, and hold no table
SEGMENTS = 400  # of one path: beyond it is a curve or a drawing
DEEPEST = 8  # forms inside forms
THIN = 2.5  # points: a filled box so thin is a line
SHORTEST = 4.0  # points: shorter strokes are no rule
STRAIGHT = 0.7  # points off the axis

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Rule(NamedTuple):
    """A line along an axis: at `at`, from `start` to `end` on the other axis, where it was put together at `joints`."""

    at: float
    start: float
    end: float
    joints: tuple[float, ...] = ()


@dataclass(slots=True)
class Marks:
    """In points of the visible page, origin top left."""

    across: list[Rule] = field(default_factory=list)  # horizontal: `at` is y
    down: list[Rule] = field(default_factory=list)  # vertical: `at` is x
    fills: list[Box] = field(default_factory=list)  # boxes of a colour, white ones left out
    images: list[Box] = field(default_factory=list)
    curves: list[Box] = field(default_factory=list)  # drawings: what charts are made of
    strokes: list[Box] = field(default_factory=list)  # of these, lines with two ends that do not run along an axis


def _slots(kind: type[Any], count: int) -> tuple[Any, list[ctypes.c_void_p]]:
    """A buffer for what a foreign call gives, and the address of each place in it."""
    buffer = (kind * count)()
    start = ctypes.addressof(buffer)
    return buffer, [ctypes.c_void_p(start + 4 * k) for k in range(count)]


_BUFFER, _AT = _slots(ctypes.c_float, 6)
_BOUNDS_AT = _AT[:4]
_COLOUR, _COLOUR_AT = _slots(ctypes.c_uint, 4)
_INTS, _INTS_AT = _slots(ctypes.c_int, 2)


def marks(page: int, seen: View) -> Marks:
    """The lines, boxes and pictures of a page."""
    found = Marks()
    for item, kind, matrix in _objects(page):
        if kind == PATH:
            _path(item, matrix, seen, found)
        elif kind in (IMAGE, SHADING):
            box = _bounds(item, matrix, seen)
            if box is not None and box[2] - box[0] > THIN and box[3] - box[1] > THIN:
                found.images.append(box)
            elif box is not None:
                _line(box, found)
    return found


def _objects(page: int) -> Iterator[tuple[int, int, Matrix]]:
    """The objects of a page and of the forms in it, each with the matrix of the forms around it."""
    left = OBJECTS
    stack: list[tuple[int, bool, Matrix, int]] = [(page, True, IDENTITY, 0)]
    while stack:
        owner, is_page, matrix, depth = stack.pop()
        count = pdfium.objects_of_page(owner) if is_page else pdfium.objects_of_form(owner)
        get = pdfium.object_of_page if is_page else pdfium.object_of_form
        numbers = pdfium.numbers(min(count, left)) if is_page else range(min(count, left))
        items = list(map(get, repeat(ctypes.c_void_p(owner)), numbers))
        for item, kind in zip(items, map(pdfium.type_of, items), strict=True):
            if kind == TEXT:
                continue
            if kind == FORM and depth < DEEPEST:
                pdfium.object_matrix_of(item, _AT[0])
                own = (_BUFFER[0], _BUFFER[1], _BUFFER[2], _BUFFER[3], _BUFFER[4], _BUFFER[5])
                stack.append((item, False, _times(own, matrix), depth + 1))
            elif kind > 0:
                yield item, kind, matrix
        left -= count
        if left <= 0:
            return


def _times(a: Matrix, b: Matrix) -> Matrix:
    """First a, then b."""
    return (
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    )


def _seen(x: float, y: float, m: Matrix, seen: View) -> tuple[float, float]:
    x, y = seen.point(m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5])
    return x, y


def _bounds(item: int, matrix: Matrix, seen: View) -> Box | None:
    if not pdfium.bounds_of(item, *_BOUNDS_AT):
        return None
    left, bottom, right, top = _BUFFER[:4]
    if matrix is IDENTITY:
        (ax, ay), (bx, by) = seen.point(left, bottom), seen.point(right, top)
    else:
        ax, ay = _seen(left, bottom, matrix, seen)
        bx, by = _seen(right, top, matrix, seen)
    return ax if ax < bx else bx, ay if ay < by else by, bx if ax < bx else ax, by if ay < by else ay


def _line(box: Box, found: Marks) -> None:
    """A box that is thin in one direction."""
    x0, y0, x1, y1 = box
    if x1 - x0 >= y1 - y0:
        if x1 - x0 >= SHORTEST:
            found.across.append(Rule((y0 + y1) / 2, x0, x1))
    elif y1 - y0 >= SHORTEST:
        found.down.append(Rule((x0 + x1) / 2, y0, y1))


def _path(item: int, matrix: Matrix, seen: View, found: Marks) -> None:
    box = _bounds(item, matrix, seen)
    if box is None or box[2] < 0 or box[3] < 0 or box[0] > seen.width or box[1] > seen.height:
        return
    pdfium.drawn_of(item, *_INTS_AT)
    fill, stroke = _INTS[0] != 0, _INTS[1] != 0
    white = fill and _white(item, pdfium.fill_of)
    if stroke and _white(item, pdfium.stroke_of):
        stroke = False
    if not stroke and (not fill or white):
        return
    wide, high = box[2] - box[0], box[3] - box[1]
    if min(wide, high) <= THIN:
        _line(box, found)
        return
    count = pdfium.segments_of(item)
    object_matrix = IDENTITY
    if pdfium.object_matrix_of(item, _AT[0]):
        object_matrix = (_BUFFER[0], _BUFFER[1], _BUFFER[2], _BUFFER[3], _BUFFER[4], _BUFFER[5])
    pieces = _straight(item, count, _times(object_matrix, matrix), seen) if count <= SEGMENTS else None
    if pieces is None:
        found.curves.append(box)
        if not fill and _has_ends(item, count):
            found.strokes.append(box)
    elif stroke:
        for piece in pieces:
            _line(piece, found)
    elif len(pieces) <= 5:
        found.fills.append(box)
    else:
        _boxes(pieces, found)


def _boxes(pieces: list[Box], found: Marks) -> None:
    """A path of several filled rectangles: four sides each."""
    for i in range(0, len(pieces) - 3, 4):
        sides = pieces[i : i + 4]
        box = (min(s[0] for s in sides), min(s[1] for s in sides), max(s[2] for s in sides), max(s[3] for s in sides))
        if min(box[2] - box[0], box[3] - box[1]) <= THIN:
            _line(box, found)
        else:
            found.fills.append(box)


def _straight(item: int, count: int, matrix: Matrix, seen: View) -> list[Box] | None:
    """The sides of a path that runs along the axes only, as flat boxes; None for any other path."""
    pieces: list[Box] = []
    first = last = (0.0, 0.0)
    for number in range(count):
        segment = pdfium.segment_of(item, number)
        kind = pdfium.kind_of(segment)
        pdfium.point_of(segment, _AT[0], _AT[1])
        if kind == 1:  # a curve's control or end point
            return None
        point = _seen(_BUFFER[0], _BUFFER[1], matrix, seen)
        if kind == 2:  # move
            first = last = point
            continue
        if not _along(last, point, pieces):
            return None
        last = point
        if pdfium.closed_of(segment) and not _along(last, first, pieces):
            return None
    return pieces


def _has_ends(item: int, count: int) -> bool:
    """Whether a path does not come back to where it began."""
    last = pdfium.segment_of(item, count - 1)
    if pdfium.closed_of(last):
        return False
    pdfium.point_of(last, _AT[0], _AT[1])
    pdfium.point_of(pdfium.segment_of(item, 0), _AT[2], _AT[3])
    return bool(abs(_BUFFER[0] - _BUFFER[2]) > STRAIGHT or abs(_BUFFER[1] - _BUFFER[3]) > STRAIGHT)


def _along(a: tuple[float, float], b: tuple[float, float], pieces: list[Box]) -> bool:
    wide, high = abs(a[0] - b[0]), abs(a[1] - b[1])
    if wide > STRAIGHT and high > STRAIGHT:
        return False
    if wide > STRAIGHT or high > STRAIGHT:
        pieces.append((min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
    return True


def _white(item: int, colour_of: Callable[..., int]) -> bool:
    """Whether a colour is white or lets everything through."""
    if not colour_of(item, *_COLOUR_AT):
        return False
    return bool(_COLOUR[3] == 0 or min(_COLOUR[:3]) >= PALE)
