"""Workbooks of Excel 2003 in XML, which reporting programs export: read as other workbooks are."""

import datetime
from collections.abc import Iterator
from contextlib import suppress

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element, parse_xml
from ragstone.extraction.gc_pause import pause_gc
from ragstone.extraction.media_types import XML_WORKBOOK
from ragstone.extraction.record.dates import iso_date
from ragstone.extraction.spreadsheet.cells import LimitedRows, Range, build_sheet_lines
from ragstone.extraction.spreadsheet.package import PERCENT
from ragstone.extraction.spreadsheet.record import SheetWriter, is_prose
from ragstone.extraction.spreadsheet.rows import split_regions
from ragstone.extraction.spreadsheet.survey_result import COLUMNS, Survey
from ragstone.extraction.spreadsheet.worksheet import MOST_CELLS, SheetNotes, list_warnings

SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
LAST_ROW = 1_048_576


@pause_gc()
def parse_xml_workbook(data: bytes, *, path: str) -> Extraction:
    """The visible cells of a workbook and the comments on them, in the form that `parse_workbook` gives.

    Raises `Refused`: broken, too_large, empty. Hidden sheets, rows and columns are left out with a warning.
    """
    root = parse_xml(data, path=path, name="the workbook")
    record, notes = SheetWriter(), SheetNotes()
    percents = _find_percents(root)
    left = MOST_CELLS
    for sheet in root.iterchildren(SS + "Worksheet"):
        name = sheet.get(SS + "Name") or "Sheet"
        if sheet.findtext("{*}WorksheetOptions/{*}Visible") in ("SheetHidden", "SheetVeryHidden"):
            notes.hidden.append(name)
        else:
            left = _write_sheet(_Sheet(sheet, percents), name, record, notes, left)
    if not record.blocks:
        raise Refused("empty", f"{path} has no visible cell; {'; '.join(notes.lines()) or 'its sheets are empty'}")
    title, meta = _read_properties(root)
    return Extraction(record.text(), tuple(record.blocks), XML_WORKBOOK, title, meta, tuple(notes.lines()))


def _write_sheet(sheet: "_Sheet", name: str, record: SheetWriter, notes: SheetNotes, left: int) -> int:
    """Write a sheet; how many cells may still be read."""
    rows = list(sheet.read_rows(left))
    limited = LimitedRows(build_sheet_lines(rows, sheet.merged, sheet.survey), left)
    found = list(split_regions(limited, unseen=sheet.survey.hidden_cols, gone=sheet.survey.hidden_rows))
    notes.others.extend(list_warnings(name, sheet.survey, limited, any_table=bool(found)))
    comments = sheet.list_comments()
    if found or comments:
        record.begin_sheet(name)
    for i, one in enumerate(found):
        record.write_region(one, name, above_table=i + 1 < len(found) and not is_prose(found[i + 1]))
    for row, col, text in comments:
        record.write_note(text, name, row, col)
    return limited.left


class _Sheet:
    """The cells of a worksheet by their places, which only say themselves where they leave some out."""

    def __init__(self, sheet: Element, percents: frozenset[str]) -> None:
        self._table = next(sheet.iterchildren(SS + "Table"), None)
        self._percents = percents
        self.survey = Survey()
        self.merged: list[Range] = []
        self._comments: list[tuple[int, int, str]] = []
        self._find_hidden_columns()

    def read_rows(self, most: int) -> Iterator[tuple[int, list[tuple[int, object]], bool]]:
        """The rows with a value, as `build_sheet_lines` takes them, until there are too many cells."""
        number = 0
        for row in self._table.iterchildren(SS + "Row") if self._table is not None else ():
            number = _read_place(row, "Index") or number + 1
            if number > LAST_ROW or most < 0:
                return
            cells = list(self._read_cells(row, number))
            if row.get(SS + "Hidden") == "1":
                self.survey.hidden_rows.add(number)
            elif cells:
                most -= len(cells)
                self.survey.last_row = number
                yield number, cells, True
            number += _read_place(row, "Span")

    def list_comments(self) -> list[tuple[int, int, str]]:
        """Row, column and text of the comments on cells that are shown, once the rows were read."""
        hidden_rows, hidden_cols = self.survey.hidden_rows, self.survey.hidden_cols
        return [one for one in self._comments if one[0] not in hidden_rows and one[1] not in hidden_cols]

    def _read_cells(self, row: Element, number: int) -> Iterator[tuple[int, object]]:
        col = 0
        for cell in row.iterchildren(SS + "Cell"):
            col = _read_place(cell, "Index") or col + 1
            if col > COLUMNS:
                return
            across, down = _read_place(cell, "MergeAcross"), _read_place(cell, "MergeDown")
            if across or down:
                self.merged.append(((number - 1, col - 1), (number + down - 1, col + across - 1)))
            if (data := next(cell.iterchildren(SS + "Data"), None)) is not None:
                value = _read_value(data)
                if isinstance(value, float) and cell.get(SS + "StyleID") in self._percents:
                    self.survey.mark(number, col, PERCENT)
                if value != "":
                    self.survey.last_col = max(self.survey.last_col, col)
                    yield col, value
            for comment in cell.iterchildren(SS + "Comment"):
                if text := "".join(map(str, comment.itertext())).strip():
                    self._comments.append((number, col, text))
            col += across

    def _find_hidden_columns(self) -> None:
        col = 0
        for one in self._table.iterchildren(SS + "Column") if self._table is not None else ():
            col = _read_place(one, "Index") or col + 1
            last = min(COLUMNS, col + _read_place(one, "Span"))
            if one.get(SS + "Hidden") == "1":
                self.survey.hidden_cols.update(range(col, last + 1))
            col = last


def _find_percents(root: Element) -> frozenset[str]:
    """The styles that show a number as a percentage."""
    formats = root.iterfind(f"{SS}Styles/{SS}Style/{SS}NumberFormat")
    shown = ((one.getparent(), one.get(SS + "Format") or "") for one in formats)
    return frozenset(
        style.get(SS + "ID") or "" for style, text in shown if style is not None and (text == "Percent" or "%" in text)
    )


def _read_value(data: Element) -> object:
    """A value by its type; "" for none."""
    text = "".join(map(str, data.itertext()))
    kind = data.get(SS + "Type")
    if kind == "Number":
        with suppress(ValueError):
            return float(text[:40])
    if kind == "DateTime":
        with suppress(ValueError):
            return datetime.datetime.fromisoformat(text.strip()[:40])
    if kind == "Boolean":
        return text.strip() == "1"
    return text


def _read_place(element: Element, name: str) -> int:
    """A number in an attribute, 0 where there is none."""
    text = element.get(SS + name) or ""
    return int(text) if text.isdecimal() and len(text) < 8 else 0


def _read_properties(root: Element) -> tuple[str | None, dict[str, str]]:
    about = root.find("{*}DocumentProperties")
    if about is None:
        return None, {}
    said = {
        name: (about.findtext(f"{{*}}{name}") or "").strip() for name in ("Title", "Author", "LastSaved", "Created")
    }
    meta = {"author": said["Author"], "date": iso_date(said["LastSaved"]) or iso_date(said["Created"]) or ""}
    return said["Title"] or None, {name: text for name, text in meta.items() if text}
