"""A document as a page to look at: nothing in it acts, tables keep their spans, lists their depth."""

import re

from lxml import etree

from ragstone.core.types import Block, Cell, Extraction, Span
from ragstone.extraction import extract
from ragstone.extraction.render_html import render_page

HERE = Span(0, 1, 1, 1, page=3)


def page(*blocks: Block, **about: object) -> str:
    return render_page(Extraction("x", blocks, "application/pdf", **about), name="a.pdf")  # type: ignore[arg-type]  # named fields


def test_text_is_escaped_and_nothing_is_loaded_or_run() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    cells = (Cell(0, 0, evil),)
    html = page(
        Block("paragraph", evil, (HERE,)), Block("table", evil, (HERE,), cells=cells), title=evil, warnings=(evil,)
    )
    tags = set(re.findall(r"<(\w+)", html))
    assert not tags & {"script", "img", "iframe", "link"}
    assert html.count("&lt;script&gt;") == 4
    assert "default-src 'none'" in html


def test_tables_lists_and_roles_are_kept() -> None:
    cells = (Cell(0, 0, "A", colspan=2, header=True), Cell(1, 0, "b", rowspan=2), Cell(1, 1, "c"), Cell(2, 1, "d"))
    html = page(
        Block("heading", "Top", (HERE,), level=2),
        Block("table", "", (HERE,), cells=cells),
        Block("list", "- one", (HERE,), level=1),
        Block("list", "- inner", (HERE,), level=2),
        Block("list", "- two", (HERE,), level=1),
        Block("paragraph", "Page 3", (HERE,), role="footer"),
    )
    tree = etree.HTML(html)
    assert tree.xpath("//h2[@data-page='3']/text()") == ["Top"]
    assert [tree.xpath(f"count(//tr[{n}]/*)") for n in (1, 2, 3)] == [1, 2, 1]
    assert (tree.xpath("//th/@colspan"), tree.xpath("//td/@rowspan")) == (["2"], ["2"])
    assert tree.xpath("//ul/ul/li/text()") == ["- inner"]
    assert tree.xpath("//div[@title='footer']/p/text()") == ["Page 3"]


def test_a_document_read_for_real_is_a_page() -> None:
    made = extract(b"# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n  - y\n", path="a.md")
    tree = etree.HTML(render_page(made, name="a.md"))
    assert tree.xpath("//title/text()") == ["Title"]
    assert tree.xpath("//table//th/text()") == ["a", "b"]
