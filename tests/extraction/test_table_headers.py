"""The header of a table where its file does not mark it: HTML, Word, OpenDocument; titles and notes of sheets."""

import pytest

from ragstone.core.types import Block, Cell
from ragstone.extraction.docx import parse_docx
from ragstone.extraction.html.parse import Html
from ragstone.extraction.odt import parse_odt
from ragstone.extraction.record.figures import LONGEST, is_figure
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.spreadsheet.workbook import parse_workbook
from tests.extraction.docx.files import cell, document, row, table
from tests.extraction.made import make_archive, make_odt
from tests.extraction.spreadsheet.books import grid
from tests.speed import in_step

FIGURES = "<tr><td>Wheat<td>1,200<td>(3)<tr><td>Barley<td>980<td>n/a<tr><td>Sheep<td>12<td>4"
NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
)


def headers(cells: tuple[Cell, ...]) -> list[str]:
    return [cell.text for cell in cells if cell.header]


def read_html(body: str) -> Block:
    [block] = [b for b in Html().extract(f"<table>{body}</table>".encode(), path="a.html").blocks if b.type == "table"]
    return block


@pytest.mark.parametrize(
    ("top", "header"),
    [
        ("<tr><td>Crop<td>Tons<td>Change", ["Crop", "Tons", "Change"]),
        ("<tr><td>Crop<td>2019<td>2020", ["Crop", "2019", "2020"]),
        ("<tr><td colspan=3>Harvest<tr><td>Crop<td>Tons<td>Change", ["Harvest", "Crop", "Tons", "Change"]),
        (
            "<tr><td rowspan=2>Crop<td colspan=2>Harvest<tr><td>Tons<td>Change",
            ["Crop", "Harvest", "Tons", "Change"],
        ),
        (
            "<tr><th rowspan=2>Crop<th colspan=2>Harvest<tr><td>Tons<td>Change",
            ["Crop", "Harvest", "Tons", "Change"],
        ),
        ("<tr><td>Crop<td>A<td>B<tr><td><td colspan=2>Thousand tons", ["Crop", "A", "B", "Thousand tons"]),
        ("", []),
        ("<tr><td>Rye<td>7<td>8", []),
    ],
)
def test_labels_above_figures_are_a_header(top: str, header: list[str]) -> None:
    assert [text for text in headers(read_html(top + FIGURES).cells) if text] == header


def test_a_box_of_names_and_values_has_no_header_but_its_title() -> None:
    body = "<tr><th colspan=2>Apollo<tr><td>Born<td>Delos<tr><td>Symbols<td>Lyre, bow"
    assert headers(read_html(body).cells) == ["Apollo"]
    assert headers(read_html("<tr><td>Born<td>Delos<tr><td>Died<td>1850<tr><td>Age<td>12").cells) == []
    parts = "<tr><td>Model<td>Finch<tr><td>Weight<td>12 kg<tr><td>Height<td>30 cm<tr><td>Share<td>4 %"
    assert headers(read_html(parts).cells) == []
    assert headers(read_html("<tr><td>Town<td>People<tr><td>A<td>1,200<tr><td>B<td>980<tr><td>C<td>75").cells) == [
        "Town",
        "People",
    ]


