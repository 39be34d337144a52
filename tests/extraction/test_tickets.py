"""Exports of ticket systems and boards: each ticket is a section under its key and title."""

import csv
import io
import json

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.types import Extraction
from ragstone.extraction import extract
from ragstone.extraction.boards import read_board
from ragstone.extraction.spreadsheet.delimited import parse_delimited
from tests.speed import in_step

LONG = "The exporter stops where the font table is missing. " * 9


def read(rows: list[list[str]]) -> Extraction:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return parse_delimited(file.getvalue().encode(), path="jira.csv")


def make_jira(count: int) -> list[list[str]]:
    labels = ["Summary", "Issue key", "Issue id", "Status", "Description", "Comment", "Comment"]
    return [
        labels,
        *(
            [
                f"Export {n} fails",
                f"OPS-{n}",
                f"10{n}",
                "Open",
                f'Open "{n}".\n\n{LONG}\r\n\r\n{LONG}',
                f"Seen {n}.",
                f"Set FONT_{n}.\nThen restart.",
            ]
            for n in range(count)
        ),
    ]


def test_each_ticket_is_a_section_and_each_piece_of_it_has_key_and_title() -> None:
    found = read(make_jira(4))
    assert [block.text for block in found.blocks if block.type == "heading"] == [
        f"OPS-{n} Export {n} fails" for n in range(4)
    ]
    own = [block.text for block in found.blocks if block.spans[0].rows == (3, 3)]
    assert own == [
        "OPS-1 Export 1 fails",
        "Issue id: 101\nStatus: Open\nComment: Seen 1.",
        'Description (OPS-1): Open "1".',
        LONG.strip(),
        LONG.strip(),
        "Comment (OPS-1):\nSet FONT_1.\nThen restart.",
    ]
    pieces = make_chunker("structure", tokenizer=Characters(), options={"tokens": 150, "cap": 250}).cut(found)
    [piece] = [piece for piece in pieces if "FONT_2" in piece.text]
    assert "OPS-2" in piece.text
    assert all("OPS-" in f"{piece.heading_path}{piece.text}" for piece in pieces)
    assert found.title == "jira"


def test_texts_in_the_markup_of_jira_are_read_as_it_shows_them() -> None:
    rows = make_jira(3)
    rows[1][4] = f"h3. Steps\n# Open *it*\n{{code:sh}}\nrun  -x\n{{code}}\n{LONG}"
    found = read(rows)
    assert [(block.type, block.level, block.text) for block in found.blocks if block.spans[0].rows == (2, 2)][2:-1] == [
        ("paragraph", 0, "Description (OPS-0):"),
        ("heading", 5, "Steps"),
        ("list", 1, "1. Open it"),
        ("code", 0, "run  -x"),
        ("paragraph", 0, LONG.strip()),
    ]


@pytest.mark.parametrize(
    ("labels", "row", "heading"),
    [
        (["ID", "Team", "Title", "Notes"], ["ENG-{}", "Core", "Search {} is slow", LONG * 2], "ENG-1 Search 1 is slow"),
        (["Betreff", "Nr", "Text"], ["Der Export {} hängt", "40{}", LONG * 2], "401 Der Export 1 hängt"),
        (["A", "B", "C"], ["red", "The roof {} is wet", LONG * 2], "The roof 1 is wet"),
    ],
)
def test_key_and_title_are_told_by_labels_or_values(labels: list[str], row: list[str], heading: str) -> None:
    found = read([labels, *([cell.format(n) for cell in row] for n in range(6))])
    assert [block.text for block in found.blocks if block.type == "heading"][1] == heading


def test_columns_that_name_a_row_by_their_values_keep_their_labels() -> None:
    found = read([["Staff number", "Role", "Notes"], *([f"47{n}", f"Head of unit {n}", LONG * 2] for n in range(6))])
    assert [block.text for block in found.blocks[:2]] == [
        "470 Head of unit 0",
        "Staff number: 470\nRole: Head of unit 0",
    ]


def test_tables_of_short_rows_stay_tables() -> None:
    found = read([row[:4] for row in make_jira(9)])
    assert [block.type for block in found.blocks] == ["table"]
    assert found.record.startswith("Summary,Issue key")


def test_long_rows_are_written_in_step() -> None:
    in_step(lambda size: read(make_jira(size)), 30, 240, most=20)
    in_step(lambda size: read([["A", "B", "C"], ["1", "2", f"x{' ' * size}{LONG * 2}"]]), 2000, 16_000, most=20)


def test_what_belongs_to_cards_of_one_id_is_written_once() -> None:
    board = {**BOARD, "cards": [{"id": "c1", "name": "Paint", "idList": "l1"}] * 2}
    assert extract(json.dumps(board).encode(), path="board.json").record.count("Order") == 1


BOARD = {
    "name": "Roadmap",
    "lists": [{"id": "l1", "name": "Doing"}],
    "members": [{"id": "m1", "fullName": "Ann Smith"}],
    "cards": [
        {"id": "c1", "name": "Paint", "desc": "White.\n\nTwice.", "idList": "l1", "idMembers": ["m1"], "closed": True},
        {
            "id": "c2",
            "name": "Roof",
            "desc": "",
            "idList": "l1",
            "due": "2024-03-04T10:11:12.000Z",
            "labels": [{"name": "urgent"}],
        },
    ],
    "checklists": [{"idCard": "c1", "name": "Steps", "checkItems": [{"name": "Order", "state": "complete"}]}],
    "actions": [
        {
            "type": "commentCard",
            "date": "2024-03-05T10:00:00.000Z",
            "data": {"text": "Ask Bo.", "card": {"id": "c2"}},
            "memberCreator": {"fullName": "Ann Smith"},
        },
        {"type": "updateCard", "data": {"card": {"id": "c2"}}},
    ],
}


def test_cards_of_a_board_have_their_lists_checklists_and_comments() -> None:
    found = extract(json.dumps(BOARD).encode(), path="board.json")
    assert found.title == "Roadmap"
    assert [block.text for block in found.blocks] == [
        "Roadmap",
        "Paint",
        "List: Doing (archived)\nMembers: Ann Smith",
        "White.",
        "Twice.",
        "Steps:",
        "- [x] Order",
        "Roof",
        "List: Doing\nLabels: urgent\nDue: 2024-03-04 10:11 UTC",
        "Ann Smith (2024-03-05 10:00 UTC): Ask Bo.",
    ]


@pytest.mark.parametrize("text", ['{"idList"', '["idList"]', '{"lists": [], "cards": [{"idList": 1}]}', "[" * 9999])
def test_other_json_is_no_board(text: str) -> None:
    assert read_board(f'{text}"idList"') is None
    assert read_board(text) is None
