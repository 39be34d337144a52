"""Tables of reStructuredText: columns below `====` rules, lists and delimited text in directives."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ragstone.extraction.markup.lines import Line, MarkupPiece
from ragstone.extraction.markup.rst_grids import WIDE, pad_wide, read_grid
from ragstone.extraction.markup.rst_marks import show_marked
from ragstone.extraction.markup.tables import MarkupRow, join_words, make_table, mark_header, read_delimited
from ragstone.extraction.record.tables import COLUMNS, RawCell

TABLES = frozenset(("table", "list-table", "csv-table"))
SIMPLE_RULE = re.compile(r"\s*=+(?: +=+)+\s*")
SPANNING = re.compile(r"\s*-{2,}(?: +-+)*\s*")
RULED = re.compile(r"[=-]+")
ROW = re.compile(r"(\s*)[*+-]\s+[*+-](?:\s|$)")
BULLET = re.compile(r"\s*[*+-](?:\s+|$)")
OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)")
DELIMITERS = {"tab": "\t", "space": " "}
SILENT = re.compile(r"\s*\.\.\s.*")


def read_drawn_table(lines: Sequence[Line], at: int, end: int, caption: str = "") -> list[MarkupPiece]:
    """The grid or simple table that begins on a line, if one does and ends before `end`."""
    found = (read_grid(lines, at) or _read_simple(lines, at, end)) if at < end else None
    return list(make_table(_show_cells(found[1]), at, found[0], caption)) if found and found[0] <= end else []


def read_table_directive(lines: Sequence[Line], at: int, end: int, name: str, caption: str) -> list[MarkupPiece]:
    """The caption and the table of a directive on the lines [at, end); nothing where it has no cells."""
    first = at + 1
    while first < end and OPTION.fullmatch(lines[first].text):
        first += 1
    if name == "table":
        while first < end and lines[first].is_blank:
            first += 1
        table = read_drawn_table(lines, first, end, caption)
    else:
        read = _read_list if name == "list-table" else _read_csv
        table = list(make_table(_show_cells(read(lines, at + 1, first, end)), at + 1, end, caption))
    title = [MarkupPiece("paragraph", at, at + 1, text=caption, is_caption=True)] if caption and table else []
    return [*title, *table]


def _show_cells(rows: Sequence[MarkupRow]) -> list[MarkupRow]:
    return [row._replace(cells=[replace(cell, text=show_marked(cell.text)) for cell in row.cells]) for row in rows]


def _read_options(lines: Sequence[Line], first: int, behind: int) -> dict[str, tuple[int, str]]:
    """The options of a directive: for each name its line and its value."""
    found = ((number, OPTION.fullmatch(lines[number].text)) for number in range(first, behind))
    return {option[1]: (number, option[2].strip()) for number, option in found if option}


def _count_headers(options: Mapping[str, tuple[int, str]]) -> int:
    count = options.get("header-rows", (0, ""))[1]
    return int(count) if count.isdecimal() and len(count) < 3 else 0


def _read_csv(lines: Sequence[Line], at: int, first: int, end: int) -> list[MarkupRow]:
    """The rows of delimited text below the options [at, first), which may hold the header."""
    options = _read_options(lines, at, first)
    said = options.get("delim", (0, ","))[1]
    rows = mark_header(
        read_delimited(lines, first, end, DELIMITERS.get(said, said[:1] or ",")), _count_headers(options)
    )
    number, text = options.get("header", (0, ""))
    named = read_delimited([Line(text, 0, len(text))], 0, 1, ",")
    return [*mark_header([MarkupRow(number, row.cells) for row in named], len(named)), *rows]


def _read_list(lines: Sequence[Line], at: int, first: int, end: int) -> list[MarkupRow]:
    """A row for each item of a list, a cell for each item of the list in it; options stand on [at, first)."""
    rows: list[tuple[int, list[list[str]]]] = []
    outer = inner = -1
    for number in range(first, end):
        text, indent = lines[number].text, lines[number].indent
        begun = ROW.match(text)
        if begun and (outer < 0 or indent == outer):
            outer, inner = indent, len(text) - len(text[indent + 1 :].lstrip())
            rows.append((number, [[BULLET.sub("", text[inner:], count=1)]]))
        elif rows and indent == inner and BULLET.match(text):
            rows[-1][1].append([BULLET.sub("", text, count=1)])
        elif rows and not SILENT.fullmatch(text):
            rows[-1][1][-1].append(text)
    read = [MarkupRow(line, [RawCell(join_words(" ".join(cell))) for cell in cells]) for line, cells in rows]
    return mark_header(read, _count_headers(_read_options(lines, at, first)))


def _read_simple(lines: Sequence[Line], at: int, end: int) -> tuple[int, list[MarkupRow]] | None:
    """The line behind the simple table that begins here, and its rows."""
    if not SIMPLE_RULE.fullmatch(lines[at].text):
        return None
    rules: list[int] = []
    number = at + 1
    while number < end and (lines[number].is_blank or lines[number].indent >= lines[at].indent):
        if SIMPLE_RULE.fullmatch(lines[number].text):
            rules.append(number)
            if len(rules) == 2 or number + 1 >= end or lines[number + 1].is_blank:
                break
        number += 1
    else:
        return None
    columns = [match.start() for match in RULED.finditer(lines[at].text)]
    if len(columns) > COLUMNS:
        return None
    rows = list(_split_rows(lines, at + 1, rules[-1], columns))
    return rules[-1] + 1, mark_header(rows, sum(row.line < rules[0] for row in rows) if len(rules) == 2 else 0)


def _split_rows(lines: Sequence[Line], first: int, end: int, columns: Sequence[int]) -> Iterator[MarkupRow]:
    """A row begins with each line that has text in the first column; dashes below it say which columns are one."""
    begun = first
    texts: list[str] = []
    for number in range(first, end + 1):
        text = pad_wide(lines[number].text.rstrip())
        is_rule = number == end or SIMPLE_RULE.fullmatch(text) is not None
        starts = [match.start() for match in RULED.finditer(text)] if SPANNING.fullmatch(text) else []
        joined = bool(starts) and starts[0] == columns[0] and set(starts) <= set(columns)
        if texts and (is_rule or joined or text[columns[0] : columns[1]].strip()):
            yield MarkupRow(begun, list(_cut_cells(texts, columns, starts if joined else columns)))
            texts = []
        if text and not (is_rule or joined):
            begun = begun if texts else number
            texts.append(text)


def _cut_cells(texts: Sequence[str], columns: Sequence[int], starts: Sequence[int]) -> Iterator[RawCell]:
    """The cells of a row as far as its lines reach; `starts` are those columns that begin one."""
    reached = bisect_left(starts, max(map(len, texts)))
    for left, right in pairwise((*starts[: reached + 1], *([None] if reached == len(starts) else []))):
        said = join_words(" ".join(text[left:right] for text in texts).replace(WIDE, ""))
        width = (len(columns) if right is None else bisect_left(columns, right)) - bisect_left(columns, left or 0)
        yield RawCell("" if said == "\\" else said, colspan=width)
