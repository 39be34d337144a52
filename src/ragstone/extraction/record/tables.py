"""From rows of cells with spans to places in a grid."""

from collections.abc import Sequence
from dataclasses import dataclass

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
