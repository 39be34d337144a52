"""The filled rows of a worksheet, from the values that a reader gives."""

from collections.abc import Iterable, Iterator, Mapping

from python_calamine import CalamineSheet

from ragstone.extraction.spreadsheet.package import PERCENT
from ragstone.extraction.spreadsheet.rows import Line
from ragstone.extraction.spreadsheet.survey_result import Survey, group_marks
from ragstone.extraction.spreadsheet.values import (
    ERROR,
    NUMBER,
    TEXT,
    format_number,
    format_percent,
    format_value,
    pad_number,
)

REACHING = 64  # merged cells that reach into one row
Range = tuple[tuple[int, int], tuple[int, int]]
Cells = Iterable[tuple[int, object]]
"""Columns of a row, from 1 and rising, with their values."""


class LimitedRows:
    """Passes rows on until the limit of cells is reached; tells where it stopped."""

    def __init__(self, lines: Iterable[Line], left: int) -> None:
        self._lines = lines
        self.left = left
        self.stopped_at = 0
        self.any_row = False

    def __iter__(self) -> Iterator[Line]:
        for line in self._lines:
            if self.left < len(line.cols):
                self.stopped_at, self.left = line.number, 0
                return
            self.left -= len(line.cols)
            self.any_row = True
            yield line


def read_sheet_rows(sheet: CalamineSheet) -> Iterator[tuple[int, Cells, bool]]:
    """The rows of a sheet by number, and whether there is a value in it; an error is none to the reader."""
    if sheet.start is None:
        return
    first_col = sheet.start[1] + 1
    for row, values in enumerate(sheet.iter_rows(), start=1):
        yield row, enumerate(values, start=first_col), values.count("") < len(values)


def build_sheet_lines(
    rows: Iterable[tuple[int, Cells, bool]], merged: Iterable[Range], survey: Survey
) -> Iterator[Line]:
    """The filled rows without what is hidden, shown as the survey says."""
    covers = MergedCells(merged)
    marks = group_marks(survey)
    mark = next(marks, None)
    for row, cells, filled in rows:
        while mark is not None and mark[0] < row:
            mark = next(marks, None)
        codes = mark[1] if mark is not None and mark[0] == row else None
        if row in survey.hidden_rows or (codes is None and not filled):
            continue
        line = _build_line(row, cells, codes, survey.hidden_cols)
        if line is not None:
            yield covers.apply(line)


def _build_line(row: int, cells: Cells, codes: Mapping[int, int | str] | None, hidden: set[int]) -> Line | None:
    cols: list[int] = []
    texts: list[str] = []
    kinds: list[str] = []
    for col, value in cells:
        if codes is not None and col in codes:
            text, kind = _format_coded(value, *format_value(value), codes[col])
        elif type(value) is str:  # most are
            text, kind = value.strip(), TEXT
        elif type(value) is float:
            text, kind = format_number(value), NUMBER
        else:
            text, kind = format_value(value)
        if text and col not in hidden:
            cols.append(col)
            texts.append(text)
            kinds.append(kind)
    return Line(row, cols, texts, "".join(kinds)) if cols else None


def _format_coded(value: object, text: str, kind: str, code: int | str) -> tuple[str, str]:
    if isinstance(code, str):
        return code, NUMBER if code[0] in "-0123456789" else ERROR
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text, kind
    return (format_percent(value) if code == PERCENT else pad_number(value, code)), kind


class MergedCells:
    """The merged cells of a sheet, asked for row by row; ranges count rows and columns from 0."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self._begin: dict[int, list[tuple[int, int, int]]] = {}
        for (top, left), (bottom, right) in ranges:
            if bottom >= top and right >= left and (bottom > top or right > left):
                self._begin.setdefault(top + 1, []).append((left + 1, bottom + 1, right + 1))
        self._reaching: list[tuple[int, int, str, str]] = []  # last row, column, text, kind

    def apply(self, line: Line) -> Line:
        """The row with what its merged cells cover, and with the texts that reach down into it."""
        begin = self._begin.get(line.number)
        if begin is None and not self._reaching:
            return line
        texts = dict(zip(line.cols, zip(line.texts, line.kinds, strict=True), strict=True))
        covers = {
            left: (last - line.number + 1, right - left + 1) for left, last, right in begin or () if left in texts
        }
        self._reaching = [one for one in self._reaching if one[0] >= line.number]
        again = {col: (text, kind) for _, col, text, kind in self._reaching if col not in texts}
        for left, last, _ in begin or ():
            if last > line.number and left in texts and len(self._reaching) < REACHING:
                self._reaching.append((last, left, *texts[left]))
        every = sorted({**texts, **again}.items())
        return Line(
            line.number,
            [col for col, _ in every],
            [text for _, (text, _) in every],
            "".join(kind for _, (_, kind) in every),
            covers or None,
            frozenset(again),
        )
