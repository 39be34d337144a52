"""The rows of a table: where each stands in the record, and what its header says."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from ragstone.chunking.outline import Passage, trim_range
from ragstone.core.types import Block, Cell, Span

RULE = re.compile(r"[\s|:+=-]+")
# A dash is a token of its own. The rule below a wide header can have more tokens than an embedder
# reads (699 were seen in a documentation), so one longer than this is left out of the pieces.
RULE_LENGTH = 64
BAR = re.compile(r"(?<!\\)\|")
BLANKS = re.compile(r"[ \t]{2,}")


# Merged cells that are known to reach into one row: more are no table that anybody reads.
MOST_REACHING = 64
GAP = 20  # empty columns in a row that are shown
CAPTION_LENGTH = 160  # characters of a caption that are repeated above each group of rows: two lines of print
HEADER_LENGTH = 300  # characters of a header that pieces of a fixed size repeat
WIDEST = 1000  # columns of a row that are filled up


class Row(NamedTuple):
    """A row's characters, the passage it lies in, its place on page or sheet; header rows come first.

    `number` is the row's number in the block's cells, -1 where these have no places. `above` is what a
    piece that begins here shows above it: the header, and merged cells that began higher up.
    """

    start: int
    end: int
    passage: Passage
    where: Span
    header: bool
    number: int = -1
    above: str = ""


class Grid(NamedTuple):
    """A table's rows in order, the text of its header rows without rules and padding, its cells and its caption.

    `cells` are those that begin in a row, `reaching` those that reach into it from above.
    """

    rows: tuple[Row, ...]
    header: str
    cells: Mapping[int, Sequence[Cell]]
    reaching: Mapping[int, Sequence[Cell]]
    caption: str = ""

    def row_texts(self, record: str, row: Row) -> tuple[str, ...]:
        """The text of each column in a row, merged cells repeated."""
        if row.number < 0:
            return split_bars(record[row.start : row.end])
        cells = [*self.reaching.get(row.number, ()), *self.cells[row.number]]
        behind = [cell.col + (cell.colspan if row.header else 1) for cell in cells]
        out = [""] * min(WIDEST, max(behind))
        for cell, end in zip(cells, behind, strict=True):
            for col in range(cell.col, min(len(out), end)):
                out[col] = " ".join(cell.text.split())
        return tuple(out)

    def header_rows(self, record: str) -> list[tuple[str, ...]]:
        """The texts of the header rows."""
        return [self.row_texts(record, row) for row in self.list_header()]

    def list_header(self) -> list[Row]:
        """The header rows, which come before all others: a table of many pieces is not read through for each."""
        return list(takewhile(lambda row: row.header, self.rows))


def build_grid(record: str, passages: Sequence[Passage]) -> Grid:
    """The rows of one table block, from its cells where they have places, else one a line."""
    cells = sorted((c for c in passages[0].block.cells if c.char_start is not None), key=_cell_start)
    rows: list[Row] = []
    at = 0
    for passage in passages:
        while at < len(cells) and _cell_start(cells[at]) < passage.start:
            at += 1
        behind = at
        while behind < len(cells) and _cell_start(cells[behind]) < passage.end:
            behind += 1
        rows += _rows_by_cells(record, passage, cells[at:behind]) or _rows_by_lines(record, passage, first=not rows)
        at = behind
    # Header marks further down are side headings, not something to repeat.
    body = next((i for i, row in enumerate(rows) if not row.header), 0)
    rows = [_strip_rule(record, row) if i < body else row._replace(header=False) for i, row in enumerate(rows)]
    header = _header_text(record, passages[0].block, rows[:body])
    by_row: dict[int, list[Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, []).append(cell)
    reaching = _cells_from_above(by_row)
    rows = [row if row.header else row._replace(above=_text_above(record, row, header, reaching)) for row in rows]
    return Grid(tuple(rows), header, by_row, reaching, _shorten_caption(passages[0].block.caption))


class TableHeaders:
    """The caption and header of each table, for pieces that begin below them; none that is too long to repeat."""

    def __init__(self, record: str, passages: Iterable[Passage]) -> None:
        tables = {id(passage.block): passage for passage in passages if passage.block.type == "table"}
        self._grids = {name: build_grid(record, _list_rows(record, one)) for name, one in tables.items()}

    def above(self, start: int, passage: Passage) -> str:
        """The text to show above a piece that begins in this passage."""
        grid = self._grids.get(id(passage.block))
        if grid is None or not grid.rows or start <= grid.rows[0].start:
            return grid.caption if grid is not None else ""
        behind = max((row.end for row in grid.list_header()), default=0)
        header = grid.header if start >= behind and len(grid.header) <= HEADER_LENGTH else ""
        return f"{grid.caption}\n{header}".strip()


def _list_rows(record: str, one: Passage) -> list[Passage]:
    """A passage for each span of a table."""
    places = [(*trim_range(record, span.char_start, span.char_end), span) for span in one.block.spans]
    return [one._replace(start=start, end=end, where=span) for start, end, span in places if start < end]


def _shorten_caption(caption: str) -> str:
    """A caption on one line, shortened at a word: some are a paragraph, and it is repeated."""
    line = " ".join(caption[: 2 * CAPTION_LENGTH].split())
    return (
        line if len(line) <= CAPTION_LENGTH else f"{line[:CAPTION_LENGTH].rpartition(' ')[0] or line[:CAPTION_LENGTH]}…"
    )


def _cells_from_above(by_row: Mapping[int, Sequence[Cell]]) -> dict[int, list[Cell]]:
    """The cells that reach into a row from above, by row."""
    out: dict[int, list[Cell]] = {}
    begun: list[Cell] = []
    for row, cells in by_row.items():
        begun = [cell for cell in begun if cell.row + cell.rowspan > row] if begun else begun
        if begun:
            out[row] = list(begun)
        begun += [cell for cell in cells if cell.rowspan > 1][: MOST_REACHING - len(begun)]
    return out


def _text_above(record: str, row: Row, header: str, reaching: Mapping[int, Sequence[Cell]]) -> str:
    """The header, and below it in their columns the merged cells that the row itself does not say."""
    cells = [cell for cell in reaching.get(row.number, ()) if not cell.header and cell.col < WIDEST]
    said = record[row.start : row.end] if cells else ""
    unsaid = {cell.col: text for cell in cells if (text := " ".join(cell.text.split())) and text not in said}
    if not unsaid:
        return header
    line = "".join(f"| {unsaid[col]} " if col in unsaid else "| " for col in range(max(unsaid) + 1)) + "|"
    return f"{header}\n{line}" if header else line


def split_bars(text: str) -> tuple[str, ...]:
    """The cells of a row that is written between bars.

    >>> split_bars("| a | b \\\\| c | |")
    ('a', 'b | c', '')
    """
    line = text.partition("\n")[0].strip()
    inner = line[line.startswith("|") : len(line) - (line.endswith("|") and not line.endswith("\\|"))]
    return tuple(cell.strip().replace("\\|", "|") for cell in BAR.split(inner))


def _cell_start(cell: Cell) -> int:
    return cell.char_start or 0


def _rows_by_cells(record: str, passage: Passage, cells: Sequence[Cell]) -> list[Row]:
    """A row ends where the next one begins: at the last line break before its first cell, if there is one."""
    groups = [list(group) for _, group in groupby(cells, key=lambda cell: cell.row)]
    starts = [passage.start]
    for above, group in pairwise(groups):
        reached, first = max(cell.char_end or 0 for cell in above), _cell_start(group[0])
        starts.append(max(starts[-1], record.rfind("\n", reached, first) + 1 or first))
    rows: list[Row] = []
    for group, left, right in zip(groups, starts, [*starts[1:], passage.end], strict=False):
        start, end = trim_range(record, left, right)
        if start < end:
            where = _row_place(group, passage.where, groups[0][0].row) if len(groups) > 1 else passage.where
            rows.append(Row(start, end, passage, where, all(cell.header for cell in group), group[0].row))
    return rows


def _row_place(cells: Sequence[Cell], where: Span, first: int) -> Span:
    """The passage's place narrowed to one row, as far as the cells know."""
    page = next((cell.page for cell in cells if cell.page is not None), where.page)
    box = where.bbox
    if boxes := [cell.bbox for cell in cells if cell.bbox is not None]:
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        box = (min(x0), min(y0), max(x1), max(y1))
    top = where.rows[0] + cells[0].row - first if where.rows else 0
    rows = (top, top + max(cell.rowspan for cell in cells) - 1) if where.rows else None
    return replace(where, page=page, bbox=box, rows=rows)


