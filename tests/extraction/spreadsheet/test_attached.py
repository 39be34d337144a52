"""What hangs on the cells of a sheet: notes, comments, pictures, charts, each with the place of its cell."""

from collections.abc import Mapping

from ragstone.core.types import Extraction
from ragstone.extraction.spreadsheet import workbook
from ragstone.testing.extractors import check_block, check_spans
from tests.extraction.spreadsheet.books import MAIN, OFFICE, PACKAGE, book, rows, sheet

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
ART = "http://schemas.openxmlformats.org/drawingml/2006/main"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
PRICES = sheet(rows([["Item", "Price"], ["Spade", 3.0], ["Fork", 4.5]]))


def relations(*targets: str) -> str:
    ones = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/any" Target="{target}"/>' for i, target in enumerate(targets)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{ones}</Relationships>'


def comments(*notes: tuple[str, str]) -> str:
    ones = "".join(f'<comment ref="{ref}" authorId="0"><text>{text}</text></comment>' for ref, text in notes)
    authors = "<authors><author>Ann</author></authors>"
    return f'<comments xmlns="{MAIN}">{authors}<commentList>{ones}</commentList></comments>'


def parse(extra: Mapping[str, str], data: str = PRICES, **options: Mapping[str, str]) -> Extraction:
    extraction = workbook.parse_workbook(book({"S": data}, extra=extra, **options), path="book.xlsx")
    check_spans(extraction)
    for block in extraction.blocks:
        check_block(block, extraction.record)
    return extraction


def said(extraction: Extraction) -> list[tuple[str, str | None, object, object]]:
    found = [block for block in extraction.blocks if block.type == "paragraph"]
    return [(block.text, block.spans[0].sheet, block.spans[0].rows, block.spans[0].cols) for block in found]


NOTES = {
    "xl/worksheets/_rels/sheet0.xml.rels": relations("../comments1.xml"),
    "xl/comments1.xml": comments(
        ("B3", "<r><t>Ann:</t></r><r><t xml:space='preserve'>\nToo   much, ask again</t></r>"),
        ("A2", "<t>Which one?</t>"),
        ("B9", "<t> </t>"),
        ("nowhere", "<t>lost</t>"),
    ),
}


def test_a_note_is_a_paragraph_with_the_place_of_its_cell() -> None:
    extraction = parse(NOTES)
    assert said(extraction) == [
        ("Note on A2: Which one?", "S", (2, 2), (1, 1)),
        ("Note on B3: Too much, ask again", "S", (3, 3), (2, 2)),
    ]
    assert [block.type for block in extraction.blocks] == ["heading", "table", "paragraph", "paragraph"]


def test_notes_on_what_is_hidden_are_left_out() -> None:
    hidden = sheet(rows([["Item", "Price"], ["Spade", 3.0], ["Fork", 4.5]], attributes={3: 'hidden="1"'}))
    assert [text for text, *_ in said(parse(NOTES, hidden))] == ["Note on A2: Which one?"]
    columns = sheet(rows([["Item", "Price"], ["Spade", 3.0]]), head='<cols><col min="1" max="1" hidden="1"/></cols>')
    assert [text for text, *_ in said(parse(NOTES, columns))] == ["Note on B3: Too much, ask again"]


def test_a_thread_takes_the_place_of_what_older_programs_are_shown() -> None:
    thread = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    extra = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations("/xl/comments1.xml", "../threadedComments/one.xml"),
        "xl/comments1.xml": comments(("B2", "<t>[Threaded comment]\n\nYour version of Excel …</t>")),
        "xl/threadedComments/one.xml": f'<ThreadedComments xmlns="{thread}">'
        '<threadedComment ref="B2"><text>Is it dear?</text></threadedComment>'
        '<threadedComment ref="B2"><text>It is.</text></threadedComment></ThreadedComments>',
    }
    assert [text for text, *_ in said(parse(extra))] == ["Note on B2: Is it dear?", "Note on B2: It is."]


