"""Tables of reStructuredText, AsciiDoc and Org: their cells, their places, and what hostile ones cost."""

from contextlib import suppress

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.errors import Refused
from ragstone.core.types import Block, Extraction
from ragstone.extraction import extract
from ragstone.testing.extractors import check_block, check_growth, check_spans


def read(text: str, path: str) -> Extraction:
    found = extract(text.encode(), path=path)
    check_spans(found)
    for block in found.blocks:
        check_block(block, found.record)
    assert found.record.count("\n") == text.count("\n")
    return found


def read_table(text: str, path: str) -> Block:
    [table] = [block for block in read(text, path).blocks if block.type == "table"]
    return table


def list_cells(table: Block) -> list[tuple[int, int, int, int, str]]:
    return [(cell.row, cell.col, cell.rowspan, cell.colspan, cell.text) for cell in table.cells if cell.text]


def list_lines(table: Block) -> list[int]:
    return [span.line_start for span in table.spans]


GRID = """\
Each plan:

+--------+-----------------+---------+
|        | Storage         | Price   |
| Plan   +-------+---------+ in EUR  |
|        | SSD   | Tape    |         |
+========+=======+=========+=========+
| ``A``  | 10 GB | 1 TB    | 5 per   |
|        |       |         | month   |
+--------+-------+---------+---------+
| 東京   | ask the desk |  | free    |
+--------+-----------------+---------+

After.
"""


def test_a_grid_has_cells_over_rows_and_columns_and_words_over_lines() -> None:
    table = read_table(GRID, "a.rst")
    assert list_cells(table) == [
        (0, 0, 2, 1, "Plan"),
        (0, 1, 1, 2, "Storage"),
        (0, 3, 2, 1, "Price in EUR"),
        (1, 1, 1, 1, "SSD"),
        (1, 2, 1, 1, "Tape"),
        (2, 0, 1, 1, "A"),
        (2, 1, 1, 1, "10 GB"),
        (2, 2, 1, 1, "1 TB"),
        (2, 3, 1, 1, "5 per month"),
        (3, 0, 1, 1, "東京"),
        (3, 1, 1, 2, "ask the desk |"),
        (3, 3, 1, 1, "free"),
    ]
    assert {cell.row for cell in table.cells if cell.header} == {0, 1}
    assert list_lines(table) == [4, 6, 8, 11]


SIMPLE = """\
  ==========  =======  ======
  Region      Latency
  ----------  ---------------
  Town        ms       %
  ==========  =======  ======
  Frankfurt   12       99.9
              or 13
  Oslo        31

  \\           7        98
  ==========  =======  ======
"""


def test_a_simple_table_has_rows_that_go_on_below_and_cells_over_columns() -> None:
    table = read_table(SIMPLE, "a.rst")
    assert list_cells(table) == [
        (0, 0, 1, 1, "Region"),
        (0, 1, 1, 2, "Latency"),
        (1, 0, 1, 1, "Town"),
        (1, 1, 1, 1, "ms"),
        (1, 2, 1, 1, "%"),
        (2, 0, 1, 1, "Frankfurt"),
        (2, 1, 1, 1, "12 or 13"),
        (2, 2, 1, 1, "99.9"),
        (3, 0, 1, 1, "Oslo"),
        (3, 1, 1, 1, "31"),
        (4, 1, 1, 1, "7"),
        (4, 2, 1, 1, "98"),
    ]
    assert {cell.row for cell in table.cells if cell.header} == {0, 1}
    assert list_lines(table) == [2, 4, 6, 8, 10]


DIRECTIVES = """\
.. list-table:: Hours
   :header-rows: 1

   * - Team
     - Hours
   * - Billing
     - 9 to
       17
   * -
     - else closed

.. csv-table:: Ports
   :header: "Service", "Port"

   "Postgres", 5432
   "Redis, cached", 6379

.. table:: Sizes

   ==  ==
   S   1
   M   2
   ==  ==

.. note::

   .. csv-table::
      :delim: ;
      :header-rows: 1

      A;B
      c;d
"""


