"""Plain text: paragraphs, and headings only where they are certain."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.analyzer import extract_terms
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.plain_text import PlainText
from ragstone.testing.extractors import check_growth


def read(text: str) -> Extraction:
    return PlainText().extract(text.encode(), path="a.txt")


def kinds(text: str) -> list[tuple[str, int, str]]:
    return [(b.type, b.level, b.text) for b in read(text).blocks]


def test_blank_lines_and_page_breaks_separate_paragraphs() -> None:
    assert kinds("a\nb\n\n \nc\n\fd") == [("paragraph", 0, "a\nb"), ("paragraph", 0, "c"), ("paragraph", 0, "d")]


def test_underlined_lines_are_headings_with_the_line_below_in_their_span() -> None:
    text = "Title\n=====\nbody\n\nPart\n----\n\nShort\n--\n"
    assert kinds(text) == [
        ("heading", 1, "Title"),
        ("paragraph", 0, "body"),
        ("heading", 2, "Part"),
        ("paragraph", 0, "Short\n--"),
    ]
    span = read(text).blocks[0].spans[0]
    assert text[span.char_start : span.char_end] == "Title\n====="
    assert read(text).title == "Title"


def test_numbered_lines_are_headings_only_when_numbers_show_sections() -> None:
    assert kinds("1 Scope\n\n1.1 Aims\n\ntext\n") == [
        ("heading", 1, "1 Scope"),
        ("heading", 2, "1.1 Aims"),
        ("paragraph", 0, "text"),
    ]
    assert [type_ for type_, _, _ in kinds("1 Apple\n\n2 Pears\n\n1.5 kg of flour\n\n3.1 Ends as a sentence.\n")] == (
        ["paragraph"] * 4
    )


def test_contents_with_page_numbers_have_their_role() -> None:
    assert [b.role for b in read("Intro ..... 1\nNext ..... 12\nLast\t30\n\nreal text\n").blocks] == ["toc", "body"]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab1.=- \t\n\r\fé", max_size=120))
def test_every_visible_character_stands_in_exactly_one_span(text: str) -> None:
    try:
        extraction = read(text)
    except Refused:
        assert not text.strip()
        return
    assert extraction.record == text
    covered = [n for b in extraction.blocks for s in b.spans for n in range(s.char_start, s.char_end)]
    assert len(covered) == len(set(covered))
    assert {n for n, letter in enumerate(text) if not letter.isspace()} <= set(covered)


def test_characters_that_json_writes_as_numbers_can_be_read() -> None:
    """Python writes all that is not English so, and no search found it."""
    text = '{"day": "M\\u00fcllabfuhr",\n "path": "C:\\\\u00fc", "quote": "\\u0022"}'
    read = PlainText(media_type="application/json").extract(text.encode(), path="a.json")
    assert read.record == text.replace("M\\u00fcll", "Müll")
    assert read.blocks[0].spans[0].line_end == 2
    assert PlainText().extract(text.encode(), path="a.txt").record == text


def test_chapters_underlined_by_stars_stand_above_sections() -> None:
    found = PlainText().extract(b"1 Start\n*******\n\nText.\n\n1.1 Part\n========\n\nMore.\n", path="a.txt")
    assert [(block.text, block.level) for block in found.blocks if block.type == "heading"] == [
        ("1 Start", 1),
        ("1.1 Part", 2),
    ]


def test_lines_that_lead_through_a_manual_of_info_are_navigation() -> None:
    text = (
        "\x1f\nFile: bc.info,  Node: Start,  Next: Part,  Up: Top\n\nBegin here.\n\n"
        "* Menu:\n\n* Part::  What\n    follows.\n* Other: Far.    Elsewhere.\n"
        "\x1f\nFile: bc.info,  Node: Part\n\n* An item of the text\n\n"
        "* note: an item that begins with a word and a colon\n\n"
        "2 A\n***\n\nEnd.\n"
    )
    found = PlainText().extract(text.encode(), path="bc.info")
    assert [(block.text, block.level) for block in found.blocks if block.role == "body"] == [
        ("Begin here.", 0),
        ("* An item of the text", 0),
        ("* note: an item that begins with a word and a colon", 0),
        ("2 A", 1),
        ("End.", 0),
    ]
    plain = PlainText().extract(text.replace("\x1f", "").encode(), path="a.txt")
    assert all(block.role == "body" for block in plain.blocks)


def test_colours_of_a_log_are_left_out_and_its_lines_keep_their_numbers() -> None:
    found = read("start\n\n\x1b[31mERROR\x1b[0m disk \x1b[1;38;5;9mfull\x1b[K\n")
    block = found.blocks[-1]
    assert (block.text, block.spans[0].line_start) == ("ERROR disk full", 3)
    assert extract_terms(found.record) == ["start", "error", "disk", "full"]
    open_ended = "a \x1b]0;title without an end\nb \x1b[31"
    assert read(open_ended).record.split() == ["a", "0;title", "without", "an", "end", "b", "31"]


@pytest.mark.parametrize("unit", ["\x1b", "\x1b[", "\x1b]", "\x1b[3", "\x1b (", "\x1b[31mA"], ids=repr)
def test_codes_for_terminals_take_time_in_step_with_the_text(unit: str) -> None:
    def work(size: int) -> None:
        read("A" + unit * (size // len(unit)))

    check_growth(work)
