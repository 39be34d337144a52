"""Web pages: structure, tables, and what is not the page's own text."""

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.html.parse import Html

PROSE = "A long sentence, which says something about the matter at hand, and goes on for a while. " * 3


def read(page: str) -> Extraction:
    return Html().extract(page.encode(), path="a.html")


def kinds(page: str) -> list[tuple[str, int, str]]:
    return [(b.type, b.level, b.text) for b in read(page).blocks]


def roles(page: str) -> dict[str, str]:
    return {b.text: b.role for b in read(page).blocks}


def test_the_record_reads_like_markdown() -> None:
    page = (
        "<h2>Head <i>x</i></h2><p>One <b>two</b><br>three</p><ul><li>a<ul><li>b</ul><li>c</ul><ol start=3><li>d</ol>"
        '<pre class="language-py"><code>x = 1\n  y</code></pre>'
    )
    assert read(page).record == ("## Head x\n\nOne two\nthree\n\n- a\n  - b\n- c\n3. d\n\n```py\nx = 1\n  y\n```")
    assert kinds(page) == [
        ("heading", 2, "Head x"),
        ("paragraph", 0, "One two\nthree"),
        ("list", 1, "- a"),
        ("list", 2, "- b"),
        ("list", 1, "- c"),
        ("list", 1, "3. d"),
        ("code", 0, "x = 1\n  y"),
    ]


def test_tables_keep_spans_and_their_cells_stand_in_the_record() -> None:
    page = "<table><caption>Cap</caption><tr><th colspan=2>H|1<tr><td rowspan=2>a<td>b<tr><td>c</table>"
    extraction = read(page)
    caption, table = extraction.blocks
    assert caption.text == "Cap"
    assert [(c.row, c.col, c.rowspan, c.colspan, c.header, c.text) for c in table.cells] == [
        (0, 0, 1, 2, True, "H|1"),
        (1, 0, 2, 1, False, "a"),
        (1, 1, 1, 1, False, "b"),
        (2, 1, 1, 1, False, "c"),
    ]
    places = [extraction.record[c.char_start : c.char_end] for c in table.cells]
    assert places == ["H\\|1", "a", "b", "c"]
    assert [s.rows for s in table.spans] == [(1, 1), (2, 2), (3, 3)]


def test_a_table_that_lays_out_the_page_is_no_table() -> None:
    page = "<table><tr><td><h1>T</h1><p>one</p></td><td><table><tr><th>x<tr><td>y</table></td></tr></table>"
    assert [type_ for type_, _, _ in kinds(page)] == ["heading", "paragraph", "table"]


def test_furniture_has_its_role_and_the_title_stays() -> None:
    page = (
        f"<body><header><a href=/>Site</a></header><nav><a href=/a>A</a></nav><div class=top><h1>Title</h1></div>"
        f"<div id=content><p>{PROSE}</p><p>Short, but part of it.</p><div class=share-buttons>Share this</div>"
        f"<p>Then: {PROSE}</p></div>"
        f"<aside>Aside</aside><p>After all</p><footer>© us</footer></body>"
    )
    assert roles(page) == {
        "Site": "header",
        "A": "nav",
        "Title": "body",
        PROSE.strip(): "body",
        f"Then: {PROSE.strip()}": "body",
        "Short, but part of it.": "body",
        "Share this": "nav",
        "Aside": "nav",
        "After all": "footer",
        "© us": "footer",
    }


def test_rows_of_teasers_are_navigation() -> None:
    box = "<div><h3><a href=/x{0}>Other story {0}</a></h3><p>" + PROSE + "{0}</p></div>"
    page = f"<main><article><p>{PROSE}</p></article><div>{''.join(box.format(n) for n in range(4))}</div></main>"
    assert [text for text, role in roles(page).items() if role == "body"] == [PROSE.strip()]


def test_a_list_of_links_into_the_page_is_its_contents() -> None:
    page = f"<ul><li><a href=#a>A</a><li><a href=#b>B</a></ul><h2><a href=#a>A</a></h2><p>{PROSE}</p>"
    assert [(b.type, b.role) for b in read(page).blocks] == [
        ("list", "toc"),
        ("list", "toc"),
        ("heading", "body"),
        ("paragraph", "body"),
    ]


