"""Tables in pieces: headers, merged cells, and the forms that a chunk carries."""

import csv
import io
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.chunking import make_chunker
from ragstone.chunking.metadata import describe_piece
from ragstone.core.types import Block, Cell, Extraction, Piece, Span, join_slices
from ragstone.extraction import extract
from ragstone.extraction.spreadsheet import delimited
from ragstone.extraction.spreadsheet.record import SheetWriter
from ragstone.extraction.spreadsheet.rows import Line


class Words:
    """A tokenizer for tests: a token a word."""

    name = "words"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def cut(extraction: Extraction, tokens: int = 60) -> list[Piece]:
    pieces = make_chunker("structure", tokenizer=Words(), options={"tokens": tokens, "cap": tokens}).cut(extraction)
    assert all(piece.text == join_slices(extraction.record, piece.spans) for piece in pieces)
    return pieces


def sheet(rows: Sequence[Sequence[str]], name: str = "Sheet") -> Extraction:
    """A sheet whose rows begin at row 1, all of text but for digits."""
    record = SheetWriter()
    record.begin_sheet(name)
    lines = [
        Line(n, range(1, len(row) + 1), row, "".join("n" if text.isdecimal() else "s" for text in row))
        for n, row in enumerate(rows, 1)
    ]
    record.write_region(lines, name)
    return Extraction(record.text(), tuple(record.blocks), "application/x-sheet")


def said(piece: Piece) -> list[list[str]]:
    return list(csv.reader(io.StringIO(describe_piece(piece)["table"]["csv"])))


def test_every_group_of_a_sheet_has_the_header_and_names_its_rows() -> None:
    pieces = cut(sheet([["Item", "Count"], *([f"tool{i}", str(i)] for i in range(300))]))
    assert all("| Item | Count |" in (piece.header or piece.text) for piece in pieces)
    ranges = [span.rows for piece in pieces for span in piece.spans if span.rows]
    assert ranges[0][0] == 1
    assert ranges[-1][1] == 301
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ranges))
    assert {(span.sheet, span.cols) for piece in pieces[1:] for span in piece.spans} == {("Sheet", (1, 2))}
    assert {piece.heading_path for piece in pieces} == {("Sheet",)}


def test_the_header_of_a_csv_file_is_repeated_as_the_file_has_it() -> None:
    rows = "".join(f'tool{i},"{i},5"\n' for i in range(100))
    pieces = cut(delimited.parse_delimited(f"Item,Count\n{rows}".encode(), path="a.csv"), tokens=20)
    assert {piece.header for piece in pieces[1:]} == {"Item,Count"}
    assert pieces[1].text.startswith("tool")
    assert said(pieces[1])[0] == ["Item", "Count"]
    assert said(pieces[1])[1][1].endswith(",5")


def test_a_merged_cell_stands_above_a_group_that_begins_inside_it() -> None:
    lines = ["| Region | Item |", *(f"| {'North' if i == 0 else ''} | item{i} |" for i in range(40))]
    record = "\n".join(lines)
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    head = [
        Cell(0, 0, "Region", header=True, char_start=2, char_end=8),
        Cell(0, 1, "Item", header=True, char_start=11, char_end=15),
    ]
    north = Cell(1, 0, "North", rowspan=40, char_start=starts[1] + 2, char_end=starts[1] + 7)
    items = [
        Cell(
            n,
            1,
            f"item{n - 1}",
            char_start=(at := record.index(f"item{n - 1} |", starts[n])),
            char_end=at + len(f"item{n - 1}"),
        )
        for n in range(1, 41)
    ]
    spans = tuple(
        Span(at, at + len(line), n + 1, n + 1) for n, (at, line) in enumerate(zip(starts, lines, strict=True))
    )
    block = Block(
        "table", record, spans, cells=tuple(sorted([*head, north, *items], key=lambda one: one.char_start or 0))
    )
    pieces = cut(Extraction(record, (block,), "text/html"))
    assert len(pieces) > 1
    assert {piece.header for piece in pieces[1:]} == {"| Region | Item |\n| North |"}
    assert all(row[0] == "North" for piece in pieces for row in said(piece)[1:])