@pytest.mark.parametrize("unit", ["m", "pp", "bn", "ab", "*"])
def test_letters_behind_a_digit_cost_linear_time(unit: str) -> None:
    in_step(lambda size: is_figure("1" + unit * (size // len(unit)) + "!"), LONGEST // 4, LONGEST // 2, most=8)


def test_a_header_never_takes_the_whole_table() -> None:
    cells = (Cell(0, 0, "A", 2, 1), Cell(0, 1, "B", 1, 2), Cell(1, 1, "C"), Cell(1, 2, "D"))
    assert {cell.row for cell in mark_header_rows(cells, named=True) if cell.header} == {0}


def test_a_word_table_without_a_look_is_headed_by_its_labels() -> None:
    body = table(row("Crop", "Tons"), row("Wheat", "1,200"), row("Rye", "7"), row("Hay", "9"))
    [block] = [b for b in parse_docx(document(body), path="a.docx").blocks if b.type == "table"]
    assert headers(block.cells) == ["Crop", "Tons"]
    wide = table(
        row("Crop", cell("Harvest", properties='<w:gridSpan w:val="2"/>')),
        row("", "Tons", "Share"),
        row("Wheat", "1", "2"),
        row("Rye", "7", "8"),
        look='w:firstRow="1"',
    )
    [block] = [b for b in parse_docx(document(wide), path="a.docx").blocks if b.type == "table"]
    assert [text for text in headers(block.cells) if text] == ["Crop", "Harvest", "Tons", "Share"]


def test_a_table_in_a_cell_of_an_open_document_stays_in_it_and_remarks_stay_out() -> None:
    inner = (
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell>"
        "<text:p>y</text:p></table:table-cell></table:table-row></table:table>"
    )
    remark = "<office:annotation><text:p>remark</text:p></office:annotation>"
    rows_ = [("Crop", "Tons"), ("Wheat", inner), (f"<text:p>Rye{remark}</text:p>", "7"), ("Oats", "8"), ("Hay", "9")]
    body = "<table:table>" + "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell>{text if '<' in text else f'<text:p>{text}</text:p>'}</table:table-cell>"
            for text in texts
        )
        + "</table:table-row>"
        for texts in rows_
    )
    [block] = parse_odt(make_odt(body + "</table:table>"), path="a.odt").blocks
    assert [(c.row, c.col, c.text) for c in block.cells][2:6] == [
        (1, 0, "Wheat"),
        (1, 1, "x, y"),
        (2, 0, "Rye"),
        (2, 1, "7"),
    ]
    [plain] = parse_odt(make_odt(body.replace(inner, "<text:p>6</text:p>") + "</table:table>"), path="a.odt").blocks
    assert headers(plain.cells) == ["Crop", "Tons"]


def test_merged_cells_of_an_open_document_sheet_are_known() -> None:
    def one(text: str, more: str = "") -> str:
        return f'<table:table-cell office:value-type="string"{more}><text:p>{text}</text:p></table:table-cell>'

    covered = "<table:covered-table-cell/>"
    rows_ = (
        one("Crop", ' table:number-rows-spanned="2"') + one("Harvest", ' table:number-columns-spanned="2"') + covered,
        covered + one("Tons") + one("Share"),
        *(one(name) + one("1") + one("2") for name in ("Wheat", "Rye")),
    )
    content = (
        f'<office:document-content {NAMES} office:version="1.2"><office:body><office:spreadsheet><table:table '
        'table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        + "".join(f"<table:table-row>{cells}</table:table-row>" for cells in rows_)
        + "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    data = make_archive({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content})
    [block] = [b for b in parse_workbook(data, path="a.ods").blocks if b.type == "table"]
    spans = {c.text: (c.rowspan, c.colspan) for c in block.cells if (c.rowspan, c.colspan) != (1, 1)}
    assert spans == {"Crop": (2, 1), "Harvest": (1, 2)}
    assert headers(block.cells) == ["Crop", "Harvest", "Tons", "Share"]


def test_a_sheet_begins_with_its_title_and_ends_with_its_notes() -> None:
    values = [
        ["Harvest of the region"],
        ["in thousand tons"],
        [],
        ["Crop", "2019", "2020"],
        ["Wheat", 1, 2],
        ["Rye", 3, 4],
        ["Total", 4, 6],
        ["1) Without seed."],
        ["Source: survey of farms"],
    ]
    blocks = parse_workbook(grid(values), path="a.xlsx").blocks
    assert [(block.type, block.text) for block in blocks if block.type != "table"][1:] == [
        ("heading", "Harvest of the region"),
        ("paragraph", "in thousand tons"),
        ("paragraph", "1) Without seed."),
        ("paragraph", "Source: survey of farms"),
    ]
    [made] = [block for block in blocks if block.type == "table"]
    assert made.text.splitlines()[-1] == "| Total | 4 | 6 |"


def test_a_column_of_words_above_a_table_stays_a_table() -> None:
    values = [["Colour"], ["red"], ["blue"], [], ["Crop", "Tons"], ["Wheat", 1], ["Rye", 3]]
    blocks = parse_workbook(grid(values), path="a.xlsx").blocks
    assert sum(block.type == "table" for block in blocks) == 2


def test_a_merged_label_that_is_said_again_below_is_a_header_still() -> None:
    values = [["Crop", "Harvest", None], [None, "Tons", "Share"], ["Wheat", "1,200", "12%"], ["Rye", "980", "9%"]]
    [block] = [
        b for b in parse_workbook(grid(values, merged=["A1:A2", "B1:C1"]), path="a.xlsx").blocks if b.type == "table"
    ]
    assert headers(block.cells) == ["Crop", "Harvest", "Tons", "Share"]
