"""Captions of Markdown tables."""

import pytest

from ragstone.core.types import Block
from ragstone.extraction import extract

TABLE = "| Service | Port |\n|---|---|\n| web | 80 |\n"


def table_of(text: str) -> tuple[Block, list[Block]]:
    blocks = extract(text.encode(), path="a.md").blocks
    [table] = [block for block in blocks if block.type == "table"]
    return table, [block for block in blocks if block.caption_of == "table"]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        (f"Table 3: Ports of services\n\n{TABLE}", "Table 3: Ports of services"),
        (f"**Tabelle 1.** Ports\n\n{TABLE}", "Tabelle 1. Ports"),
        (f"{TABLE}\nTable: Ports of services\n", "Table: Ports of services"),
        (f"{TABLE}\nTable 4. Below it\n", "Table 4. Below it"),
    ],
)
def test_a_line_beside_a_table_that_says_so_is_its_caption(text: str, caption: str) -> None:
    table, captions = table_of(text)
    assert table.caption == caption
    assert [block.text for block in captions] == [caption]


@pytest.mark.parametrize(
    "before", ["The ports are as follows:", "Figure 3: A chart", "Table 3 shows the ports.", "Tables: many"]
)
def test_other_lines_are_none(before: str) -> None:
    table, captions = table_of(f"{before}\n\n{TABLE}")
    assert (table.caption, captions) == ("", [])


def test_a_caption_between_two_tables_belongs_to_the_one_below() -> None:
    blocks = extract(f"{TABLE}\nTable 2: Ports\n\n{TABLE}".encode(), path="a.md").blocks
    assert [block.caption for block in blocks if block.type == "table"] == ["", "Table 2: Ports"]
