"""The rows of the tables in a chunk: where each stands, its cells, and the rows above that say what it means."""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ragstone.answering.extractive.row_dates import extract_date_terms, list_days
from ragstone.core.analyzer import extract_terms

BARRED = re.compile(r"[ \t]*\|[^\n]*\|[ \t\r]*")
RULE = re.compile(r"[\s|:=+-]+")
BAR = re.compile(r"(?<!\\)\|")
FIGURE = re.compile(r"\d")
LONGEST_GROUP = 120  # characters of a row that names the rows below it; a longer one is prose
SUMS_UP = 0.6
DELIMITERS = "\t;,|"

Range = tuple[int, int]


class TableRow(NamedTuple):
    """A row: its cells, the places of the header and of the row that names its group, whether it is such a row."""

    cells: tuple[str, ...]
    header: tuple[Range, ...] = ()
    group: Range | None = None
    kind: str = "row"  # row, header, group
    continued: bool = False  # its header stands above the chunk

    @property
    def label(self) -> str:
        """The cells before the first figure that hold words, at least the first cell that holds anything."""
        words: list[str] = []
        for cell in filter(None, self.cells):
            if words and FIGURE.search(cell):
                break
            words.append(cell)
        return " ".join(words[:-1] if len(words) > 1 and len(words) == sum(map(bool, self.cells)) else words)

    @property
    def date_terms(self) -> frozenset[str]:
        """The terms of its dates in other notations; none where all its values are days: it heads a statement."""
        values = [cell for cell in self.cells[1:] if cell]
        heads = bool(values) and all(map(list_days, values))
        return frozenset() if heads else extract_date_terms(" | ".join(self.cells))

    @property
    def has_figures(self) -> bool:
        """Whether a cell after the first one holds a figure."""
        return any(FIGURE.search(cell) for cell in self.cells[1:])


def find_row_lines(text: str, *, is_table: bool) -> list[Range]:
    """The places of the rows: lines between bars, or all lines of a table whose rows have none, a quoted cell of a CSV
    file with its line breaks."""
    lines: list[Range] = []
    at = 0
    for line in text.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    barred = [(a, b) for a, b in lines if BARRED.fullmatch(text, a, b)]
    if barred or not is_table:
        return [_trim(text, a, b) for a, b in barred]
    return list(_join_quoted(text, lines))


def _join_quoted(text: str, lines: Sequence[Range]) -> Iterator[Range]:
    start, quotes = -1, 0
    for a, b in lines:
        start = a if start < 0 else start
        quotes += text.count('"', a, b)
        if quotes % 2 == 0:
            if text[start:b].strip():
                yield _trim(text, start, b)
            start, quotes = -1, 0
    if start >= 0:
        yield from (_trim(text, a, b) for a, b in lines if a >= start and text[a:b].strip())


def _trim(text: str, start: int, end: int) -> Range:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def split_cells(line: str) -> tuple[str, ...]:
    """The cells of a row, between bars or delimited as in a CSV file.

    >>> split_cells("| a | b \\\\| c | |"), split_cells('"x, y",1')
    (('a', 'b | c', ''), ('x, y', '1'))
    """
    if line.startswith("|"):
        return tuple(cell.strip().replace("\\|", "|") for cell in BAR.split(line[1:].removesuffix("|")))
    delimiter = max(DELIMITERS, key=line.count)
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [line]))
    except csv.Error:
        return (line,)


def read_rows(
    text: str, ranges: Sequence[Range], lines: Collection[Range], *, continues: bool
) -> list[TableRow | None]:
    """The row of each passage of a chunk, None for those that are not among the `lines` of tables. `continues`
    says that the header of the first table stands above the chunk."""
    out: list[TableRow | None] = []
    header: list[Range] = []
    group: Range | None = None
    opened = False  # the rule below a header was just seen
    rows = 0 if not continues else 1
    for i, (a, b) in enumerate(ranges):
        if (a, b) not in lines:
            header, group, opened, rows, continues = [], None, False, 0, False
            out.append(None)
            continue
        if RULE.fullmatch(text, a, b):
            opened = bool(header)
            out.append(None)
            continue
        row = _read_row(text, ranges, i, tuple(header), group, opened=opened, first=not rows)
        rows += 1
        if row.kind == "header":
            header = [*header, (a, b)] if opened else [(a, b)]
            group, continues = None, False
        else:
            opened = False
            group = (a, b) if row.kind == "group" else None if _closes_group(text, row) else group
            row = row._replace(continued=continues)
        out.append(row)
    return out


def _read_row(
    text: str,
    ranges: Sequence[Range],
    i: int,
    header: tuple[Range, ...],
    group: Range | None,
    *,
    opened: bool,
    first: bool,
) -> TableRow:
    start, end = ranges[i]
    cells = split_cells(text[start:end])
    filled = [cell for cell in cells if cell]
    ruled = i + 1 < len(ranges) and RULE.fullmatch(text, *ranges[i + 1]) is not None
    plain = first and text[start] != "|" and len(filled) == len(cells) > 1 and not FIGURE.search("".join(cells))
    if ruled or plain or (opened and not cells[0] and filled):
        return TableRow(cells, kind="header")
    if len(filled) == 1 and cells[0] and len(cells) > 1 and end - start <= LONGEST_GROUP:
        return TableRow(cells, header, kind="group")
    return TableRow(cells, header, group)


def _closes_group(text: str, row: TableRow) -> bool:
    """Whether a row sums up its group: it says the group's name and more, or hardly more than it."""
    if row.group is None:
        return False
    named, label = set(extract_terms(text[row.group[0] : row.group[1]])), set(extract_terms(row.cells[0]))
    return bool(named) and (named <= label or len(label & named) >= SUMS_UP * len(label) > 0)