def test_pictures_with_a_description_and_charts_with_a_title_stand_at_their_cells() -> None:
    def anchor(row: int, col: int, inside: str) -> str:
        place = f"<x:from><x:col>{col}</x:col><x:row>{row}</x:row></x:from>"
        return f"<x:twoCellAnchor>{place}{inside}</x:twoCellAnchor>"

    def picture(says: str) -> str:
        return f'<x:pic><x:nvPicPr><x:cNvPr id="1" name="Picture 1" {says}/></x:nvPicPr></x:pic>'

    chart = f'<x:graphicFrame><c:chart xmlns:c="{CHART}" xmlns:r="{OFFICE}" r:id="r0"/></x:graphicFrame>'
    drawn = anchor(4, 27, chart) + anchor(0, 3, picture('descr="A spade"')) + anchor(0, 3, picture('descr="Picture"'))
    runs = "".join(f"<a:r><a:t>{text}</a:t></a:r>" for text in ("Prices", " rise"))
    title = f"<c:title><c:tx><c:rich><a:p>{runs}</a:p></c:rich></c:tx></c:title>"
    space = f'<c:chartSpace xmlns:c="{CHART}" xmlns:a="{ART}">'
    extra = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations("../drawings/drawing1.xml"),
        "xl/drawings/drawing1.xml": f'<x:wsDr xmlns:x="{DRAWING}">{drawn}</x:wsDr>',
        "xl/drawings/_rels/drawing1.xml.rels": relations("../charts/chart1.xml"),
        "xl/charts/chart1.xml": f"{space}<c:chart>{title}</c:chart></c:chartSpace>",
    }
    assert said(parse(extra)) == [
        ("Picture at D1: A spade", "S", (1, 1), (4, 4)),
        ("Chart at AB5: Prices rise", "S", (5, 5), (28, 28)),
    ]


def test_boxes_with_text_stand_at_their_cells() -> None:
    def box(*lines: str, says: str = "", about: str = "") -> str:
        text = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
        named = f'<x:nvSpPr><x:cNvPr id="1" name="Box" {about}/></x:nvSpPr>'
        return f'<x:sp {says}>{named}<x:txBody xmlns:a="{ART}">{text}</x:txBody></x:sp>'

    place = "<x:from><x:col>1</x:col><x:row>2</x:row></x:from>"
    hidden, linked = box("Hidden", about='hidden="1"'), box("A cell", says='textlink="$A$1"')
    group = f"<x:grpSp>{box('How to order', '', 'Ask Ann')}{box('12')}{hidden}{linked}</x:grpSp>"
    old = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    twice = f'<m:AlternateContent xmlns:m="{old}"><m:Fallback>{box("Again")}</m:Fallback></m:AlternateContent>'
    drawn = f"<x:twoCellAnchor>{place}{group}{twice}</x:twoCellAnchor>"
    extra = {
        "xl/worksheets/_rels/sheet0.xml.rels": relations("../drawings/drawing1.xml"),
        "xl/drawings/drawing1.xml": f'<x:wsDr xmlns:x="{DRAWING}">{drawn}</x:wsDr>',
    }
    assert said(parse(extra)) == [("How to order\nAsk Ann", "S", (3, 3), (2, 2))]
    assert [block.type for block in parse(extra, sheet("")).blocks] == ["heading", "paragraph"]


def test_a_sheet_of_notes_alone_is_read_and_broken_parts_cost_nothing_else() -> None:
    assert [block.type for block in parse(NOTES, sheet("")).blocks] == ["heading", "paragraph", "paragraph"]
    for part in ("xl/comments1.xml", "xl/worksheets/_rels/sheet0.xml.rels"):
        extraction = parse({**NOTES, part: "<broken"})
        assert said(extraction) == []
        assert [block.type for block in extraction.blocks] == ["heading", "table"]