def test_tables_in_directives_have_captions_headers_and_cells() -> None:
    found = read(DIRECTIVES, "a.rst")
    assert [(block.type, block.text, block.caption, block.caption_of) for block in found.blocks] == [
        ("paragraph", "Hours", "", "table"),
        ("table", "| Team | Hours |\n| Billing | 9 to 17 |\n|  | else closed |", "Hours", None),
        ("paragraph", "Ports", "", "table"),
        ("table", "| Service | Port |\n| Postgres | 5432 |\n| Redis, cached | 6379 |", "Ports", None),
        ("paragraph", "Sizes", "", "table"),
        ("table", "| S | 1 |\n| M | 2 |", "Sizes", None),
        ("table", "| A | B |\n| c | d |", "", None),
    ]
    tables = [block for block in found.blocks if block.type == "table"]
    assert [list_lines(table) for table in tables] == [[4, 6, 9], [13, 15, 16], [21, 22], [30, 32]]
    assert [[cell.text for cell in table.cells if cell.header] for table in tables] == [
        ["Team", "Hours"],
        ["Service", "Port"],
        [],
        ["A", "B"],
    ]


ASCIIDOC = """\
.Parts in stock
[cols="1,2", options="header"]
|===
|Part |Description

|A-100
|A hinge
for \\| doors

.2+^.^|B |Locks
|C |D
|===

|===
|Name |Size

|x |1
3*|z
|===

[%header]
,===
a,b
"c, d",2
,===
"""


def test_asciidoc_has_cells_line_by_line_or_delimited_with_header_and_caption() -> None:
    found = read(ASCIIDOC, "a.adoc")
    tables = [block for block in found.blocks if block.type == "table"]
    assert [block.text for block in found.blocks if block.type != "table"] == ["Parts in stock"]
    assert [table.caption for table in tables] == ["Parts in stock", "", ""]
    assert list_cells(tables[0]) == [
        (0, 0, 1, 1, "Part"),
        (0, 1, 1, 1, "Description"),
        (1, 0, 1, 1, "A-100"),
        (1, 1, 1, 1, "A hinge for | doors"),
        (2, 0, 2, 1, "B"),
        (2, 1, 1, 1, "Locks"),
        (3, 1, 1, 1, "C"),
        (4, 0, 1, 1, "D"),
    ]
    assert tables[1].text == "| Name | Size |\n| x | 1 |\n| z | z |\n| z |"
    assert tables[2].text == "| a | b |\n| c, d | 2 |"
    assert [list_lines(table) for table in tables] == [[4, 6, 10, 11, 12], [15, 17, 18, 19], [22, 24]]
    assert all({cell.row for cell in table.cells if cell.header} == {0} for table in tables)


def test_a_row_is_quoted_below_its_header_on_the_line_of_the_file() -> None:
    [piece] = make_chunker("structure", tokenizer=Characters()).cut(read(GRID.partition("\n\n")[2], "a.rst"))
    assert [line for line in piece.text.split("\n") if line][:4] == [
        "| Plan | Storage | | Price in EUR |",
        "| | SSD | Tape | |",
        "|---|---|---|---|",
        "| A | 10 GB | 1 TB | 5 per month |",
    ]
    assert piece.table[2] == ("A", "10 GB", "1 TB", "5 per month")


@pytest.mark.parametrize(
    "text",
    [
        "+--+--+\n| a | b |\n\nAfter\n",
        "+--+--+\n+--+--+\n",
        "+--+--+\n|  |  |\n+--+--+\nx\n",
        "== ==\na b\n\nAfter\n",
        "== ==\n== ==\nx\n",
        ".. list-table:: T\n\n   Words\n",
        ".. csv-table:: T\n   :file: a.csv\n",
        "+-+\n|a|\n+-+",
    ],
)
def test_what_is_no_table_stays_text(text: str) -> None:
    found = extract(text.encode(), path="a.rst")
    check_spans(found)
    words = [word for word in ("After", "a", "b", "Words", "x", "T") if word in text.split()]
    assert all(word in " ".join(block.text for block in found.blocks) for word in words)


def test_a_table_that_asciidoc_never_closes_stays_text() -> None:
    assert [block.text for block in read("|===\n|a |b\n\n== Next\n", "a.adoc").blocks] == ["|a |b", "Next"]


