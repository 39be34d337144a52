"""Tables of typewriters and line printers, of two columns of text, and rows told by their figures."""

from collections.abc import Sequence

from ragstone.core.types import Block, Extraction
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import line, paragraph, pdf, shown

COURIER = b"/F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >> /F2 <<"
ACREAGE = """\
-----------------------------------------
                            Harvested
                        -----------------
Crop                       1988      1989
-----------------------------------------
Barley ................   422.8    41.1
Winter wheat for seed
  and for feed ........    16.4   1,203.7
Oats . . . . . . . . .        8    (20.2)
Field peas of the
  northern counties ...    11.9      n/a

Total .................   459.1   1,224.6
-----------------------------------------
1/ Includes land that was sown twice.
"""
PROSE = (
    "The committee met in the spring to look at the accounts of",
    "the harbour and found that its income had grown although the",
    "number of ships that called was smaller than the year before.",
    "This was due to a new tariff that the board had agreed on in",
    "the autumn, after a long discussion with the owners of the",
    "larger ships, which pay for the length of their stay rather",
    "than for the weight of the goods that they bring into port.",
)


def typed(text: str, *, y: float = 110, size: float = 9) -> str:
    lines = enumerate(text.splitlines())
    return "\n".join(shown(60, y + 11 * n, said, size=size, font="F3") for n, said in lines if said.strip())


def read(*pages: str) -> Extraction:
    return parse_pdf(pdf(pages).replace(b"/F2 <<", COURIER), path="a.pdf", ocr=False)


def tables(extraction: Extraction) -> list[Block]:
    return [block for block in extraction.blocks if block.type == "table"]


def rows(table: Block) -> list[list[str]]:
    numbers = sorted({cell.row for cell in table.cells})
    return [[c.text for c in sorted(table.cells, key=lambda c: c.col) if c.row == n and c.text] for n in numbers]


def test_leaders_and_rules_of_dashes_make_a_table() -> None:
    extraction = read(typed(ACREAGE))
    [table] = tables(extraction)
    assert rows(table) == [
        ["Harvested"],
        ["Crop", "1988", "1989"],
        ["Barley", "422.8", "41.1"],
        ["Winter wheat for seed and for feed", "16.4", "1,203.7"],
        ["Oats", "8", "(20.2)"],
        ["Field peas of the northern counties", "11.9", "n/a"],
        ["Total", "459.1", "1,224.6"],
    ]
    [over] = [cell for cell in table.cells if cell.text == "Harvested"]
    assert (over.col, over.colspan) == (1, 2)
    assert "1/ Includes land that was sown twice." in extraction.record
    assert "----" not in extraction.record


def test_bars_between_typed_columns_are_no_text() -> None:
    barred = "\n".join(
        f"{crop:14}: {first:>7} : {last:>7}"
        for crop, first, last in (
            ("State", "1988", "1989"),
            ("Ohio", "1.5", "22"),
            ("Iowa", "8", "3.1"),
            ("Utah", "4", "9"),
        )
    )
    [table] = tables(read(typed(barred)))
    assert rows(table) == [["State", "1988", "1989"], ["Ohio", "1.5", "22"], ["Iowa", "8", "3.1"], ["Utah", "4", "9"]]


def test_a_full_stop_of_a_typewriter_stands_in_its_number() -> None:
    text = "The harvest came to 1,422.8 tons by 14:32 and was worth $349.99 i.e. a third of it.\n" * 2
    assert "1,422.8 tons by 14:32 and was worth $349.99 i.e. a third" in read(typed(text)).record


def test_leaders_to_rising_pages_are_a_table_of_contents() -> None:
    text = "\n".join(f"{title:.<40} {page}" for title, page in (("Land", 3), ("Sea", 9), ("Air", 14), ("Rates", 21)))
    extraction = read(typed(text))
    assert not tables(extraction)
    assert {block.role for block in extraction.blocks} == {"toc"}


def test_leaders_to_figures_are_a_table() -> None:
    figures = (("Land tax", 931), ("Harbour dues", 209), ("Tolls", 1440), ("Rents", 21))
    text = "\n".join(f"{title:.<40} {figure:>5}" for title, figure in figures)
    [table] = tables(read(typed(text)))
    assert rows(table) == [[title, str(figure)] for title, figure in figures]


def test_rules_of_dashes_in_print_stay_text() -> None:
    page = paragraph(50, 80, PROSE[:3]) + shown(50, 130, "-" * 60) + paragraph(50, 150, PROSE[3:])
    extraction = read(page)
    assert not tables(extraction)
    assert "-" * 60 in extraction.record


