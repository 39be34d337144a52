"""Tables whose rules were drawn cell by cell: the places where these were put together are the columns."""

from collections.abc import Sequence
from itertools import pairwise

from ragstone.core.types import Block
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.tables.ruled import merge_rules
from tests.extraction.pdf.sheets import line, pdf, shown

EDGES = (50, 122, 153, 211, 288)


def rules(y: float, edges: Sequence[float] = EDGES) -> str:
    return "\n".join(line(a, y, b, y) for a, b in pairwise(edges))


def cells(y: float, texts: Sequence[str], edges: Sequence[float] = EDGES) -> str:
    return "\n".join(shown(x + 2, y, text) for x, text in zip(edges, texts, strict=False))


def tables(page: str) -> list[Block]:
    return [b for b in parse_pdf(pdf([page]), path="a.pdf", ocr=False).blocks if b.type == "table"]


def test_headings_without_a_gap_between_them_are_parted_where_the_rule_below_was_put_together() -> None:
    rows = [("Saccharometer", "Water", "Salt solution", "Yeast solution"), ("2", "24 ml", "0 ml", "4 ml")]
    rows += [("3", "12 ml", "12 ml", "4 ml"), ("4", "4 ml", "12 ml", "12 ml")]
    page = "\n".join(cells(100 + 14 * n, row) + rules(104 + 14 * n) for n, row in enumerate(rows))
    [table] = tables(page)
    assert [tuple(c.text for c in table.cells if c.row == n) for n in range(4)] == rows


def test_a_heading_over_a_rule_that_was_not_put_together_covers_the_columns_below() -> None:
    page = "\n".join(
        [cells(100, ["Item"]), shown(124, 100, "Both years"), rules(104, (50, 122, 211))]
        + [cells(114 + 14 * n, (f"row {n}", f"{n}4", f"9{n}")) + rules(118 + 14 * n, EDGES[:4]) for n in range(4)]
    )
    [table] = tables(page)
    [wide] = [c for c in table.cells if c.text.startswith("Both")]
    assert (wide.row, wide.col, wide.colspan) == (0, 1, 2)


def test_tables_below_each_other_with_other_columns_stay_two() -> None:
    other = (50, 90, 200, 288)
    page = "\n".join(
        [cells(100 + 14 * n, (f"a{n}", f"{n}", f"1{n}", f"2{n}")) + rules(104 + 14 * n) for n in range(4)]
        + [cells(164 + 14 * n, (f"b{n}", f"3{n}", f"4{n}"), other) + rules(168 + 14 * n, other) for n in range(4)]
    )
    assert [max(c.col for c in table.cells) for table in tables(page)] == [3, 2]


def test_dashes_put_together_no_columns() -> None:
    [dashed] = merge_rules([Rule(10, 6 * k, 6 * k + 6) for k in range(20)])
    [celled] = merge_rules([Rule(10, 40 * k, 40 * k + 40) for k in range(3)])
    assert not dashed.joints
    assert celled.joints == (40, 80)


def test_numbers_behind_the_only_line_between_columns_stand_in_columns_of_their_own() -> None:
    rows = [("kept them all", "344", "75.2", "12196"), ("sold some", "53", "11.6", "23518")]
    rows += [("sold them all", "61", "13.2", "9187"), ("Total", "458", "100.0", "13153")]
    texts = "\n".join(cells(114 + 14 * n, row, (50, 180, 240, 300)) for n, row in enumerate(rows))
    drawn = [line(50, y, 350, y) for y in (104, 160.5)] + [line(150, 104, 150, 160.5)]
    drawn += [line(50, y, 350, y) for y in (118, 132, 146)]
    [table] = tables("\n".join([texts, *drawn]))
    assert [tuple(c.text for c in table.cells if c.row == n) for n in range(4)] == rows


def test_numbers_below_each_other_between_two_rules_are_rows_of_their_own() -> None:
    rows = [("Carrefour", "62.7", "40.5%"), ("Casino", "20.0", "24.0%"), ("Auchan", "23.5", "19.1%")]
    edges = (50, 180, 260)
    texts = [cells(100, ("Turnover", "", ""), edges), cells(116, ("Group", "Abroad", "Share"), edges)]
    texts += [cells(132 + 14 * n, row, edges) for n, row in enumerate(rows)]
    page = "\n".join([*texts, *(line(50, y, 300, y) for y in (90, 104, 120, 164))])
    [table] = tables(page)
    assert [tuple(c.text for c in table.cells if c.row == n) for n in (2, 3, 4)] == rows
