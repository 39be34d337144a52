"""Labels over several lines, and rows that name a group, in tables with horizontal rules or none."""

from collections.abc import Sequence

from ragstone.core.types import Block
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import line, pdf, shown

WRAPPED = [
    ("Medical and surgical", ""),
    ("Equipment in hospitals", "40.6"),
    ("Commercial vehicles", ""),
    ("Industrial machines of", ""),
    ("Wages", "640.6"),
    ("Deferred public works", ""),
    ("Ports", "323.7"),
    ("Minor public general", ""),
    ("Labour", "934.5"),
]


def tables(page: str) -> list[Block]:
    return [b for b in parse_pdf(pdf([page]), path="a.pdf", ocr=False).blocks if b.type == "table"]


def rows(table: Block) -> list[list[str]]:
    last = max(cell.row for cell in table.cells)
    return [[cell.text for cell in table.cells if cell.row == n and cell.text] for n in range(last + 1)]


def set_rows(said: Sequence[Sequence[str]], xs: Sequence[float], y: float, step: float = 12) -> str:
    return "\n".join(
        shown(x, y + step * n, text) for n, row in enumerate(said) for x, text in zip(xs, row, strict=False) if text
    )


def test_lines_of_a_label_belong_to_the_figures_below_that_they_run_into() -> None:
    head = line(50, 92, 260, 92) + shown(50, 104, "Item") + shown(200, 104, "Value") + line(50, 108, 260, 108)
    [table] = tables(f"{head}\n{set_rows(WRAPPED, (50, 200), 122)}\n{line(50, 226, 260, 226)}")
    assert rows(table)[1:] == [
        ["Medical and surgical Equipment in hospitals", "40.6"],
        ["Commercial vehicles Industrial machines of Wages", "640.6"],
        ["Deferred public works Ports", "323.7"],
        ["Minor public general Labour", "934.5"],
    ]


def test_a_short_line_above_an_item_names_a_group() -> None:
    said = [("Roads:", ""), ("Industrial machines of", ""), ("offices", "1.5"), ("Rail", ""), *WRAPPED[5:]]
    head = shown(50, 104, "Item") + shown(200, 104, "Value") + line(50, 108, 260, 108)
    [table] = tables(f"{head}\n{set_rows(said, (50, 200), 122)}")
    found = rows(table)[1:]
    assert ["Roads:"] in found
    assert ["Rail"] in found
    assert ["Deferred public works Ports", "323.7"] in found


def grouped(y: float) -> str:
    """A table whose rules part groups, each with a name over the first columns."""
    said = [[("Number of parts = 4", "", "", ""), ("Datum", "22.80", "4.00", "108.00")]]
    said.append([("Number of parts = 6", "", "", ""), *[(f"Mazurka {n}", "21.00", "6.00", "160.00") for n in range(2)]])
    said.append([("Number of parts = 8", "", "", ""), *[(f"Hornet {n}", "18.70", "8.00", "360.00") for n in range(3)]])
    parts = [line(50, y, 330, y), set_rows([("", "range", "load", "mass")], (50, 130, 190, 250), y + 12)]
    y += 16
    for group in said:
        parts += [line(50, y, 330, y), set_rows(group, (50, 130, 190, 250), y + 12)]
        y += 12 * len(group) + 5
    return "\n".join([*parts, line(50, y, 330, y)])


def test_the_name_of_a_group_between_two_rules_is_a_row_of_its_own() -> None:
    [table] = tables(grouped(100))
    found = rows(table)
    assert [row for row in found if len(row) == 1] == [[f"Number of parts = {n}"] for n in (4, 6, 8)]
    assert ["Datum", "22.80", "4.00", "108.00"] in found
    assert ["Mazurka 1", "21.00", "6.00", "160.00"] in found


def test_text_between_two_tables_with_rules_of_one_length_parts_them() -> None:
    between = shown(50, 240, "Booktabs do.") + shown(50, 252, "So they do.") + shown(50, 280, "print(x, digits)")
    found = tables(f"{grouped(100)}\n{between}\n{grouped(300)}")
    assert len(found) == 2
    assert "digits" not in "".join(table.text for table in found)
