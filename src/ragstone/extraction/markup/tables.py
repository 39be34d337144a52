"""Tables of markup as they stand in the text of record: each row between bars, on the line of the file that it begins
on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import NamedTuple

from ragstone.core.types import Cell
from ragstone.extraction.markup.lines import Line, MarkupPiece, WrittenRow
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.tables import GAP, PipeTable, RawCell, place_cells
from ragstone.extraction.spreadsheet.csv_rows import parse_rows


class MarkupRow(NamedTuple):
    """A row's cells, and the line of the file that it begins on."""

    line: int
    cells: list[RawCell]


def make_table(rows: Sequence[MarkupRow], first: int, behind: int, caption: str = "") -> Iterator[MarkupPiece]:
    """The table on the lines [first, behind); nothing where no cell has text."""
    cells = place_cells([row.cells for row in rows])
    if not any(cell.header for cell in cells):
        cells = mark_header_rows(cells, named=False)
    by_row = {row: tuple(group) for row, group in groupby(cells, key=lambda cell: cell.row)}
    filled = {row: group for row, group in by_row.items() if any(cell.text for cell in group)}
    if filled:
        columns = max(cell.col + cell.colspan for cell in cells)
        starts = {row: rows[row].line for row in filled}
        written = tuple(_write_rows(filled, starts, columns, first, behind))
        yield MarkupPiece("table", first, behind, rows=written, caption=caption)


def _write_rows(
    rows: Mapping[int, tuple[Cell, ...]], starts: Mapping[int, int], columns: int, first: int, behind: int
) -> Iterator[WrittenRow]:
    """Each row on its own line if there is one left, else behind the row before; below the header a rule."""
    numbers = list(rows)
    head = list(takewhile(lambda row: all(cell.header for cell in rows[row]), numbers))
    body = numbers[len(head) :]
    # A header directly above its first row leaves no line for the rule: then it stands one line higher.
    up = bool(head and body and starts[body[0]] <= starts[head[-1]] + 1 and first < starts[head[0]])
    free = first
    for row in numbers:
        line = min(behind - 1, max(free, starts[row] - (up and row <= head[-1])))
        # Without a line between them there is no rule: rows keep the lines that they are on.
        ruled = bool(head) and row == head[-1] and line + 1 + bool(body) < behind
        ruled = ruled and not (body and starts[body[0]] <= line + 1)
        table = PipeTable()
        cells = tuple(table.append_row(rows[row], columns))
        rule = "|" + "---|" * min(columns, len(cells) + GAP) if ruled else ""
        yield WrittenRow(line, table.text, cells, rule)
        free = line + 1 + ruled


def mark_header(rows: Sequence[MarkupRow], count: int) -> list[MarkupRow]:
    """The rows, of which the first `count` are the header."""
    return [
        row._replace(cells=[replace(cell, header=True) for cell in row.cells]) if number < count else row
        for number, row in enumerate(rows)
    ]


def read_delimited(lines: Sequence[Line], first: int, behind: int, delimiter: str) -> list[MarkupRow]:
    """The rows of delimited text on the lines [first, behind), as in a CSV file."""
    text = "\n".join(line.text.strip() for line in lines[first:behind])
    text = re.sub(rf"(?<={re.escape(delimiter)}) +(?=\")", "", text) if delimiter.strip() else text
    rows: list[MarkupRow] = []
    at, number = 0, first
    for row in parse_rows(text, delimiter):
        number += text.count("\n", at, row.start)
        at = row.start
        if any(cell.strip() for cell in row.texts):
            rows.append(MarkupRow(number, [RawCell(join_words(cell)) for cell in row.texts]))
    return rows


def join_words(text: str) -> str:
    """The text with single blanks between its words."""
    return " ".join(text.split())
