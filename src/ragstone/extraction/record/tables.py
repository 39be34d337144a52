"""From rows of cells with spans to places in a grid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragstone.core.types import Cell

# Bounds on what hostile markup can ask for: the HTML standard's own limit for columns, and enough
# cells that reach down at once for any real table.
COLUMNS = 1000
REACHING = 64
GAP = 20  # covered columns that are shown as empty between two cells


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell as it is written: text, what it covers, and where its text stands in the record."""

    text: str
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    start: int | None = None
    end: int | None = None


def place_cells(rows: Sequence[Sequence[RawCell]]) -> tuple[Cell, ...]:
    """Give each cell its row and column (from 0); spans that reach over the table's edge are cut there."""
    cells: list[Cell] = []
    reaching: list[tuple[int, int, int]] = []  # first column, column behind the last, row behind the last
    for number, row in enumerate(rows):
        if reaching:
            reaching = [span for span in reaching if span[2] > number]
        col, above = 0, sorted(reaching)
        for raw in row:
            for first, behind, _ in above:
                if first <= col < behind:
                    col = behind
            width = max(1, min(raw.colspan, COLUMNS - col))
            height = max(1, min(raw.rowspan or len(rows), len(rows) - number))
            if height > 1 and len(reaching) < REACHING:
                reaching.append((col, col + width, number + height))
            else:
                height = 1
            cells.append(Cell(number, col, raw.text, height, width, raw.header, raw.start, raw.end))
            col += width
    return tuple(cells)


def format_rows(cells: Sequence[Cell]) -> str:
    """A table for readers: one line a row, cells between bars, a covered place left empty."""
    rows: list[list[str]] = []
    for cell in cells:
        while len(rows) <= cell.row:
            rows.append([])
        row = rows[cell.row]
        row.extend([""] * min(GAP, cell.col - len(row)))
        row.append(" ".join(cell.text.split()))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows if row)


@dataclass(slots=True)
class PipeTable:
    """A written table: `text`, its rows as (start, end, row from 0) and its cells with their characters."""

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
