"""What the values of a worksheet do not tell: hidden rows and columns, percentages, errors, formulas never computed.

The part is read once as a stream and looked at row by row with plain searches, which is some ten times
faster than an XML parser and takes the memory of one row.
"""

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import IO, NamedTuple

from ragstone.extract.sheet.package import BROKEN, Package, related

BLOCK = 1 << 20  # bytes read at once
WIDEST_ROW = 1 << 26  # bytes of a row; of a longer one only this much is looked at
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#ERROR!")
FIRST_ERROR = 32  # codes below are of styles
COLUMNS, CODES = 16_384, 64  # radixes of a mark
PLACE = re.compile(rb"[^>]*?\br=[\"']([A-Z]{1,3})\d")
# Letters first and their boundary behind: what begins with letters is searched for several times as fast.
PLACES = re.compile(rb"r=(?<=\br=)[\"']([A-Za-z]{1,9})(\d{1,12})")
PLACE_OF_CELL = re.compile(rb"r=(?<=\br=)[\"']([A-Za-z]{1,9}\d{1,12})")
NUMBER = re.compile(rb"\br=[\"'](\d{1,7})[\"']")
PLACED = rb"c r=[\"']([A-Z]{1,3})\d[^>]*?"  # as all writers begin a cell
CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")


@dataclass(slots=True)
class Survey:
    """Rows and columns count from 1. `marks` are (row, column, code) as one number each, in the order of the file."""

    hidden_rows: set[int] = field(default_factory=set)
    hidden_cols: set[int] = field(default_factory=set)
    marks: "array[int]" = field(default_factory=lambda: array("Q"))
    uncomputed: int = 0
    first_row: int = 0
    last_row: int = 0
    last_col: int = 0

    @property
    def area(self) -> int:
        """Cells of the rectangle from the first filled row and column A to the last: what a reader holds in memory."""
        return (self.last_row - self.first_row + 1) * self.last_col if self.last_row else 0


class _Patterns(NamedTuple):
    row: bytes
    cell: bytes
    formula: bytes
    formulas: tuple[bytes, bytes]
    ends: tuple[bytes, bytes]
    value: bytes
    computed: bytes
    empty: bytes
    styled: re.Pattern[bytes] | None
    placed: re.Pattern[bytes] | None


def marked(survey: Survey) -> Iterator[tuple[int, dict[int, int]]]:
    """The codes of each row by column; rows rise as long as they do in the file."""
    row, codes = 0, dict[int, int]()
    for mark in survey.marks:
        place, code = divmod(mark, CODES)
        number, col = divmod(place, COLUMNS)
        if number != row and codes:
            yield row, codes
            codes = {}
        row = number
        codes[col + 1] = code
    if codes:
        yield row, codes


def column(letters: str) -> int:
    """
    >>> column("A"), column("XFD")
    (1, 16384)
    """
    n = 0
    for letter in letters:
        n = n * 26 + ord(letter) - 64
    return n


def surveyed(package: Package, sheet: str) -> Survey:
    """The survey of a worksheet; an empty one where it cannot be read (its reader then says what is wrong)."""
    survey = Survey()
    name = package.sheets.get(sheet)
    if name is None:
        return survey
    try:
        with package.stream.open(name) as stream:
            head, filters = _rows(stream, survey, package.codes)
        filters += _filters_of_tables(package, name) if survey.hidden_rows else []
    except BROKEN:
        return survey
    # A filter is somebody's view of the rows, not a wish to hide them: they stay.
    if b'filterMode="1"' in head or b'filterMode="true"' in head:
        survey.hidden_rows.clear()
    for first, last in filters:
        survey.hidden_rows -= set(range(first, min(last, first + (1 << 20)) + 1)) if survey.hidden_rows else set()
    return survey


