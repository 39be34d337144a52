"""Every format that knows captions says in one way what a table's caption is and what a caption is of."""

from collections.abc import Iterable

from ragstone import extraction
from ragstone.core.types import Block, Extraction
from ragstone.extraction.docx import parse_docx
from tests.extraction.docx.files import document, p, row, style, table

Told = list[tuple[str, str, str | None, str]]


def told(blocks: Iterable[Block]) -> Told:
    return [(block.type, block.text, block.caption_of, block.caption) for block in blocks if block.type != "table"] + [
        ("table", "", block.caption_of, block.caption) for block in blocks if block.type == "table"
    ]


def html(body: str) -> Extraction:
    return extraction.extract(f"<!doctype html><body><h1>T</h1>{body}".encode(), path="a.html")


GRID = "<table>{}<tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>"


def test_the_caption_of_a_web_pages_table() -> None:
    made = html(GRID.format("<caption>Sales  of\nthe shop</caption>"))
    assert told(made.blocks)[1:] == [
        ("paragraph", "Sales of the shop", "table", ""),
        ("table", "", None, "Sales of the shop"),
    ]


def test_the_caption_of_a_figure_and_of_a_figure_that_is_a_table() -> None:
    picture = html("<figure><img src=x.png alt='A duck'><figcaption>A <b>duck</b></figcaption></figure><p>Text")
    assert [(b.text, b.caption_of) for b in picture.blocks if b.caption_of] == [("A duck", "figure")]
    for figure in (f"<figcaption>Sales</figcaption>{GRID}", f"{GRID}<figcaption>Sales</figcaption>"):
        made = html(f"<figure>{figure.format('')}</figure><p>Text")
        assert [(b.text, b.caption_of) for b in made.blocks if b.caption_of] == [("Sales", "table")]
        assert [b.caption for b in made.blocks if b.type == "table"] == ["Sales"]


def test_a_table_without_a_caption_has_none() -> None:
    assert not any(block.caption or block.caption_of for block in html(f"<p>Text{GRID.format('')}<p>More").blocks)


def test_captions_of_a_word_document() -> None:
    styles, grid = style("C", called="caption"), table(row("a", "b"), row("c", "d"))
    body = p("x") + p("Table 1", style="C") + grid + p("y") + p("Figure 2", style="C") + p("z")
    made = parse_docx(document(body, styles=styles), path="a.docx")
    assert told(made.blocks) == [
        ("paragraph", "x", None, ""),
        ("paragraph", "Table 1", "table", ""),
        ("paragraph", "y", None, ""),
        ("paragraph", "Figure 2", "figure", ""),
        ("paragraph", "z", None, ""),
        ("table", "", None, "Table 1"),
    ]