def _rows_by_lines(record: str, passage: Passage, *, first: bool) -> list[Row]:
    """One row a line; the line above a rule at the top is the header."""
    rows: list[Row] = []
    at = passage.start
    for line in record[passage.start : passage.end].split("\n"):
        start, end = trim_range(record, at, at + len(line))
        at += len(line) + 1
        if start == end:
            continue
        if first and len(rows) == 1 and RULE.fullmatch(record, start, end):
            rows[0] = rows[0]._replace(end=end, header=True)
        else:
            rows.append(Row(start, end, passage, passage.where, header=False))
    return rows


def _strip_rule(record: str, row: Row) -> Row:
    """A header row without the long line of rules below it."""
    line = record.rfind("\n", row.start, row.end)
    is_rule = line > 0 and row.end - line > RULE_LENGTH and RULE.fullmatch(record, line, row.end)
    return row._replace(end=trim_range(record, row.start, line)[1]) if is_rule else row


def _header_text(record: str, block: Block, rows: Sequence[Row]) -> str:
    """What the cells say, whatever the markup; the rows as they are written where there are no cells."""
    head = [cell for cell in block.cells if cell.header and cell.row < len(rows)]
    if head and record[rows[0].start] not in "|<" and all(row.number >= 0 for row in rows):
        return "\n".join(record[row.start : row.end] for row in rows)  # a CSV file's rows have no bars either
    if head:
        said = (_spread_cells(row) for _, row in groupby(head, key=lambda cell: cell.row))
        return "\n".join(f"| {' | '.join(texts)} |" for texts in said if any(texts))
    lines = "\n".join(record[row.start : row.end] for row in rows).split("\n")
    return "\n".join(BLANKS.sub(" ", line.strip()) for line in lines if line.strip() and not RULE.fullmatch(line))


def _spread_cells(cells: Iterable[Cell]) -> list[str]:
    """The texts of a row in their columns; columns that nothing begins in stay empty."""
    texts: list[str] = []
    for cell in cells:
        texts.extend([""] * min(GAP, cell.col - len(texts)))
        texts.append(" ".join(cell.text.split()))
    return texts
