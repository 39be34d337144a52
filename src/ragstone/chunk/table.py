"""The rows of a table: where each stands in the record, and what its header says."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from ragstone.chunk.outline import Passage, trimmed
from ragstone.types import Block, Cell, Span

RULE = re.compile(r"[\s|:+=-]+")
# A dash is a token of its own. The rule below a wide header can have more tokens than an embedder
# reads (699 were seen in a documentation), so one longer than this is left out of the pieces.
RULE_LENGTH = 64
BLANKS = re.compile(r"[ \t]{2,}")


class Row(NamedTuple):
    """A row's characters, the passage it lies in, its place on page or sheet; header rows come first."""

    start: int
    end: int
    passage: Passage
    where: Span
    header: bool


class Grid(NamedTuple):
    """A table's rows in order and the text of its header rows, without rules and padding."""

    rows: tuple[Row, ...]
    header: str


def grid(record: str, passages: Sequence[Passage]) -> Grid:
    """The rows of one table block, from its cells where they have places, else one a line."""
    cells = sorted((c for c in passages[0].block.cells if c.char_start is not None), key=_start)
    rows: list[Row] = []
    at = 0
    for passage in passages:
        while at < len(cells) and _start(cells[at]) < passage.start:
            at += 1
        behind = at
        while behind < len(cells) and _start(cells[behind]) < passage.end:
            behind += 1
        rows += _by_cells(record, passage, cells[at:behind]) or _by_lines(record, passage, first=not rows)
        at = behind
    # Header marks further down are side headings, not something to repeat.
    body = next((i for i, row in enumerate(rows) if not row.header), 0)
    rows = [_unruled(record, row) if i < body else row._replace(header=False) for i, row in enumerate(rows)]
    return Grid(tuple(rows), _header(record, passages[0].block, rows[:body]))


def _start(cell: Cell) -> int:
    return cell.char_start or 0


def _by_cells(record: str, passage: Passage, cells: Sequence[Cell]) -> list[Row]:
    """A row ends where the next one begins: at the last line break before its first cell, if there is one."""
    groups = [list(group) for _, group in groupby(cells, key=lambda cell: cell.row)]
    starts = [passage.start]
    for above, group in pairwise(groups):
        reached, first = max(cell.char_end or 0 for cell in above), _start(group[0])
        starts.append(max(starts[-1], record.rfind("\n", reached, first) + 1 or first))
    rows: list[Row] = []
    for group, left, right in zip(groups, starts, [*starts[1:], passage.end], strict=False):
        start, end = trimmed(record, left, right)
        if start < end:
            where = _place(group, passage.where, groups[0][0].row) if len(groups) > 1 else passage.where
            rows.append(Row(start, end, passage, where, all(cell.header for cell in group)))
    return rows


def _place(cells: Sequence[Cell], where: Span, first: int) -> Span:
    """The passage's place narrowed to one row, as far as the cells know."""
    page = next((cell.page for cell in cells if cell.page is not None), where.page)
    box = where.bbox
    if boxes := [cell.bbox for cell in cells if cell.bbox is not None]:
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        box = (min(x0), min(y0), max(x1), max(y1))
    top = where.rows[0] + cells[0].row - first if where.rows else 0
    rows = (top, top + max(cell.rowspan for cell in cells) - 1) if where.rows else None
    return replace(where, page=page, bbox=box, rows=rows)


def _by_lines(record: str, passage: Passage, *, first: bool) -> list[Row]:
    """One row a line; the line above a rule at the top is the header."""
    rows: list[Row] = []
    at = passage.start
    for line in record[passage.start : passage.end].split("\n"):
        start, end = trimmed(record, at, at + len(line))
        at += len(line) + 1
        if start == end:
            continue
        if first and len(rows) == 1 and RULE.fullmatch(record, start, end):
            rows[0] = rows[0]._replace(end=end, header=True)
        else:
            rows.append(Row(start, end, passage, passage.where, header=False))
    return rows


def _unruled(record: str, row: Row) -> Row:
    """A header row without the long line of rules below it."""
    line = record.rfind("\n", row.start, row.end)
    is_rule = line > 0 and row.end - line > RULE_LENGTH and RULE.fullmatch(record, line, row.end)
    return row._replace(end=trimmed(record, row.start, line)[1]) if is_rule else row


def _header(record: str, block: Block, rows: Sequence[Row]) -> str:
    """What the cells say, whatever the markup; the rows as they are written where there are no cells."""
    head = [cell for cell in block.cells if cell.header and cell.row < len(rows)]
    if head:
        said = ([" ".join(cell.text.split()) for cell in row] for _, row in groupby(head, key=lambda cell: cell.row))
        return "\n".join(f"| {' | '.join(texts)} |" for texts in said if any(texts))
    lines = "\n".join(record[row.start : row.end] for row in rows).split("\n")
    return "\n".join(BLANKS.sub(" ", line.strip()) for line in lines if line.strip() and not RULE.fullmatch(line))
