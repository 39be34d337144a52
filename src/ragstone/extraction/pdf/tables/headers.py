"""Which rows at the top of a table say what stands below them."""

from collections.abc import Sequence

from ragstone.extraction.pdf.characters.rows import is_value
from ragstone.extraction.pdf.characters.table import CellBox, Table, collect_rows

DEEPEST = 5  # header rows


def mark_header(table: Table) -> None:
    """Mark the cells of the header rows: those above the first row of numbers, else the first one."""
    rows = collect_rows(table)
    depth = _header_depth(rows)
    for row in rows[:depth]:
        for square in row:
            square.header = True


def _is_value_cell(square: CellBox) -> bool:
    return is_value(square.text.strip())


def _header_depth(rows: Sequence[Sequence[CellBox]]) -> int:
    if len(rows) < 2:
        return 0
    values = [sum(_is_value_cell(s) for s in row if s.lines) for row in rows]
    first = next((n for n, count in enumerate(values) if count), len(rows))
    numeric = sum(1 for count in values if count) >= 0.5 * len(rows)
    spanning = max((s.row + s.rowspan - rows[0][0].row for s in rows[0]), default=1)
    if numeric:
        # Side headings over the first numbers are no headers of columns.
        depth = first
        while depth > 1 and _is_lonely(rows[depth - 1]) and not _is_lonely(rows[0]):
            depth -= 1
        return depth if 0 < depth <= min(DEEPEST, len(rows) - 1) else 0
    bold = [all(line.bold for s in row for line in s.lines) for row in rows]
    if bold[0] and not all(bold):
        depth = bold.index(False)
        return depth if depth <= DEEPEST else 1
    return min(max(1, spanning), len(rows) - 1)


def _is_lonely(row: Sequence[CellBox]) -> bool:
    filled = [s for s in row if s.lines]
    return len(filled) == 1 and filled[0].col == 0