RULE = "+---+---+\n"
WIDE = 300  # columns


@pytest.mark.parametrize(
    ("path", "start", "unit", "end"),
    [
        ("a.rst", RULE, f"| a | b |\n{RULE}", ""),
        ("a.rst", RULE, "| a | b |\n", ""),
        ("a.rst", f"+{'-+' * WIDE}\n", "+-+\n|a|\n", f"+{'-+' * WIDE}\n"),
        ("a.rst", "+", "-+", "\n|a\n+-+"),
        ("a.rst", "+", "-", "+\n"),
        ("a.rst", "== ==\n", "a  b\n", "== ==\n"),
        ("a.rst", "", "== ==\na b\n\n ", ""),
        ("a.rst", "== " * WIDE + "\n", "a b\n", "== " * WIDE),
        ("a.rst", ".. list-table::\n\n", "   * - a\n     - b\n", ""),
        ("a.rst", ".. note::\n\n", "   .. list-table:: x\n\n", ""),
        ("a.rst", ".. csv-table::\n\n", '   "a, "\n', ""),
        ("a.adoc", "|===\n", "|", "\n|===\n"),
        ("a.adoc", "|===\n", "|a |b\n", ""),
        ("a.adoc", "", "|===\n999*|x\n|===\n", ""),
        ("a.adoc", "[cols=1000*]\n|===\n", "999.999+|x\n", "|===\n"),
        ("a.adoc", "", '[cols="1,1"]\n.Title\n', ""),
    ],
)
def test_hostile_tables_take_time_in_step_with_their_size(path: str, start: str, unit: str, end: str) -> None:
    def work(size: int) -> None:
        with suppress(Refused):
            extract((start + unit * (size // len(unit)) + end).encode(), path=path)

    check_growth(work)


ORG = """\
* Prices
Some words.
#+CAPTION: Prices of fruit
| Fruit | Price |
|-------+-------|
| <l>   |       |
| Pear  | 4 EUR |
| Apple | 3 EUR |
#+TBLFM: $2=3
More words.

#+BEGIN_QUOTE
Quoted:
| Plum | 9 |
end.
#+END_QUOTE
"""


def test_tables_of_org_have_headers_captions_and_a_line_for_each_row() -> None:
    found = read(ORG, "a.org")
    first, second = (block for block in found.blocks if block.type == "table")
    assert first.text == "| Fruit | Price |\n| Pear | 4 EUR |\n| Apple | 3 EUR |"
    assert first.caption == "Prices of fruit"
    assert [cell.text for cell in first.cells if cell.header] == ["Fruit", "Price"]
    assert list_lines(first) == [4, 7, 8]
    assert second.text == "| Plum | 9 |"
    assert [block.text for block in found.blocks if block.type == "paragraph"] == [
        "Some words.",
        "More words.",
        "Quoted:",
        "end.",
    ]


@pytest.mark.parametrize("unit", ["|", "|a", "|-", "| a |\n", "|-+-|\n", "| a |\n|---|\n", "|\n\n", "#+CAPTION: a\n"])
def test_tables_of_org_take_time_in_step_with_their_size(unit: str) -> None:
    def work(size: int) -> None:
        with suppress(Refused):
            extract((unit * (size // len(unit))).encode(), path="a.org")

    check_growth(work)


TEX = r"""\section{Results}
\begin{table}\caption{Scores~\cite{a}.}\begin{tabular}{lr}
Method & Year \\ \midrule
Parser \citep[see][p.~3]{knuth84} & 1984 \\
Cutter & as \citet{lamport86}
says \\
\end{tabular} Beside it.
\end{table}
"""


def test_tables_of_tex_with_words_on_their_first_or_last_line_are_rows_on_their_lines() -> None:
    found = read(TEX, "a.tex")
    [table] = [block for block in found.blocks if block.type == "table"]
    assert list_lines(table) == [3, 4, 5]
    assert found.record.split("\n")[3:6] == ["| Parser knuth84 | 1984 |", "| Cutter | as lamport86 says |", ""]
    assert [block.text for block in found.blocks if block.type == "paragraph"] == ["Scores a.", "Beside it."]
