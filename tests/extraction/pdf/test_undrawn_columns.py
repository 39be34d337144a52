"""Ruled tables in which only some column lines are drawn: what stands between two of them, and their headings."""

from ragstone.core.types import Block
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import line, pdf, shown


def tables(page: str) -> list[Block]:
    return [b for b in parse_pdf(pdf([page]), path="a.pdf", ocr=False).blocks if b.type == "table"]


def rows(table: Block) -> list[list[str]]:
    last = max(cell.row for cell in table.cells)
    return [[cell.text for cell in table.cells if cell.row == n] for n in range(last + 1)]


def amount(right: float, y: float, text: str) -> str:
    """A number that ends at `right`; digits of this font are 5.56 wide, dots and commas 2.78."""
    width = sum(2.78 if sign in ".," else 3.33 if sign in "()" else 6.67 if sign == "X" else 5.56 for sign in text)
    return shown(right - width, y, text)


def grouped_table() -> str:
    """A stub and two groups with a line before each, three columns of figures in each group."""
    parts = [line(50, y, 500, y) for y in (100, 120, 150, 302)]
    parts += [line(x, 100, x, 302) for x in (200, 350)]
    parts += [shown(60, 125, "Offence"), shown(262, 112, "Men"), shown(408, 112, "Women")]
    for left in (200, 350):
        parts += [shown(left + 20, 145, "All"), shown(left + 57, 133, "Under 18"), shown(left + 70, 145, "years")]
        parts += [shown(left + 104, 133, "18 years"), shown(left + 104, 145, "and over")]
    for n in range(9):
        y = 165 + 15 * n
        parts += [shown(55, y, f"Offence {n}"), shown(110, y, ". . . . . . . . . . . . . . .")]
        for left in (200, 350):
            figures = (f"{n + 3}1,062.{n}", f"5{n}0.4", "(X)" if n == 8 else f"9{n}2.6")
            parts += [amount(left + right, y, text) for right, text in zip((48, 92, 142), figures, strict=True)]
    return "\n".join(parts)


def test_columns_between_two_lines_have_their_headings() -> None:
    [table] = tables(grouped_table())
    found = rows(table)
    assert found[1][-6:] == ["All", "Under 18 years", "18 years and over"] * 2
    assert [cell.colspan for cell in table.cells if cell.text in ("Men", "Women")] == [3, 3]
    assert found[3] == ["Offence 1", "41,062.1", "510.4", "912.6", "41,062.1", "510.4", "912.6"]


def test_a_sign_in_place_of_a_figure_keeps_no_columns_together() -> None:
    [table] = tables(grouped_table())
    assert rows(table)[-1] == ["Offence 8", "111,062.8", "580.4", "(X)", "111,062.8", "580.4", "(X)"]


def test_leaders_are_no_text_of_a_ruled_table() -> None:
    [table] = tables(grouped_table())
    assert ". ." not in table.text


def test_words_below_each_other_in_all_rows_are_columns() -> None:
    parts = [line(50, y, 400, y) for y in (100, 118, 200)] + [line(x, 100, x, 200) for x in (50, 120, 330, 400)]
    said = [("name", "sex", "dwelling", "age")] + [
        (f"N. {n}", "F M"[n % 2 * 2], "old house", f"4{n}") for n in range(5)
    ]
    for n, row in enumerate(said):
        parts += [shown(x, 113 + 16 * n, text) for x, text in zip((55, 125, 220, 340), row, strict=True)]
    [table] = tables("\n".join(parts))
    assert rows(table) == [list(row) for row in said]


