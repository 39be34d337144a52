"""Headings above drawn columns in one cell: light lines on a dark ground, or none at all."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.extraction.pdf.characters.rows import Phrase, Row, group_rows, is_value
from ragstone.extraction.pdf.characters.table import CellBox
from ragstone.extraction.pdf.tables.aligned import build_squares

FEWEST = 3  # columns
SHARE = 0.5  # of the columns have a heading of their own
INSIDE = 1.0  # points that a word may reach over a column line


def split_headings(squares: Sequence[CellBox], xs: Sequence[float]) -> list[CellBox]:
    """The first row parted at the column lines below it, if it is one cell with headings above most columns.

    A heading that stands over a line is that of both columns.
    """
    columns = len(xs) - 1
    top = squares[0]
    if columns < FEWEST or top.row or top.rowspan > 1 or top.colspan < columns or not top.lines:
        return list(squares)
    rows = group_rows(top.lines)
    for row in rows:
        row.phrases = [part for phrase in row.phrases for part in _cut_at_lines(phrase, xs[1:-1])]
    grid = [[_find_columns(phrase, xs[1:-1]) for phrase in row.phrases] for row in rows]
    if not _is_heading(rows, grid, columns):
        return list(squares)
    spanning = 1 + max((n for n, places in enumerate(grid) if any(a < b for a, b in places)), default=-1)
    groups = [*([n] for n in range(spanning)), list(range(spanning, len(rows)))]  # those of single columns are one
    parted = [square for number, group in enumerate(groups) for square in build_squares(number, group, rows, grid)]
    return [*parted, *(replace(square, row=square.row + len(groups) - 1) for square in squares[1:])]


def _cut_at_lines(phrase: Phrase, inner: Sequence[float]) -> list[Phrase]:
    """A phrase cut where a column line lies between two of its words."""
    parts = [[phrase.words[0]]]
    for word in phrase.words[1:]:
        if any(parts[-1][-1].x1 - INSIDE <= at <= word.x0 + INSIDE for at in inner):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [Phrase(part, part[0].x0, max(word.x1 for word in part)) for part in parts]


def _find_columns(phrase: Phrase, inner: Sequence[float]) -> tuple[int, int]:
    """The first and the last column that a phrase stands over."""
    return sum(at <= phrase.x0 + INSIDE for at in inner), sum(at < phrase.x1 - INSIDE for at in inner)


def _is_heading(rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], columns: int) -> bool:
    """Whether most columns have a heading of their own, and no text of theirs is a figure or stands over a line."""
    own = {first for places in grid for first, last in places if first == last}
    if len(own) < max(2, SHARE * columns) or any(first < last for first, last in grid[-1]):
        return False
    return not any(is_value(phrase.text) for row in rows for phrase in row.phrases)
