"""Tables as browsers, LaTeX and programs for reports print them: centred cells, narrow columns, wide rows."""

from collections.abc import Sequence

from ragstone.core.types import Block
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import line, pdf, shown

CROPS = [("Wheat", "543.2", "2061", "3602"), ("Barley", "353.5", "2022", "3298"), ("Rye", "982.2", "-", "4225")]


def read(*content: str) -> Sequence[Block]:
    return parse_pdf(pdf(["\n".join(content)]), path="a.pdf", ocr=False).blocks


def only_table(blocks: Sequence[Block]) -> list[list[str]]:
    [table] = [block for block in blocks if block.type == "table"]
    last = max(cell.row for cell in table.cells)
    return [[cell.text for cell in table.cells if cell.row == n and cell.text] for n in range(last + 1)]


def set_centred(y: float, cells: Sequence[Sequence[str]], pitch: float = 12) -> tuple[float, list[str]]:
    """A row whose cells stand in the middle of its height, where lines and rows are equally far apart; its end."""
    most = max(map(len, cells))
    out = [
        shown(x, y + pitch * (n + (most - len(lines)) / 2), text)
        for x, lines in zip((50, 160, 330, 400), cells, strict=False)
        for n, text in enumerate(lines)
    ]
    return y + pitch * most, out


def test_cells_in_the_middle_of_their_row_are_told_by_the_lines_around_the_figures() -> None:
    rows = [
        (["Item"], ["What it is"], ["2020"], ["2021"]),
        (["Roads"], ["The northern roads", "were mended with", "grants."], ["12"], ["14"]),
        (["Local and", "urban rail"], ["The lines were", "kept."], ["7"], ["9"]),
        (["Ports"], ["The harbours", "south were dredged", "beside the", "old ones, with", "ferries."], ["3"], ["1"]),
        (["Parks and", "gardens"], ["The gardens", "remained with the", "towns."], ["5"], ["4"]),
    ]  # fmt: skip
    y, content = 100.0, list[str]()
    for row in rows:
        y, own = set_centred(y, row)
        content += own
    assert only_table(read(*content)) == [[" ".join(cell) for cell in row] for row in rows]


def test_a_name_of_a_group_over_two_lines_stays_one_row_between_centred_cells() -> None:
    rows = [
        (["Item"], ["What it is"], ["2020"], ["2021"]),
        (["Roads"], ["The northern roads", "were mended with", "grants."], ["12"], ["14"]),
        (["Harbours and", "ferries:"], [], [], []),
        (["Ports"], ["The lines were", "kept by the", "towns."], ["7"], ["9"]),
        (["Parks"], ["The gardens", "remained with the", "towns."], ["5"], ["4"]),
    ]  # fmt: skip
    y, content = 100.0, list[str]()
    for row in rows:
        y, own = set_centred(y, row)
        content += own
    assert only_table(read(*content)) == [[" ".join(cell) for cell in row if cell] for row in rows]


def test_rules_around_each_line_of_figures_part_rows_of_many_lines() -> None:
    rows = [
        (f"Crop {n}", f"{n}12", ["The fields of the", "South remained", "Northern once", "Again they grew"])
        for n in range(6)
    ]
    content = [shown(x, 86, text) for x, text in ((50, "Crop"), (160, "Field"), (330, "Tons"))]
    content.append(line(45, 90, 380, 90))
    y = 102.0
    for label, figure, lines in rows:
        content += [shown(160, y + 12 * n, text) for n, text in enumerate(lines)]
        content += [shown(50, y + 36, label), shown(330, y + 36, figure), line(45, y + 40, 380, y + 40)]
        y += 48
    assert only_table(read(*content))[1:] == [[label, " ".join(lines), figure] for label, figure, lines in rows]


def test_lines_below_figures_alone_are_not_shared_out_to_both_sides() -> None:
    content = [
        shown(x, 100 + 12 * n, text)
        for n, row in enumerate(
            [
                ("Roads", "The northern roads", "12"),
                ("", "were mended with grants", ""),
                ("", "of the state.", ""),
                ("Rail", "The lines were kept", "7"),
                ("", "by the towns.", ""),
                ("Ports", "The harbours of the", "3"),
                ("", "south were dredged.", ""),
            ]
        )
        for x, text in zip((50, 160, 330), row, strict=True)
        if text
    ]
    assert [row[0] for row in only_table(read(*content))] == ["Roads", "Rail", "Ports"]


def test_figures_as_near_as_words_are_cells_where_rows_leave_the_same_gap() -> None:
    content = [shown(50, 100 + 14 * n, row[0]) for n, row in enumerate(CROPS)]
    content += [
        shown(x, 100 + 14 * n, text)
        for n, row in enumerate(CROPS)
        for x, text in zip((200, 230.5, 256), row[1:], strict=True)
    ]
    assert only_table(read(*content)) == [list(row) for row in CROPS]


def test_thousands_parted_by_a_space_stay_one_figure() -> None:
    said = [
        ("Wheat", "12 345", "1 061"),
        ("Barley", "53 298", "2 022"),
        ("Rye", "82 225", "9 118"),
        ("Oats", "11 400", "8 130"),
    ]
    content = [
        shown(x, 100 + 14 * n, text) for n, row in enumerate(said) for x, text in zip((50, 200, 300), row, strict=True)
    ]
    assert only_table(read(*content)) == [list(row) for row in said]


def test_years_over_narrow_columns_are_headings_of_their_own() -> None:
    content = [shown(x, 86, text) for x, text in ((50, "Crop"), (200, "1994"), (225.5, "1995"), (256, "1996"))]
    content += [shown(50, 100 + 14 * n, row[0]) for n, row in enumerate(CROPS)]
    content += [
        shown(x, 100 + 14 * n, text)
        for n, row in enumerate(CROPS)
        for x, text in zip((200, 230.5, 256), row[1:], strict=True)
    ]
    assert only_table(read(*content))[0] == ["Crop", "1994", "1995", "1996"]


def test_rows_far_apart_are_one_table_where_they_are_evenly_so() -> None:
    said = [("Crop", "Kind", "Tons"), ("Wheat", "hard", "12%"), ("Barley", "soft", "7"), ("Rye", "hard", "1,123")]
    content = [
        shown(x, 100 + 28 * n, text) for n, row in enumerate(said) for x, text in zip((50, 150, 250), row, strict=True)
    ]
    assert only_table(read(*content)) == [list(row) for row in said]


def test_a_caption_right_above_a_table_is_none_of_its_rows() -> None:
    content = [shown(50, 86, "Table 1: Harvest of the region")]
    content += [
        shown(x, 100 + 14 * n, text)
        for n, row in enumerate([("Crop", "Share", "Old", "New"), *CROPS])
        for x, text in zip((50, 200, 260, 320), row, strict=True)
    ]
    blocks = read(*content)
    assert only_table(blocks)[0] == ["Crop", "Share", "Old", "New"]
    assert [block.text for block in blocks if block.type != "table"] == ["Table 1: Harvest of the region"]
