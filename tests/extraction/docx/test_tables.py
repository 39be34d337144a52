"""Word documents: tables."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.types import Block
from ragstone.extraction.docx import parse_docx
from tests.extraction.docx.files import (
    assembled,
    cell,
    document,
    item,
    level,
    numbering,
    p,
    read,
    row,
    shown,
    style,
    table,
)

WIDE = '<w:gridSpan w:val="2"/>'
BEGINS, GOES_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"


def only(body: str, **parts: str) -> Block:
    extraction = parse_docx(assembled(body, parts), path="a.docx")
    [block] = [block for block in extraction.blocks if block.type == "table"]
    return block


def grid(block: Block) -> list[tuple[int, int, int, int, str]]:
    return [(c.row, c.col, c.rowspan, c.colspan, c.text) for c in block.cells]


def test_cells_keep_their_spans_and_stand_in_the_record() -> None:
    body = table(
        row(cell("H", properties=WIDE), "I"),
        row(cell("a", properties=BEGINS), "b|c", "d"),
        row(cell(properties=GOES_ON), "e", "f"),
    )
    extraction = read(p("Before") + body)
    block = extraction.blocks[1]
    assert grid(block) == [
        (0, 0, 1, 2, "H"), (0, 2, 1, 1, "I"),
        (1, 0, 2, 1, "a"), (1, 1, 1, 1, "b|c"), (1, 2, 1, 1, "d"),
        (2, 1, 1, 1, "e"), (2, 2, 1, 1, "f"),
    ]  # fmt: skip
    assert extraction.record == "Before\n\n| H | | I |\n|---|---|---|\n| a | b\\|c | d |\n| | e | f |"
    assert [extraction.record[c.char_start : c.char_end] for c in block.cells][3] == "b\\|c"
    assert [span.rows for span in block.spans] == [(1, 1), (2, 2), (3, 3)]


def test_rows_that_begin_late_and_old_merges() -> None:
    body = table(
        row("a", "b", cell("c", properties=BEGINS)),
        row(cell("d"), cell(properties=GOES_ON), properties='<w:gridBefore w:val="1"/>'),
        row(cell("e", properties='<w:hMerge w:val="restart"/>'), cell(properties="<w:hMerge/>"), "f"),
    )
    assert grid(only(body))[2:] == [(0, 2, 2, 1, "c"), (1, 1, 1, 1, "d"), (2, 0, 1, 2, "e"), (2, 2, 1, 1, "f")]


def test_header_rows_are_those_marked_else_the_first_where_the_look_says_so() -> None:
    rows = row("a", "b"), row("c", "d"), row("e", "f")
    repeated = row("a", "b", properties="<w:tblHeader/>"), row("c", "d", properties="<w:tblHeader/>"), row("e", "f")
    assert sum(c.header for c in only(table(*repeated)).cells) == 4
    assert sum(c.header for c in only(table(*rows)).cells) == 0
    assert sum(c.header for c in only(table(*rows, look='w:firstRow="1"')).cells) == 2
    assert sum(c.header for c in only(table(*rows, look='w:val="04A0"')).cells) == 2
    assert sum(c.header for c in only(table(*rows, look='w:val="0480"')).cells) == 0


def test_a_header_of_two_levels_is_a_header_as_a_whole() -> None:
    body = table(
        row(cell("Year", properties=BEGINS), cell("Sales", properties=WIDE)),
        row(cell(properties=GOES_ON), "North", "South"),
        row("2024", "1", "2"),
        look='w:firstRow="1"',
    )
    assert [c.text for c in only(body).cells if c.header] == ["Year", "Sales", "North", "South"]


def test_deleted_rows_are_out_and_inserted_ones_in() -> None:
    body = table(row("a", "b"), row("c", "d", properties="<w:del/>"), row("e", "f", properties="<w:ins/>"))
    assert [c.text for c in only(body).cells] == ["a", "b", "e", "f"]


def test_rows_and_cells_in_content_controls_are_read() -> None:
    inside = f"<w:sdt><w:sdtContent>{cell('b')}</w:sdtContent></w:sdt>"
    body = table(f"<w:tr>{cell('a')}{inside}</w:tr>", f"<w:sdt><w:sdtContent>{row('c', 'd')}</w:sdtContent></w:sdt>")
    assert grid(only(body)) == [(0, 0, 1, 1, "a"), (0, 1, 1, 1, "b"), (1, 0, 1, 1, "c"), (1, 1, 1, 1, "d")]


def test_a_table_in_a_cell_keeps_its_text_on_one_line() -> None:
    inner = table(row("1", "2"), row("3", "4"))
    body = table(row("a", cell("See:", inner, p())), row("b", "c"))
    assert [c.text for c in only(body).cells] == ["a", "See: 1, 2; 3, 4", "b", "c"]


def test_a_frame_around_text_is_no_table() -> None:
    inner = table(row("1", "2"), row("3", "4"))
    assert [kind for kind, _, _ in shown(table(row(cell("Note", "More", inner))))] == [
        "paragraph",
        "paragraph",
        "table",
    ]


def test_paragraphs_and_items_in_a_cell_stay_apart() -> None:
    body = table(row(cell("One", item("two"), item("three")), "x"), row("y", "z"))
    assert only(body, numbering=numbering(level(0, "decimal", "%1)"))).cells[0].text == "One 1) two 2) three"


def test_a_caption_behind_its_table_comes_before_it() -> None:
    styles, grid_ = style("C", called="caption"), table(row("a", "b"), row("c", "d"))
    said = p("Table 1", style="C")
    assert [kind for kind, _, _ in shown(p("x") + grid_ + said + p("y"), styles=styles)] == [
        "paragraph", "paragraph", "table", "paragraph",
    ]  # fmt: skip
    both = said + grid_ + p("Table 2", style="C") + grid_
    assert [text[:7] for _, _, text in shown(both, styles=styles)] == ["Table 1", "| a | b", "Table 2", "| a | b"]


def test_tables_nested_as_deep_as_the_parser_goes_lose_nothing() -> None:
    body = p("core")
    for _ in range(60):
        body = table(row(f"<w:tc>{body}</w:tc>", "x"), row("y", "z"))
    text = read(body).record
    assert "core" in text
    assert text.count("x") == text.count("y") == text.count("z") == 60


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(-1, 5), st.sampled_from(("", BEGINS, GOES_ON)), st.sampled_from(("", "a", "b c"))),
            max_size=5,
        ),
        max_size=5,
    )
)
def test_no_two_cells_cover_the_same_place_and_no_word_is_lost(rows: list[list[tuple[int, str, str]]]) -> None:
    drawn = [
        row(*(cell(text, properties=f'<w:gridSpan w:val="{span}"/>{merge}') for span, merge, text in one))
        for one in rows
    ]
    extraction = parse_docx(document(p("x") + table(*drawn)), path="a.docx")
    words = sum(len(text.split()) for one in rows for _, _, text in one)
    assert sum(len(block.text.replace("|", " ").split()) for block in extraction.blocks) == words + 1
    for block in extraction.blocks:
        places = [(c.row + i, c.col + j) for c in block.cells for i in range(c.rowspan) for j in range(c.colspan)]
        assert len(places) == len(set(places))
