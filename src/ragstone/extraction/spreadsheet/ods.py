"""The merged cells of OpenDocument sheets, which the reader of workbooks does not report."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from ragstone.extraction.archive import Archive, Element
from ragstone.extraction.spreadsheet.cells import Range
from ragstone.extraction.spreadsheet.package import BROKEN

CONTENT = "content.xml"
SPANNED = b"-spanned="
MOST = 100_000  # merged cells
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


def read_merged_cells(archive: Archive) -> Mapping[str, list[Range]]:
    """The merged cells of each sheet by its name, rows and columns from 0; none for other formats."""
    if CONTENT not in archive.names or SPANNED not in archive.read(CONTENT):
        return {}
    out: dict[str, list[Range]] = {}
    sheet, number, count = "", 0, 0
    for row in _iterate_rows(archive):
        name = _find_sheet(row)
        if name is None:
            continue
        if name != sheet:
            sheet, number = name, 0
        for place in _read_row(row, number):
            if count < MOST:
                out.setdefault(sheet, []).append(place)
                count += 1
        number += _read_number(row, "number-rows-repeated")
    return out


def _iterate_rows(archive: Archive) -> Iterator[Element]:
    """The rows of all sheets, up to where the file is damaged."""
    with suppress(*BROKEN):
        yield from archive.iterate_elements(CONTENT, TABLE + "table-row")


def _find_sheet(row: Element) -> str | None:
    """The name of the sheet that a row stands in; None for a row of a table within a cell."""
    tables = list(row.iterancestors(TABLE + "table"))
    return tables[0].get(TABLE + "name") or "" if len(tables) == 1 else None


def _read_row(row: Element, number: int) -> list[Range]:
    found: list[Range] = []
    col = 0
    for cell in row.iterchildren(TABLE + "table-cell", TABLE + "covered-table-cell"):
        high, wide = (_read_number(cell, f"number-{kind}-spanned") for kind in ("rows", "columns"))
        if high > 1 or wide > 1:
            found.append(((number, col), (number + high - 1, col + wide - 1)))
        col += _read_number(cell, "number-columns-repeated")
    return found


def _read_number(element: Element, name: str) -> int:
    """A number from 1 on, 1 where there is none."""
    text = element.get(TABLE + name) or ""
    return max(1, int(text)) if text.isdecimal() and len(text) < 8 else 1