def columns(left: Sequence[str], right: Sequence[str], *, y: float = 60) -> str:
    return paragraph(50, y, left, size=8, step=10) + paragraph(320, y, right, size=8, step=10)


def test_a_table_in_one_of_two_columns_of_text() -> None:
    page = columns(PROSE, PROSE * 4)
    ports = [("Port", "Ships", "Tons"), *((f"Harbour {n}", str(7 * n), str(112 + n)) for n in range(12))]
    for n, cells in enumerate(ports):
        page += "".join(shown(x, 150 + 11 * n, said, size=8) for x, said in zip((50, 150, 220), cells, strict=True))
    page += paragraph(50, 310, PROSE, size=8, step=10)
    extraction = read(page)
    [table] = tables(extraction)
    assert rows(table) == [list(cells) for cells in ports]
    assert PROSE[0] + " " + PROSE[1] in extraction.record


def test_two_tables_below_captions_that_stand_side_by_side() -> None:
    page = paragraph(50, 60, [f"{text} {text}" for text in PROSE[:2]], size=8, step=10)
    page += shown(50, 120, "Table 1: Ships", size=8) + shown(320, 120, "Table 2: Goods", size=8)
    for n, figures in enumerate((31, 7, 112, 40)):
        y = 140 + 11 * n
        page += shown(50, y, f"Port {n}", size=8) + shown(160, y, str(figures), size=8)
        page += shown(320, y, f"Goods {n}", size=8) + shown(430, y, str(2 * figures), size=8)
    assert [[row[1] for row in rows(table)] for table in tables(read(page))] == [
        ["31", "7", "112", "40"],
        ["62", "14", "224", "80"],
    ]


def test_figures_beside_the_last_line_of_cells_tell_the_rows() -> None:
    page = ""
    cells = (
        ("Harbours of", "The board agreed on a", ""),
        ("the east coast", "tariff for larger ships", "31"),
        ("Rivers", "Tolls are paid by length", "7"),
        ("Canals of the", "Rates were lowered in", ""),
        ("inland counties", "the spring", "112"),
    )
    for n, (name, text, figure) in enumerate(cells):
        page += shown(50, 106 + 11 * n, name, size=9) + shown(160, 106 + 11 * n, text, size=9)
        page += shown(420, 106 + 11 * n, figure, size=9) if figure else ""
    [table] = tables(read(page))
    assert rows(table) == [
        ["Harbours of the east coast", "The board agreed on a tariff for larger ships", "31"],
        ["Rivers", "Tolls are paid by length", "7"],
        ["Canals of the inland counties", "Rates were lowered in the spring", "112"],
    ]


GRID = """\
+---------------------+--+-------+-------+
|                     | N|  Mean |Minimum|
+---------------------+--+-------+-------+
|Sex of subject       |40|    .45|Male   |
|Weight in kilograms  |40|  72.12|  -55.6|
|Missing N (listwise) | 0|       |       |
+---------------------+--+-------+-------+
"""
MEASURES = "pos | size | type  | description\n----|------|-------|-----------------\n" + "\n".join(
    f"  {n} |    4 | float | the share of {name}" for n, name in enumerate(("wheat", "oats", "barley", "peas", "rye"))
)


def test_rules_with_joints_and_bars_between_letters_are_the_lines_of_a_table() -> None:
    [grid] = tables(read(typed(GRID)))
    assert rows(grid) == [
        ["N", "Mean", "Minimum"],
        ["Sex of subject", "40", ".45", "Male"],
        ["Weight in kilograms", "40", "72.12", "-55.6"],
        ["Missing N (listwise)", "0"],
    ]
    [measures] = tables(read(typed(MEASURES)))
    assert rows(measures)[:2] == [["pos", "size", "type", "description"], ["0", "4", "float", "the share of wheat"]]


def test_boxes_of_code_with_a_line_of_text_between_them_are_no_table() -> None:
    said = "You can end the system from the command line."
    boxes = "\n".join(line(60, y, 400, y) for y in (100, 125, 150, 175))
    page = f"{typed('# shutdown -h now', y=115)}\n{shown(60, 140, said)}\n{typed('# poweroff -i -f', y=165)}\n{boxes}"
    found = read(page)
    assert not tables(found)
    assert found.record.split("\n\n") == ["# shutdown -h now", said, "# poweroff -i -f"]
