"""Facts about a worksheet that its values do not show: hidden rows and columns, percentages, errors, formulas never
computed.

The part is read once as a stream and looked at row by row with plain searches, which is some ten times
faster than an XML parser and takes the memory of one row.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import IO
from xml.sax.saxutils import unescape

from ragstone.extraction.spreadsheet.package import BROKEN, XlsxPackage, read_relations
from ragstone.extraction.spreadsheet.patterns import Patterns, compile_patterns
from ragstone.extraction.spreadsheet.survey_result import CODES, COLUMNS, Survey
from ragstone.extraction.spreadsheet.values import EXACT, format_number

BLOCK = 1 << 20  # bytes read at once
WIDEST_ROW = 1 << 26  # bytes of a row; of a longer one only this much is looked at
PLACE = re.compile(rb"[^>]*?\br=[\"']([A-Z]{1,3})\d")
# Letters first and their boundary behind: what begins with letters is searched for several times as fast.
PLACES = re.compile(rb"r=(?<=\br=)[\"']([A-Za-z]{1,9})(\d{1,12})")
PLACE_OF_CELL = re.compile(rb"r=(?<=\br=)[\"']([A-Za-z]{1,9}\d{1,12})")
NUMBER = re.compile(rb"\br=[\"'](\d{1,7})[\"']")
PREFIX = re.compile(rb"(?:[^\s/\"'=]{1,100}:)?")
CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
# Begin with what every value does: rows are searched for these at the speed of a plain text.
UNUSUAL = re.compile(rb"v>(?:\d{16}|-)")
LONG = re.compile(rb"v>-?\d{16}")
INSIDE = re.compile(rb"(?:<[^>]*>[^<]*){0,4}?<[^>]*v>([^<]{1,40})<")


def column_number(letters: str) -> int:
    """
    >>> column_number("A"), column_number("XFD")
    (1, 16384)
    """
    n = 0
    for letter in letters:
        n = n * 26 + ord(letter) - 64
    return n


def survey_sheet(package: XlsxPackage, sheet: str) -> Survey:
    """The survey of a worksheet; an empty one where it cannot be read (its reader then says what is wrong)."""
    survey = Survey()
    name = package.sheets.get(sheet)
    if name is None:
        return survey
    try:
        with package.stream.open(name) as stream:
            head, filters = _survey_rows(stream, survey, package)
        filters += _find_table_filters(package, name) if survey.hidden_rows else []
    except BROKEN:
        return survey
    # A filter is somebody's view of the rows, not a wish to hide them: they stay.
    if b'filterMode="1"' in head or b'filterMode="true"' in head:
        survey.hidden_rows.clear()
    for first, last in filters:
        survey.hidden_rows -= set(range(first, min(last, first + (1 << 20)) + 1)) if survey.hidden_rows else set()
    return survey


def _survey_rows(stream: IO[bytes], survey: Survey, package: XlsxPackage) -> tuple[bytes, list[tuple[int, int]]]:
    """Fills the survey; gives what stands before the rows and the ranges of filters behind them."""
    buffer = stream.read(BLOCK)
    while b"sheetData" not in buffer and len(buffer) < WIDEST_ROW and (more := stream.read(BLOCK)):
        buffer += more
    head, begin, buffer = buffer.partition(b"sheetData")
    prefix = head.rpartition(b"<")[2]
    survey.begins = bool(begin) and PREFIX.fullmatch(prefix) is not None
    codes = package.codes
    patterns = compile_patterns(prefix, frozenset(codes), package.moments)
    _find_hidden_columns(head, survey)
    number = 0
    while True:
        *rows, buffer = buffer.split(patterns.row)
        for row in rows:
            number = _survey_row(row, number, survey, codes, patterns)
        more = stream.read(BLOCK)
        if not more:
            break
        buffer = (patterns.row + buffer if rows or number else buffer) + more if len(buffer) < WIDEST_ROW else more
    _survey_row(buffer, number, survey, codes, patterns)
    found = re.finditer(rb"autoFilter[^>]*?\bref=[\"']\$?[A-Z]+\$?(\d{1,7}):\$?[A-Z]+\$?(\d{1,7})[^>]*[^/]>", buffer)
    return head, [(int(match[1]), int(match[2])) for match in found]


def _survey_row(row: bytes, before: int, survey: Survey, codes: Mapping[int, int], patterns: Patterns) -> int:
    """Looks at one row, given from behind `<row`; its number."""
    if row[:1] not in b" \t\r\n":
        return before
    tag, _, cells = row.partition(b">")
    match = NUMBER.search(tag)
    number = (int(match[1]) if match else 0) or before + 1
    survey.in_order &= number > before
    if not cells and b"hidden" not in tag:  # a million of these are found in files
        return number
    if b"hidden=" in tag and re.search(rb"\bhidden=[\"'](?:1|true)", tag) and b"outlineLevel=" not in tag:
        survey.hidden_rows.add(number)
    end = max(cells.rfind(patterns.ends[0]), cells.rfind(patterns.ends[1]))
    if end >= 0:
        _widen_area(cells, end, number, survey, patterns)
    if patterns.formula in cells:
        formulas = cells.count(patterns.formulas[0]) + cells.count(patterns.formulas[1])
        if formulas > cells.count(patterns.computed) - cells.count(patterns.empty):
            survey.uncomputed += sum(_lacks_value(cell, patterns) for cell in cells.split(patterns.cell)[1:])
    unusual = UNUSUAL.search(cells) is not None and (
        LONG.search(cells) is not None or (patterns.dated is not None and patterns.dated.search(cells) is not None)
    )
    if unusual or b't="e"' in cells or (patterns.styled is not None and patterns.styled.search(cells)):
        _mark_cells(cells, number, survey, codes, patterns, unusual=unusual)
    return number


def _widen_area(cells: bytes, end: int, number: int, survey: Survey, patterns: Patterns) -> None:
    """Widens the rectangle by a row's cells up to its last value. Cells may lie elsewhere than their row says."""
    if (widest := _find_last_column(cells, end, number)) is not None:
        survey.first_row, survey.last_row = min(survey.first_row or number, number), max(survey.last_row, number)
        survey.last_col = max(survey.last_col, widest[0], cells.count(patterns.cell) - widest[1])
        return
    places = PLACES.findall(cells, 0, end)
    rows = {int(row) for row in {row for _, row in places}} or {number}
    survey.first_row = min(survey.first_row or number, number, *rows)
    survey.last_row = max(survey.last_row, number, *rows)
    last = max((letters for letters, _ in places), key=lambda letters: (len(letters), letters), default=b"")
    survey.last_col = max(
        survey.last_col, column_number(last.decode().upper()), cells.count(patterns.cell) - len(places)
    )