def test_headings_in_one_dark_cell_stand_above_the_columns_below() -> None:
    edges = [50, 130, 200, 270, 340, 410]
    ground = "0 g 50 650 360 50 re f 0 g"
    parts = [ground, *(line(50, y, 410, y) for y in range(150, 241, 15)), *(line(x, 150, x, 240) for x in edges)]
    parts += [line(50, 100, 410, 100), line(50, 100, 50, 240), line(410, 100, 410, 240)]
    parts += [shown(185, 116, "Spring", extra="1 g"), shown(322, 116, "Autumn", extra="1 g"), "0 g"]
    parts += [shown(55, 138, "County", extra="1 g")]
    parts += [shown(x + 12, y, text, extra="1 g") for x in edges[1:5] for y, text in ((132, "Active"), (143, "voters"))]
    parts.append("0 g")
    for n in range(6):
        parts += [shown(x + 4, 161 + 15 * n, f"{n}{x}") for x in edges[:3]]
    [table] = tables("\n".join(parts))
    assert [(c.text, c.colspan) for c in table.cells if c.row == 0 and c.text] == [("Spring", 2), ("Autumn", 2)]
    assert rows(table)[1] == ["County", *["Active voters"] * 4]
    assert rows(table)[2][:3] == ["050", "0130", "0200"]


def test_text_of_a_negative_size_turned_by_half_is_upright() -> None:
    page = "\n".join(f"BT /F1 -10 Tf -1 0 0 -1 50 {700 - 14 * n} Tm (Line {n} of the report) Tj ET" for n in range(3))
    text = parse_pdf(pdf([page]), path="a.pdf", ocr=False).record
    assert "Line 0 of the report" in text
    assert text.index("Line 0") < text.index("Line 2")


def test_cells_of_text_that_begin_together_are_a_table_below_a_single_rule() -> None:
    full = ["The minor loans fell beside the raw", "wool under the native woods and the", "towns of the north."]
    half = ["The rural charges fell after the old", "ferries came back."]
    said = [(f"Item {n}", *cells) for n, cells in enumerate([(full, half, half), (half, full, half)] * 3)]
    xs = (50, 130, 290, 450)
    heads = zip(xs, ("Matter", "Last year", "This year", "Next year"), strict=True)
    parts = [*(shown(x, 100, head, size=8) for x, head in heads), line(50, 104, 590, 104)]
    for number, (label, *cells) in enumerate(said):
        y = 118 + 34 * number
        parts.append(shown(50, y, label, size=8))
        parts += [
            shown(x, y + 10 * n, text, size=8)
            for x, lines in zip(xs[1:], cells, strict=True)
            for n, text in enumerate(lines)
        ]
    [table] = tables("\n".join(parts))
    assert rows(table)[1:] == [[label, *map(" ".join, cells)] for label, *cells in said]


def test_a_sentence_that_reaches_further_than_a_table_ends_it() -> None:
    names = ("alpha", "beta", "gamma", "delta", "omega")
    parts = []
    for top in (100, 190):
        for n, name in enumerate(names):
            parts += [
                shown(70, top + 12 * n, name),
                amount(180, top + 12 * n, f"{n}.25"),
                amount(240, top + 12 * n, "17"),
            ]
    parts.append(shown(50, 170, "The second run of the same program gives these figures for the names above:"))
    page = "\n".join(parts)
    found = parse_pdf(pdf([page]), path="a.pdf", ocr=False)
    assert [block.type for block in found.blocks] == ["table", "paragraph", "table"]
    assert [rows(block) for block in (found.blocks[0], found.blocks[2])] == [
        [[name, f"{n}.25", "17"] for n, name in enumerate(names)]
    ] * 2


def test_figures_with_exponents_stand_in_columns() -> None:
    parts = []
    for n in range(6):
        said = (f"-{4 - n / 2:.8f}", f"{n + 1}.75891712e-0{n}", f"0.62500{n}")
        y, x = 100 + 12 * n, 60.0
        parts.append(shown(x, y, f"iter {n}"))
        x += 45
        for text in said:
            width = 3.3 * (text.count("-")) + 2.78 * text.count(".") + 5.56 * sum(c.isalnum() for c in text)
            parts.append(shown(x, y, text))
            x += width + 2.5
    [table] = tables("\n".join(parts))
    assert rows(table)[2] == ["iter 2", "-3.00000000", "3.75891712e-02", "0.625002"]