def _rows(stream: IO[bytes], survey: Survey, codes: Mapping[int, int]) -> tuple[bytes, list[tuple[int, int]]]:
    """Fills the survey; gives what stands before the rows and the ranges of filters behind them."""
    buffer = stream.read(BLOCK)
    while b"sheetData" not in buffer and len(buffer) < WIDEST_ROW and (more := stream.read(BLOCK)):
        buffer += more
    head, _, buffer = buffer.partition(b"sheetData")
    prefix = head.rpartition(b"<")[2]
    patterns = _patterns(prefix, frozenset(codes))
    _hidden_columns(head, survey)
    number = 0
    while True:
        *rows, buffer = buffer.split(patterns.row)
        for row in rows:
            number = _row(row, number, survey, codes, patterns)
        more = stream.read(BLOCK)
        if not more:
            break
        buffer = (patterns.row + buffer if rows or number else buffer) + more if len(buffer) < WIDEST_ROW else more
    _row(buffer, number, survey, codes, patterns)
    found = re.finditer(rb"autoFilter[^>]*?\bref=[\"']\$?[A-Z]+\$?(\d{1,7}):\$?[A-Z]+\$?(\d{1,7})[^>]*[^/]>", buffer)
    return head, [(int(match[1]), int(match[2])) for match in found]


def _row(row: bytes, before: int, survey: Survey, codes: Mapping[int, int], patterns: _Patterns) -> int:
    """Looks at one row, given from behind `<row`; its number."""
    if row[:1] not in b" \t\r\n":
        return before
    tag, _, cells = row.partition(b">")
    match = NUMBER.search(tag)
    number = int(match[1]) if match else before + 1
    if not cells and b"hidden" not in tag:  # a million of these are found in files
        return number
    if b"hidden=" in tag and re.search(rb"\bhidden=[\"'](?:1|true)", tag) and b"outlineLevel=" not in tag:
        survey.hidden_rows.add(number)
    end = max(cells.rfind(patterns.ends[0]), cells.rfind(patterns.ends[1]))
    if end >= 0:
        _reach(cells, end, number, survey, patterns)
    if patterns.formula in cells:
        formulas = cells.count(patterns.formulas[0]) + cells.count(patterns.formulas[1])
        if formulas > cells.count(patterns.computed) - cells.count(patterns.empty):
            survey.uncomputed += sum(_uncomputed(cell, patterns) for cell in cells.split(patterns.cell)[1:])
    if b't="e"' in cells or (patterns.styled is not None and patterns.styled.search(cells)):
        _mark(cells, number, survey, codes, patterns)
    return number


def _reach(cells: bytes, end: int, number: int, survey: Survey, patterns: _Patterns) -> None:
    """Widens the rectangle by a row's cells up to its last value. Cells may lie elsewhere than their row says."""
    if (widest := _widest(cells, end, number)) is not None:
        survey.first_row, survey.last_row = min(survey.first_row or number, number), max(survey.last_row, number)
        survey.last_col = max(survey.last_col, widest[0], cells.count(patterns.cell) - widest[1])
        return
    places = PLACES.findall(cells, 0, end)
    rows = {int(row) for row in {row for _, row in places}} or {number}
    survey.first_row = min(survey.first_row or number, number, *rows)
    survey.last_row = max(survey.last_row, number, *rows)
    last = max((letters for letters, _ in places), key=lambda letters: (len(letters), letters), default=b"")
    survey.last_col = max(survey.last_col, column(last.decode().upper()), cells.count(patterns.cell) - len(places))


def _widest(cells: bytes, end: int, number: int) -> tuple[int, int] | None:
    """The last column of the cells up to `end`, and how many they are, where all of them lie in this row; else None."""
    places = PLACE_OF_CELL.findall(cells, 0, end)
    return _columns_of((b" ".join(places) + b" ").replace(b"%d " % number, b" "))


@lru_cache(maxsize=64)
def _columns_of(letters: bytes) -> tuple[int, int] | None:
    """The last of columns such as `A B AA `, and how many they are; None where there is something else among them.

    >>> _columns_of(b"A AA B "), _columns_of(b"A B2 ")
    ((27, 3), None)
    """
    names = letters.split()
    if not names or not all(name.isalpha() for name in names):
        return None
    return max(column(name.decode().upper()) for name in names), len(names)


def _place(cells: bytes, at: int) -> int:
    """The column of the cell whose attributes begin here, 0 where it names none."""
    match = PLACE.match(cells, at)
    return min(column(match[1].decode()), COLUMNS) if match else 0


