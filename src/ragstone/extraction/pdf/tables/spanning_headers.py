"""Headings over several columns: told by the rule below them, or because they stand in the middle of these."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.rows import is_value
from ragstone.extraction.pdf.characters.table import CellBox

BELOW = 0.9  # letter heights between a heading and its rule
PART = 0.95  # of the table's width: a longer rule runs below all of it
MIDDLE = 0.5  # letter heights off the middle
SIDE = 1.0  # letter heights: a heading so near its own column's side or middle stands over that column only
HEADS = 3  # rows at the top that may hold such headings

ColumnReaches = Sequence[tuple[float, float]]


def widen_headers(squares: Sequence[CellBox], reach: ColumnReaches, across: Sequence[Rule], box: Box) -> list[CellBox]:
    """The cells; headings that stand over several columns cover them, where nothing else stands there."""
    out: list[CellBox] = []
    rows: dict[int, list[CellBox]] = {}
    for square in squares:
        rows.setdefault(square.row, []).append(square)
    for number, row in rows.items():
        if number >= HEADS or any(is_value(s.text) for s in row) or number + 1 not in rows:
            out += row
            continue
        out += [_widen_header(square, row, rows[number + 1], reach, across, box) for square in row]
    return out


def _widen_header(
    square: CellBox,
    row: Sequence[CellBox],
    below: Sequence[CellBox],
    reach: ColumnReaches,
    across: Sequence[Rule],
    box: Box,
) -> CellBox:
    if not square.lines or not square.box:
        return square
    taken = {c for s in row if s is not square for c in range(s.col, s.col + s.colspan)}
    free = [c for c in range(len(reach)) if c not in taken]
    first, last = _columns_by_rule(square, reach, across, box) or _columns_by_middle(square, free, below, reach)
    if last - first + 1 <= square.colspan or not all(c in free for c in range(first, last + 1)):
        return square
    return replace(square, col=first, colspan=last - first + 1)


def _columns_by_rule(square: CellBox, reach: ColumnReaches, across: Sequence[Rule], box: Box) -> tuple[int, int] | None:
    """The columns over the rule close below a heading that is shorter than the table."""
    assert square.box is not None
    x0, _, x1, y1 = square.box
    size = square.lines[-1].size
    for rule in across:
        if not (-0.3 * size <= rule.at - y1 <= BELOW * size and rule.start <= (x0 + x1) / 2 <= rule.end):
            continue
        if rule.end - rule.start >= PART * (box[2] - box[0]):
            continue
        covered = [c for c, (a, b) in enumerate(reach) if a <= b and rule.start <= (a + b) / 2 <= rule.end]
        if len(covered) > 1 and covered[0] <= square.col <= covered[-1]:
            return covered[0], covered[-1]
    return None


def _columns_by_middle(
    square: CellBox, free: Sequence[int], below: Sequence[CellBox], reach: ColumnReaches
) -> tuple[int, int]:
    """The columns in whose middle a heading stands, if it does not stand over its own column."""
    assert square.box is not None
    own = square.col, square.col + square.colspan - 1
    x0, _, x1, _ = square.box
    size = square.lines[-1].size
    left, right = reach[own[0]][0], reach[own[1]][1]
    middle = (x0 + x1) / 2
    if left > right or min(abs(x0 - left), abs(x1 - right), abs(middle - (left + right) / 2)) < SIDE * size:
        return own
    filled = {s.col for s in below if s.lines}
    best: tuple[float, int, int] | None = None
    for first in range(own[0], -1, -1):
        if first not in free:
            break
        for last in range(max(own[1], first + 1), len(reach)):
            if last not in free:
                break
            if all(c in filled for c in range(first, last + 1)):
                off = abs(middle - (reach[first][0] + reach[last][1]) / 2)
                if off < MIDDLE * size and (best is None or off < best[0]):
                    best = (off, first, last)
    return (best[1], best[2]) if best else own
