"""A table on one page: its grid, and the lines of text in each cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.words import Word


@dataclass(slots=True)
class CellBox:
    """A cell: its place in the grid (from 0), what it covers, its lines from the top down."""

    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1
    lines: list[Line] = field(default_factory=list)
    box: Box | None = None
    header: bool = False
    page: int = 0
    turn: int = 0

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


@dataclass(slots=True)
class Table:
    """Cells in order of row and column, and the box around all of them."""

    box: Box
    squares: list[CellBox]
    rows: int
    cols: int
    ruled: bool = False

    @property
    def text_squares(self) -> list[CellBox]:
        return [square for square in self.squares if square.lines]


def build_cell_lines(words: Sequence[Word]) -> list[Line]:
    """The lines of one cell from its words, with gaps of any size."""
    if len(words) == 1:
        return [Line([words[0]])]
    found: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (w.base, w.x0)):
        for line in found[-2:]:
            if abs(line[0].base - word.base) < 0.45 * max(line[0].size, word.size):
                line.append(word)
                break
        else:
            found.append([word])
    return [Line(sorted(line, key=lambda w: w.x0)) for line in found]


def compact_table(table: Table) -> Table:
    """The table without rows and columns in which no cell begins or only empty cells stand."""
    rows = _renumber_used(table, lambda s: (s.row, s.rowspan), table.rows)
    cols = _renumber_used(table, lambda s: (s.col, s.colspan), table.cols)
    squares: list[CellBox] = []
    for square in table.squares:
        own_rows = [rows[r] for r in range(square.row, square.row + square.rowspan) if r in rows]
        own_cols = [cols[c] for c in range(square.col, square.col + square.colspan) if c in cols]
        if own_rows and own_cols:
            square.row, square.rowspan = own_rows[0], len(own_rows)
            square.col, square.colspan = own_cols[0], len(own_cols)
            squares.append(square)
    squares.sort(key=lambda s: (s.row, s.col))
    return Table(table.box, squares, len(rows), len(cols), table.ruled)


def _renumber_used(table: Table, place: object, count: int) -> dict[int, int]:
    """The lines of the grid in which a filled cell stands that covers only it, renumbered."""
    used: set[int] = set()
    for square in table.squares:
        start, span = place(square)  # type: ignore[operator]  # a plain function of a square
        if square.lines and span == 1:
            used.add(start)
    for square in table.squares:
        start, span = place(square)  # type: ignore[operator]  # as above
        if span > 1 and square.lines and not used.intersection(range(start, start + span)):
            used.add(start)
    return {old: new for new, old in enumerate(k for k in range(count) if k in used)}


def collect_rows(table: Table) -> list[list[CellBox]]:
    """The cells of each row that has any."""
    return list(iter_rows(table))


def iter_rows(table: Table) -> Iterator[list[CellBox]]:
    """`collect_rows`, as far as somebody asks."""
    for _, group in groupby(table.squares, key=attrgetter("row")):
        yield list(group)