def test_a_merged_cell_that_each_row_says_is_not_said_again_above() -> None:
    record = SheetWriter()
    lines = [Line(1, (1, 2), ("Region", "Item"), "ss"), Line(2, (1, 2), ("North", "5"), "sn", merged={1: (60, 1)})]
    lines += [Line(n, (1, 2), ("North", str(n)), "sn", repeated=frozenset((1,))) for n in range(3, 62)]
    record.write_region(lines, "S")
    pieces = cut(Extraction(record.text(), tuple(record.blocks), "application/x-sheet"))
    assert {piece.header for piece in pieces[1:]} == {"| Region | Item |"}
    assert all(row[0] == "North" for piece in pieces for row in said(piece)[1:])


def test_a_chunk_of_a_table_carries_markdown_and_csv_and_its_place() -> None:
    [piece] = cut(sheet([["Item", "Note"], ["a|b", 'say "x", y'], ["c", "7"]]))
    found = describe_piece(piece)
    assert found["table"] == {
        "format": "markdown",
        "markdown": '| Item | Note |\n|---|---|\n| a\\|b | say "x", y |\n| c | 7 |',
        "csv": 'Item,Note\na|b,"say ""x"", y"\nc,7\n',
    }


def test_two_tables_in_one_piece_stay_two() -> None:
    record = SheetWriter()
    for top in (1, 9):
        record.write_region([Line(top, (1, 2), ("k", "v"), "ss"), Line(top + 1, (1, 2), ("a", "1"), "sn")], "S")
    [piece] = cut(Extraction(record.text(), tuple(record.blocks), "application/x-sheet"))
    assert describe_piece(piece)["table"]["markdown"].count("|---|---|") == 2
    assert said(piece) == [["k", "v"], ["a", "1"], [], ["k", "v"], ["a", "1"]]


def test_the_source_of_a_chunk_names_sheet_rows_and_columns() -> None:
    pieces = cut(sheet([["Item", "Count"], *([f"tool{i}", str(i)] for i in range(60))], name="Stock"))
    source = describe_piece(pieces[1])["source"]
    assert (source["sheet"], source["cols"]) == ("Stock", [1, 2])
    assert source["rows"] == list(pieces[1].spans[0].rows or ())


def test_a_row_that_is_too_long_stays_whole_with_a_note() -> None:
    pieces = cut(sheet([["Item", "Text"], ["a", "1"], ["b", "word " * 90], ["c", "2"]]))
    [long] = [piece for piece in pieces if piece.note]
    assert long.text.startswith("| b |")
    assert "kept whole" in long.note
    assert long.header == "| Item | Text |"


TEXT = st.text("ab|\"', \\", min_size=1, max_size=5).map(lambda text: f"x{text.strip()}x")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=60), st.integers(8, 60))
def test_no_row_is_cut_lost_or_doubled_and_every_form_holds_it(rows: list[tuple[str, str]], tokens: int) -> None:
    whole = [("Key", "Value"), *rows]
    pieces = cut(sheet(whole), tokens=tokens)
    told = [row for piece in pieces for row in said(piece) if row != ["Key", "Value"]]
    flat = [[" ".join(text.split()) for text in row] for row in whole]
    assert [row for row in told if row] == [row for row in flat if row != ["Key", "Value"]]
    lines = [line for piece in pieces for line in piece.text.split("\n") if line.startswith("| x")]
    assert len(lines) == len(rows)


@pytest.mark.parametrize("kind", ["structure", "recursive", "markdown", "sentence-window"])
@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.html"])
def test_every_piece_of_a_long_table_repeats_its_header(kind: str, name: str) -> None:
    rows = [(f"service-{i}", f"{8000 + i}") for i in range(120)]
    bars = "".join(f"| {a} | {b} |\n" for a, b in rows)
    texts = {
        "a.md": f"Table 3: Ports\n\n| Service | Port |\n|---|---|\n{bars}",
        "a.csv": "Service,Port\n" + "".join(f"{a},{b}\n" for a, b in rows),
        "a.html": "<table><caption>Table 3: Ports</caption><tr><th>Service<th>Port"
        + "".join(f"<tr><td>{a}<td>{b}" for a, b in rows)
        + "</table>",
    }
    pieces = make_chunker(kind, tokenizer=Words()).cut(extract(texts[name].encode(), path=name))
    begun = next(i for i, piece in enumerate(pieces) if "service-0" in piece.text) + 1
    for piece in pieces[begun:]:
        assert "Service" in piece.header
        assert "Port" in piece.header
        assert name == "a.csv" or piece.header.startswith("Table 3: Ports")