@lru_cache(maxsize=256)
def _number(letters: bytes) -> int:
    return min(column(letters.decode()), COLUMNS)


def _uncomputed(cell: bytes, patterns: _Patterns) -> bool:
    """Whether a formula has no value; an empty text is one."""
    if patterns.formula not in cell:
        return False
    value = cell.find(patterns.value)
    return value < 0 or (cell[value + len(patterns.value) :].lstrip()[:2] in (b"/>", b"><") and b't="str"' not in cell)


def _mark(cells: bytes, row: int, survey: Survey, codes: Mapping[int, int], patterns: _Patterns) -> None:
    if patterns.placed is not None and patterns.styled is not None and b't="e"' not in cells:
        found = patterns.placed.findall(cells)
        if len(found) == len(patterns.styled.findall(cells)):  # else some are written in another way
            base = row * COLUMNS - 1
            survey.marks.extend((base + _number(letters)) * CODES + codes[int(style)] for letters, style in found)
            return
    for index, cell in enumerate(cells.split(patterns.cell)[1:], start=1):
        tag, _, inside = cell.partition(b">")
        code: int | None = None
        if b't="e"' in tag:
            match = re.match(rb"(?:<[^>]*>[^<]*){0,4}?<[^>]*v>([^<]{1,20})<", inside)
            said = match[1].decode("latin-1") if match else ""
            code = FIRST_ERROR + (ERRORS.index(said) if said in ERRORS else len(ERRORS) - 1)
        elif patterns.styled is not None and (style := patterns.styled.search(tag)):
            code = codes[int(style[1])]
        if code is not None:
            col = min(_place(tag, 0) or index, COLUMNS)
            survey.marks.append((row * COLUMNS + col - 1) * CODES + code)


def _hidden_columns(head: bytes, survey: Survey) -> None:
    for match in re.finditer(rb"<(?:\w{1,20}:)?col\s([^>]{1,300})>", head):
        said = dict(re.findall(rb"(\w+)=[\"'](\w+)[\"']", match[1]))
        low, high = said.get(b"min", b""), said.get(b"max", b"")
        hidden = said.get(b"hidden") in (b"1", b"true") and b"outlineLevel" not in said
        if hidden and low.isdigit() and high.isdigit():
            survey.hidden_cols.update(range(int(low[:6]), min(int(high[:6]), COLUMNS) + 1))


def _filters_of_tables(package: Package, name: str) -> list[tuple[int, int]]:
    """The rows of tables of this sheet that are filtered at the moment."""
    out: list[tuple[int, int]] = []
    for target in related(package.archive, name).values():
        if "/tables/" in target:
            found = package.archive.xml(target).find("{*}autoFilter")
            rows = (
                [int(row) for _, row in CELL.findall(found.get("ref", ""))] if found is not None and len(found) else []
            )
            out += [(rows[0], rows[-1])] if rows else []
    return out


@cache
def _patterns(prefix: bytes, codes: frozenset[int]) -> _Patterns:
    style = rb"s=(?<=\bs=)[\"'](" + b"|".join(b"%d" % index for index in sorted(codes)) + rb")[\"']"
    return _Patterns(
        row=b"<" + prefix + b"row",
        cell=b"<" + prefix + b"c ",
        formula=b"<" + prefix + b"f",
        formulas=(b"<" + prefix + b"f>", b"<" + prefix + b"f "),
        ends=(b"</" + prefix + b"v>", b"</" + prefix + b"is>"),
        value=b"<" + prefix + b"v",
        computed=b"</" + prefix + b"f><" + prefix + b"v>",
        empty=b"<" + prefix + b"v></" + prefix + b"v>",
        styled=re.compile(style) if codes else None,
        placed=re.compile(b"<" + re.escape(prefix) + PLACED + style) if codes else None,
    )


def text_of(code: int) -> str | None:
    """The error that a code stands for, None where it is of a style.

    >>> text_of(32), text_of(0)
    ('#DIV/0!', None)
    """
    return ERRORS[code - FIRST_ERROR] if FIRST_ERROR <= code < FIRST_ERROR + len(ERRORS) else None
