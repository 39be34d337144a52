"""Tables of AsciiDoc: cells behind bars between `|===`, or delimited text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragstone.extraction.markup.lines import Line, MarkupPiece
from ragstone.extraction.markup.tables import MarkupRow, join_words, make_table, mark_header, read_delimited
from ragstone.extraction.record.tables import COLUMNS, REACHING, RawCell

OPEN = re.compile(r"([|,:])={3,}\s*")
INNER = re.compile(r"\s*!={3,}\s*|//.*|\w+::\S*\[.*\]\s*")  # borders of a table in a cell, comments, macros
BAR = re.compile(r"(?<!\\)\|")
# What stands before a bar: how often, or over how many columns and rows; alignment; style.
SPEC = re.compile(
    r"(?:(?<=[ \t])|^)(?:(?P<wide>\d{1,3})?(?:\.(?P<high>\d{1,3}))?(?P<kind>[*+]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$"
)
SPEC_LENGTH = 16  # characters
OPTION = re.compile(r"\b(cols|format|separator|options|opts)\s*=\s*(?:\"([^\"]*)\"|([^\s,\]]+))")
HEADER = re.compile(r"\bheader\b")
NO_HEADER = re.compile(r"\bnoheader\b")
REPEATED = re.compile(r"\s*(\d{1,4})\*.*")
MOST_TIMES = 8  # that a cell stands beside itself
DELIMITERS = {"csv": ",", "tsv": "\t", "dsv": ":", ",": ",", ":": ":"}


class _Cell(NamedTuple):
    """A cell in the order of the file: its line, its text, how often it stands there."""

    line: int
    raw: RawCell
    times: int


def find_borders(lines: Sequence[Line]) -> dict[int, int]:
    """For each line that opens a table the line that closes it, as far as there is one."""
    behind: dict[str, int] = {}
    closing: dict[int, int] = {}
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].text[1:4] == "===" and OPEN.fullmatch(lines[number].text):
            border = lines[number].text.rstrip()
            if border in behind:
                closing[number] = behind[border]
            behind[border] = number
    return closing


def read_table(lines: Sequence[Line], at: int, end: int, attributes: str, caption: str) -> list[MarkupPiece]:
    """The table between its borders, the lines `at` and `end`; nothing where it has no cells."""
    options = {found[1]: found[2] or found[3] or "" for found in OPTION.finditer(attributes)}
    kind = DELIMITERS.get(options.get("format", lines[at].text[0]))
    separator = options.get("separator", "")
    first = at + 1
    named = HEADER.search(attributes) is not None
    if not (named or NO_HEADER.search(attributes)):
        named = first + 1 < end and not lines[first].is_blank and lines[first + 1].is_blank
    if kind:
        rows = read_delimited(lines, first, end, {"": kind, "\\t": "\t"}.get(separator, separator[:1]))
    else:
        rows = _split_rows(list(_read_cells(lines, first, end)), _count_columns(options.get("cols", "")))
    return list(make_table(mark_header(rows, int(named)), at, end + 1, caption))


def _count_columns(cols: str) -> int:
    """The number of columns that an attribute gives; 0 where it gives none."""
    parts = [part for part in re.split(r"[,;]", cols[:COLUMNS]) if cols.strip()]
    return min(COLUMNS, sum(int(found[1]) if (found := REPEATED.fullmatch(part)) else 1 for part in parts))


def _read_cells(lines: Sequence[Line], first: int, end: int) -> Iterator[_Cell]:
    """The cells in order; text before the first bar is one too."""
    begun, spec, words = first, "", list[str]()
    has_bar = False
    for number in range(first, end):
        text = lines[number].text
        at = len(text) if INNER.fullmatch(text) else 0
        for bar in BAR.finditer(text, at):
            said = text[at : bar.start()]
            found = SPEC.search(said, max(0, len(said) - SPEC_LENGTH))
            own = found[0] if found and (found.start() or not at) else ""
            words.append(said.removesuffix(own))
            if has_bar or any(map(str.strip, words)):
                yield _make_cell(begun, spec, words)
            begun, spec, words, has_bar, at = number, own, [], True, bar.end()
        words.append(text[at:])
    if has_bar:
        yield _make_cell(begun, spec, words)


def _make_cell(line: int, spec: str, words: Sequence[str]) -> _Cell:
    raw = RawCell(join_words(" ".join(words)).replace("\\|", "|"))
    found = SPEC.fullmatch(spec)
    if found is None or not found["kind"]:
        return _Cell(line, raw, 1)
    wide, high = int(found["wide"] or 1), int(found["high"] or 1)
    return _Cell(line, raw, wide) if found["kind"] == "*" else _Cell(line, replace(raw, colspan=wide, rowspan=high), 1)


def _split_rows(cells: Sequence[_Cell], columns: int) -> list[MarkupRow]:
    """Rows of so many columns; where none are given, of as many as cells stand on the first line."""
    if not columns:
        columns = sum(cell.times * cell.raw.colspan for cell in cells if cell.line == cells[0].line)
    columns = max(1, min(columns, COLUMNS))
    rows: list[MarkupRow] = []
    reaching: list[list[int]] = []  # of cells that reach into the rows below: columns, rows left
    room = 0
    for cell in cells:
        for _ in range(min(cell.times, MOST_TIMES)):
            if room <= 0:
                rows.append(MarkupRow(cell.line, []))
                room = columns - sum(wide for wide, _ in reaching)
                reaching = [[wide, left - 1] for wide, left in reaching if left > 1]
            rows[-1].cells.append(cell.raw)
            room -= cell.raw.colspan
            if cell.raw.rowspan > 1 and len(reaching) < REACHING:
                reaching.append([cell.raw.colspan, cell.raw.rowspan - 1])
    return rows
