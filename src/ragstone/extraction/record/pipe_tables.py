"""A table as rows between bars, as Markdown writes them, with the place of each row and cell in the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragstone.core.types import Cell
from ragstone.extraction.record.tables import GAP


@dataclass(slots=True)
class PipeTable:
    """What is written: `text`, its rows as (start, end, row from 0) and its cells with their characters."""

    parts: list[str] = field(default_factory=list)
    rows: list[tuple[int, int, int]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    end: int = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def append(self, text: str) -> None:
        """Write on, and know where."""
        self.parts.append(text)
        self.end += len(text)

    def append_row(self, cells: Sequence[Cell], columns: int) -> Iterator[Cell]:
        """Write one row; a column that a cell above or to the left covers stays empty."""
        col = 0
        for cell in cells:
            self.append("| " * (min(GAP, cell.col - col) + 1))
            start = self.end
            self.append(cell.text.replace("|", "\\|"))
            yield replace(cell, char_start=start, char_end=self.end) if cell.text else cell
            self.append(" ")
            col = cell.col + 1
        self.append("| " * min(GAP, columns - col) + "|")


def format_pipe_table(cells: Sequence[Cell], *, at: int) -> PipeTable:
    """A table with at least one cell, written from the character `at` of the record on; a rule below its first row."""
    by_row: dict[int, list[Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, []).append(cell)
    columns = max(cell.col + cell.colspan for cell in cells)
    out = PipeTable(end=at)
    for number, row in by_row.items():
        if out.rows:
            out.append("\n")
        start = out.end
        out.cells += out.append_row(row, columns)
        if not out.rows:
            out.append("\n" + "|---" * min(columns, len(row) + GAP) + "|")
        out.rows.append((start, out.end, number))
    return out
