"""Which rows at the top of a table are its header where its file does not say so, or names the first alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.core.types import Cell
from ragstone.extraction.record.figures import is_figure, is_year

DEEPEST = 4  # rows of a header
LONGEST = 200  # characters of a label
FEW = 2  # rows of figures that tell what the row above them is
MOST = 0.6  # of a column's filled cells are figures
SAMPLE = 40  # rows below the first that are looked at
DIGITS = re.compile(r"[\d.,\s]+")


def mark_header_rows(cells: Sequence[Cell], *, named: bool) -> tuple[Cell, ...]:
    """The cells with those of the header marked. `named`: the file says that the first row is one.

    A header goes on as far as its cells reach down, and through rows of labels, none of them in the first column, below
    a cell over several columns. A first row that is not named is a header where it has labels in all columns and
    figures stand below.
    """
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    height = max((cell.row + cell.rowspan for cell in cells), default=0)
    width = max((cell.col + cell.colspan for cell in cells), default=0)
    start = _count_title_rows(rows, width)
    if height < 2:
        return tuple(cells)
    # A title over the whole width is a part of the header where the columns are named below it.
    if start < height - 1 and _has_labels_over_figures(rows, start, height, width):
        depth = _count_rows(rows, start, height)
    elif named:
        depth = 1 if start else _count_rows(rows, 0, height)
    else:
        return tuple(cells)
    return tuple(replace(cell, header=True) if cell.row < depth else cell for cell in cells)


def _count_title_rows(rows: Mapping[int, Sequence[Cell]], width: int) -> int:
    """How many rows at the top hold one cell over the whole width."""
    count = 0
    while count < DEEPEST and width > 1 and len(own := rows.get(count, ())) == 1 and own[0].colspan == width:
        count += 1
    return count


def _count_rows(rows: Mapping[int, Sequence[Cell]], start: int, height: int) -> int:
    """The row behind a header that begins, below titles, with the row `start`."""
    depth = _reach_down(rows, start)
    while depth - start < min(DEEPEST, height - 1 - start):
        above, row = rows.get(depth - 1, ()), [cell for cell in rows.get(depth, ()) if cell.text]
        parted = any(cell.colspan > 1 and cell.text for cell in above)
        unit = len(row) == 1 and row[0].col > 0 and row[0].colspan > 1  # one for all figures
        if not row or not row[0].col or not (parted or unit) or not all(map(_is_label, row)):
            break
        depth = _reach_down(rows, depth)
    return depth if depth < height else start + 1


def _reach_down(rows: Mapping[int, Sequence[Cell]], row: int) -> int:
    """The row behind the cells of a row, as far down as they reach beside others."""
    own = rows.get(row, ())
    deep = max((cell.rowspan for cell in own), default=1)
    return row + (deep if any(cell.rowspan < deep for cell in own) else 1)


def _has_labels_over_figures(rows: Mapping[int, Sequence[Cell]], start: int, height: int, width: int) -> bool:
    """Whether a row says in words what the figures below it are."""
    labels = [cell for cell in rows.get(start, ()) if cell.text]
    covered = sum(cell.colspan for cell in labels)
    if len(labels) < 2 or covered < width - 1 or not all(map(_is_label, labels)):
        return False
    depth = _count_rows(rows, start, height)
    columns: dict[int, list[str]] = {}
    for number in range(depth, min(height, depth + SAMPLE)):
        for cell in rows.get(number, ()):
            if cell.text and cell.colspan == 1 and cell.col:
                columns.setdefault(cell.col, []).append(cell.text)
    if width > 2:
        return any(len(texts) >= FEW and _share_of_figures(texts) >= MOST for texts in columns.values())
    # Of names and values in two columns some values may be figures, each of its own kind.
    return any(len(t) > FEW and _share_of_figures(t) == 1.0 and _have_one_form(t) for t in columns.values())


def _have_one_form(figures: Sequence[str]) -> bool:
    """Whether figures have the same signs and units around their digits."""
    return len({DIGITS.sub("", figure) for figure in figures}) == 1


def _share_of_figures(texts: Sequence[str]) -> float:
    """The share of figures; years alone are none."""
    return 0.0 if all(map(is_year, texts)) else sum(map(is_figure, texts)) / len(texts)


def _is_label(cell: Cell) -> bool:
    """Whether a text may name a column: short, and a year rather than a figure."""
    return len(cell.text) <= LONGEST and (is_year(cell.text) or not is_figure(cell.text))
