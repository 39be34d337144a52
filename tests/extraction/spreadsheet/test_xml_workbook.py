"""Workbooks of Excel 2003 in XML."""

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import detect, extract
from ragstone.extraction.media_types import XML_WORKBOOK
from tests.extraction.test_formats import refusal

HEAD = (
    '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
    ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
)
PROPERTIES = (
    '<DocumentProperties xmlns="urn:schemas-microsoft-com:office:office"><Author>Ann</Author>'
    "<Created>2024-03-04T10:11:12Z</Created></DocumentProperties>"
    '<Styles><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style></Styles>'
)


def cell(text: str, kind: str = "String", about: str = "", more: str = "") -> str:
    return f'<Cell {about}><Data ss:Type="{kind}">{text}</Data>{more}</Cell>'


def row(*cells: str, about: str = "") -> str:
    return f"<Row {about}>{''.join(cells)}</Row>"


def sheet(name: str, *rows: str, more: str = "") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{"".join(rows)}</Table>{more}</Worksheet>'


def workbook(*sheets: str) -> bytes:
    return f"{HEAD}{PROPERTIES}{''.join(sheets)}</Workbook>".encode()


def test_cells_stand_where_their_places_say() -> None:
    stock = sheet(
        "Stock",
        '<Column/><Column/><Column/><Column ss:Hidden="1"/>',
        row(cell("Part"), cell("Share"), cell("Since"), cell("Secret")),
        row(
            cell("Bolt &amp; nut"),
            cell("0.125", "Number", 'ss:StyleID="p"'),
            cell("2024-02-01T00:00:00.000", "DateTime"),
            cell("x", more="<Comment><ss:Data>in a hidden column</ss:Data></Comment>"),
        ),
        row(
            cell("Gone", more="<Comment><ss:Data>in a hidden row</ss:Data></Comment>"),
            cell("1", "Number"),
            about='ss:Hidden="1"',
        ),
        row(
            cell("Pin", more="<Comment><ss:Data><B>Ann:</B> order more</ss:Data></Comment>"),
            cell("2024-02-09T08:30:00.000", "DateTime", 'ss:Index="3"'),
            about='ss:Index="9"',
        ),
    )
    hidden = '<WorksheetOptions xmlns="urn:x"><Visible>SheetHidden</Visible></WorksheetOptions>'
    data = workbook(stock, sheet("Old", row(cell("no")), more=hidden))
    assert detect(data, "stock.xls") == detect(data, "stock.xml") == detect(data, "stock") == XML_WORKBOOK
    found = extract(data, path="stock.xls")
    assert found.record == (
        "## Stock\n\n| Part | Share | Since |\n|---|---|---|\n| Bolt & nut | 12.5% | 2024-02-01 |\n\n"
        "| Pin | 2024-02-09 08:30:00 |\n|---|---|\n\nAnn: order more"
    )
    assert [(span.sheet, span.rows) for span in found.blocks[2].spans] == [("Stock", (9, 9))]
    assert found.meta == {"author": "Ann", "date": "2024-03-04T10:11:12+00:00"}
    assert [warning.partition(":")[0] for warning in found.warnings] == [
        "1 hidden sheet ('Old') left out; unhide what should be found",
        "sheet 'Stock'",
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (workbook(sheet("A")), "empty"),
        (workbook(sheet("A", row(cell("x"), about='ss:Index="9999999"'))), "empty"),
        (workbook("<Worksheet>"), "broken"),
        ((HEAD + "<a>" * 300 + "</a>" * 300 + "</Workbook>").encode(), "broken"),
    ],
)
def test_what_is_no_workbook_is_refused(data: bytes, reason: str) -> None:
    assert isinstance(error := refusal(data, "a.xls"), Refused)
    assert error.reason == reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_workbook_in_utf_16_is_one_too(encoding: str) -> None:
    text = workbook(sheet("S", row(cell("Größe")), row(cell("2", "Number")))).decode()
    found = extract(
        f"\ufeff{text}".encode(encoding) if encoding == "utf-16-be" else text.encode(encoding), path="a.xls"
    )
    assert (found.media_type, found.record) == (XML_WORKBOOK, "## S\n\n| Größe |\n|---|\n| 2 |")