def _find_last_column(cells: bytes, end: int, number: int) -> tuple[int, int] | None:
    """The last column of the cells up to `end`, and how many they are, where all of them lie in this row; else None."""
    places = PLACE_OF_CELL.findall(cells, 0, end)
    return _parse_columns((b" ".join(places) + b" ").replace(b"%d " % number, b" "))


@lru_cache(maxsize=64)
def _parse_columns(letters: bytes) -> tuple[int, int] | None:
    """The last of columns such as `A B AA `, and how many they are; None where there is something else among them.

    >>> _parse_columns(b"A AA B "), _parse_columns(b"A B2 ")
    ((27, 3), None)
    """
    names = letters.split()
    if not names or not all(name.isalpha() for name in names):
        return None
    return max(column_number(name.decode().upper()) for name in names), len(names)


def _find_column(cells: bytes, at: int) -> int:
    """The column of the cell whose attributes begin here, 0 where it names none."""
    match = PLACE.match(cells, at)
    return min(column_number(match[1].decode()), COLUMNS) if match else 0


@lru_cache(maxsize=256)
def _cap_column(letters: bytes) -> int:
    return min(column_number(letters.decode()), COLUMNS)


def _lacks_value(cell: bytes, patterns: Patterns) -> bool:
    """Whether a formula has no value; an empty text is one."""
    if patterns.formula not in cell:
        return False
    value = cell.find(patterns.value)
    return value < 0 or (cell[value + len(patterns.value) :].lstrip()[:2] in (b"/>", b"><") and b't="str"' not in cell)


def _mark_cells(
    cells: bytes, row: int, survey: Survey, codes: Mapping[int, int], patterns: Patterns, *, unusual: bool
) -> None:
    if patterns.placed is not None and patterns.styled is not None and not unusual and b't="e"' not in cells:
        found = patterns.placed.findall(cells)
        if len(found) == len(patterns.styled.findall(cells)):  # else some are written in another way
            base = row * COLUMNS - 1
            survey.marks.extend((base + _cap_column(letters)) * CODES + codes[int(style)] for letters, style in found)
            return
    for index, cell in enumerate(cells.split(patterns.cell)[1:], start=1):
        tag, _, inside = cell.partition(b">")
        col = min(_find_column(tag, 0) or index, COLUMNS)
        if b't="e"' in tag:
            survey.mark_error(row, col, _read_value(inside))
        elif patterns.styled is not None and (style := patterns.styled.search(tag)):
            survey.mark(row, col, codes[int(style[1])])
        elif unusual and (b' t="' not in tag or b' t="n"' in tag):
            dated = patterns.dated is not None and patterns.dated.search(cell) is not None
            survey.mark_text(row, col, _exact_text(_read_value(inside), dated=dated))


def _read_value(inside: bytes) -> str:
    """The value in a cell as it is written."""
    match = INSIDE.match(inside)
    return unescape(match[1].decode(errors="replace")).strip() if match else ""


def _exact_text(said: str, *, dated: bool) -> str:
    """What is shown for a number that the reader of workbooks gives as another, "" where it does not.

    A whole number keeps the digits that no double has; one below zero is no date.

    >>> (_exact_text("12345678901234567890", dated=False), _exact_text("-5.0", dated=True),
    ...  _exact_text("-5", dated=False))
    ('12345678901234567890', '-5', '')
    """
    if said.removeprefix("-").isdecimal() and abs(int(said)) > EXACT:
        return said
    try:
        return format_number(float(said)) if dated and float(said) < 0 else ""
    except ValueError:
        return ""


def _find_hidden_columns(head: bytes, survey: Survey) -> None:
    for match in re.finditer(rb"<(?:\w{1,20}:)?col\s([^>]{1,300})>", head):
        said = dict(re.findall(rb"(\w+)=[\"'](\w+)[\"']", match[1]))
        low, high = said.get(b"min", b""), said.get(b"max", b"")
        hidden = said.get(b"hidden") in (b"1", b"true") and b"outlineLevel" not in said
        if hidden and low.isdigit() and high.isdigit():
            survey.hidden_cols.update(range(int(low[:6]), min(int(high[:6]), COLUMNS) + 1))


def _find_table_filters(package: XlsxPackage, name: str) -> list[tuple[int, int]]:
    """The rows of tables of this sheet that are filtered at the moment."""
    out: list[tuple[int, int]] = []
    for target in read_relations(package.archive, name).values():
        if "/tables/" in target:
            found = package.archive.read_xml(target).find("{*}autoFilter")
            rows = (
                [int(row) for _, row in CELL.findall(found.get("ref", ""))] if found is not None and len(found) else []
            )
            out += [(rows[0], rows[-1])] if rows else []
    return out