def test_a_plain_document_is_all_body() -> None:
    page = "<h1>T</h1><p>a</p><ul><li><a href=/b>b</a></ul><table><tr><th>c<tr><td>d</table><p>e</p>"
    assert set(roles(page).values()) == {"body"}


def test_scripts_styles_forms_and_hidden_parts_are_left_out() -> None:
    page = (
        "<script>one()</script><style>p{}</style><p>text</p><noscript>two</noscript><p hidden>three</p><!-- four -->"
        '<div style="display: none">five</div><p aria-hidden=true>six</p>'
        "<form>Name <input value=seven><select><option>eight</select></form>"
    )
    assert [b.text for b in read(page).blocks] == ["text", "Name"]


def test_head_gives_title_date_and_description() -> None:
    page = (
        "<html lang=en><title>Plain</title><meta property=og:title content='Nice'><meta name=description content=D>"
        "<meta property='article:published_time' content='2024-01-05T10:00:00Z'><body><p>x"
    )
    extraction = read(page)
    assert extraction.title == "Nice"
    assert extraction.meta == {"date": "2024-01-05T10:00:00+00:00", "description": "D", "language": "en"}


@pytest.mark.parametrize(
    "data",
    [
        "<meta charset=iso-8859-1><p>é</p>".encode("latin-1"),
        "<p>é</p>".encode("cp1252"),
        "<p>é</p>".encode(),
        b"\xef\xbb\xbf" + "<p>é</p>".encode(),
        "<p>é</p>".encode("utf-16"),
        "<meta charset=iso-8859-1><p>é</p>".encode(),
        "<meta charset=rot13><p>é</p>".encode(),
    ],
)
def test_the_charset_is_found(data: bytes) -> None:
    assert Html().extract(data, path="a.html").blocks[0].text == "é"


def test_a_declared_eastern_charset_is_used() -> None:
    page = "<meta charset=shift_jis><p>日本語</p>".encode("shift_jis")
    assert Html().extract(page, path="a.html").blocks[0].text == "日本語"


def test_wrong_bytes_are_warned_about() -> None:
    assert Html().extract(b"<meta charset=utf-8><p>ok \xff</p>", path="a.html").warnings


def test_two_hundred_thousand_nested_tags_lose_no_text() -> None:
    extraction = read("<p>first</p>" + "<div>" * 200_000 + "deep<table><tr><td>a<td>b</table>")
    assert [b.text for b in extraction.blocks] == ["first", "deep", "| a | b |"]
    assert "nest too deep" in extraction.warnings[0]


def test_spans_that_cover_a_thousand_columns_cost_nothing() -> None:
    rows = "<tr><td rowspan=65000 colspan=1000>x</td><td>y</td></tr>" * 2000
    extraction = read(f"<table><tr><th>h</th></tr>{rows}</table>")
    assert len(extraction.record) < 4 * len(rows)


def test_a_page_without_text_is_refused() -> None:
    with pytest.raises(Refused) as refusal:
        read("<html><script>render()</script></html>")
    assert refusal.value.reason == "empty"


def test_prose_that_is_said_again_at_once_is_no_body_text_and_list_items_and_cells_stay() -> None:
    caption = "The chairman of the harbour board speaks to the owners of ships in the town hall."
    listed = f"<ul><li><p>{caption}</p></li><li><p>{caption}</p></li></ul>"
    cells = f"<table><tr><td><p>{caption}</p></td><td><p>{caption}</p></td></tr></table>"
    shown = f"<div>{caption}</div><p>Close</p><p>{caption}</p>"
    found = read(f"<article><p>{PROSE}</p>{shown}{listed}{cells}</article>")
    said = [block for block in found.blocks if block.text == caption]
    assert [block.role for block in said] == ["body", "nav", "body", "body"]  # the last two are of the list
    assert all(block.role == "body" for block in found.blocks if block.type == "table")
    assert found.record.count(caption) == 6
