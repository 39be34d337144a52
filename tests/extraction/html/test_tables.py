"""Web pages: tables of data stay tables, whatever is in their cells; layouts are taken apart."""

import pytest

from ragstone.core.types import Extraction
from ragstone.extraction.html.parse import Html

LONG = "A box of text that goes on. " * 30


def read(page: str) -> Extraction:
    return Html().extract(page.encode(), path="a.html")


def rows(page: str) -> list[str]:
    """The text of the one table of a page, line by line."""
    [table] = [block for block in read(page).blocks if block.type == "table"]
    return table.text.splitlines()


def kinds(page: str) -> list[str]:
    return [block.type for block in read(page).blocks]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("<pre>a  b\nc</pre>", "a b c"),
        ("<h3>Head</h3><p>text</p>", "Head text"),
        ("<ul><li>a<li>b</ul>", "- a - b"),
        ("<ol><li>a<li>b</ol>", "1. a 2. b"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a, b; c"),
        ("so <table><tr><td>a</table> it is", "so; a; it is"),
        ("a<br>b", "a b"),
        ("10<sup>6</sup> <a href='https://e.org/'>x</a>", "10⁶ [x](https://e.org/)"),
        ("<img alt='A duck'>", "![A duck]"),
        ("<section>a</section>", "a"),
    ],
)
def test_a_table_with_headers_stays_one_whatever_a_cell_holds(cell: str, shown: str) -> None:
    assert rows(f"<table><tr><th>H<th>I<tr><td>x<td>{cell}</table>")[1] == f"| x | {shown} |"


def test_small_tables_without_headers_may_hold_headings_and_tables() -> None:
    assert rows("<table><tr><td><h1>A</h1><td>B<tr><td>1<td>2</table>") == ["| A | B |", "| 1 | 2 |"]
    nested = "<table><tr><td>A<td>B<tr><td><table><tr><td>x<td>y</table><td>2</table>"
    assert rows(nested) == ["| A | B |", "| x, y | 2 |"]


@pytest.mark.parametrize(
    "page",
    [
        f"<table><tr><td>{LONG}<td>b<tr><td>c<td>d</table>",
        "<table><tr><td><p>a</p><td><p>b</p></table>",
        "<table><tr><td>a<tr><td>b</table>",
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "<table><tr><td><h3>A</h3><p>a</p><td><h3>B</h3><p>b</p><tr><td><h3>C</h3>c<td><h3>D</h3>d</table>",
        "<table><tr><td><nav>a</nav><td>b<tr><td>c<td>d</table>",
    ],
)
def test_layouts_are_taken_apart(page: str) -> None:
    assert "table" not in kinds(page)


def test_head_stands_first_and_foot_last_wherever_they_are_written() -> None:
    page = (
        "<table><tfoot><tr><td>sum<td>3</tfoot><tbody><tr><td>x<td>1<tr><td>y<td>2</tbody>"
        "<thead><tr><td>A<td>B</thead></table>"
    )
    assert rows(page) == ["| A | B |", "| x | 1 |", "| y | 2 |", "| sum | 3 |"]
    assert [cell.text for cell in read(page).blocks[0].cells if cell.header] == ["A", "B"]


def test_headers_are_told_by_scope_role_and_bold_first_rows() -> None:
    def headers(page: str) -> list[str]:
        return [cell.text for cell in read(page).blocks[0].cells if cell.header]

    assert headers("<table><tr><td scope=row>q<td>1<tr><td scope=row>r<td>2</table>") == ["q", "r"]
    assert headers("<table><tr><td role=columnheader>q<td role=columnheader>r<tr><td>1<td>2</table>") == ["q", "r"]
    assert headers("<table><tr><td><b>N</b><td><p><strong>A</strong></p><tr><td>x<td>2</table>") == ["N", "A"]
    assert headers("<table><tr><td><b>N</b><td>A<tr><td>x<td>2</table>") == []


def test_a_span_ends_with_its_group() -> None:
    page = (
        "<table><tr><th>A<th>B</tr><tbody><tr><td rowspan=0>x<td>1<tr><td>2</tbody>"
        "<tbody><tr><td rowspan=65000>y<td>3<tr><td>4</tbody><tbody><tr><td>z<td>5</tbody></table>"
    )
    assert [(c.row, c.text, c.rowspan) for c in read(page).blocks[0].cells if c.rowspan > 1] == [
        (1, "x", 2),
        (3, "y", 2),
    ]


def test_a_row_without_height_is_part_of_the_next() -> None:
    page = (
        "<table><tr><th>Year<th>Month<th>Cost<tr><th rowspan=3>2025</tr><tr><td>May<td>1<tr><td>June<td>2"
        "<tr><th>2026<td>July<td>3</table>"
    )
    assert rows(page) == ["| Year | Month | Cost |", "| 2025 | May | 1 |", "|  | June | 2 |", "| 2026 | July | 3 |"]
    assert [(c.row, c.rowspan) for c in read(page).blocks[0].cells if c.text == "2025"] == [(1, 2)]


def test_rows_that_lost_their_table_get_one() -> None:
    assert rows("<div><tr><td>a<td>b</tr><tr><td>c<td>d</tr></div>") == ["| a | b |", "| c | d |"]
    assert rows("<table><form><tr><th>a<th>b</tr><tr><td>1<td>2</tr></form></table>") == ["| a | b |", "| 1 | 2 |"]
    assert rows("<table><tr><th>a<th>b</tr><td>1<td>2</table>") == ["| a | b |", "| 1 | 2 |"]


def test_what_stands_between_rows_is_kept_before_the_table() -> None:
    blocks = read("<table><caption>Cap</caption><tr><th>a<th>b</tr>stray<p>lost</p><tr><td>1<td>2</tr></table>").blocks
    assert [block.text for block in blocks][:3] == ["Cap", "stray", "lost"]
    assert blocks[3].type == "table"


def test_every_cell_stands_in_the_record() -> None:
    extraction = read("<table><tr><th>a|b<th>c<tr><td><pre>x\ny</pre><td>2<tr><td colspan=2>z</table>")
    cells = extraction.blocks[0].cells
    assert [extraction.record[c.char_start : c.char_end] for c in cells] == ["a\\|b", "c", "x y", "2", "z"]
