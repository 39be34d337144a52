"""The simpler ways to cut, and the door that makes them all."""

from itertools import pairwise

import pytest

from ragstone.chunking import Characters, limit_pieces, make_chunker
from ragstone.core.errors import UsageError
from ragstone.core.types import Piece
from ragstone.extraction import extract
from ragstone.testing.chunkers import outline_document


def cut(name: str, text: str, **options: int) -> list[Piece]:
    return make_chunker(name, tokenizer=Characters(), options=options).cut(outline_document(text))


def test_markdown_makes_a_piece_of_each_section_that_fits() -> None:
    pieces = cut("markdown", "Intro.\n\n## One\n\nFirst.\n\n### Deeper\n\nMore.\n\n## Two\n\nSecond.")
    assert [piece.heading_path for piece in pieces] == [(), ("One",), ("Two",)]
    assert [piece.ordinal for piece in pieces] == [0, 1, 2]
    assert pieces[1].text == "## One\n\nFirst.\n\n### Deeper\n\nMore."
    assert not any(piece.overlap for piece in pieces)


def test_markdown_fills_paragraphs_up_to_500_characters() -> None:
    paragraph = "word " * 30 + "end."
    pieces = cut("markdown", "\n\n".join([paragraph] * 9))
    assert [piece.text.count("end.") for piece in pieces[:2]] == [3, 3]
    assert all(len(piece.text) <= 500 for piece in pieces)


def test_markdown_cuts_a_long_paragraph_after_sentences() -> None:
    text = "".join(f"Is this number {i}? It is! And so on. " for i in range(40))
    pieces = cut("markdown", text)
    assert all(piece.text[-1] in ".?!" for piece in pieces)
    assert all(len(piece.text) <= 500 for piece in pieces)


def test_markdown_overlap_begins_after_the_first_space_of_the_last_50_characters() -> None:
    pieces = cut("markdown", "\n\n".join(f"{'lorem ipsum ' * 20}end {i}." for i in range(6)))
    assert len(pieces) > 2
    for before, piece in pairwise(pieces):
        tail = before.text[-50:]
        assert piece.text[: piece.overlap] == tail[tail.index(" ") + 1 :]


def test_markdown_keeps_a_paragraph_without_sentence_end_whole_and_says_so() -> None:
    text = "no end " * 200
    [piece] = cut("markdown", text)
    assert piece.text == text.strip()
    assert "without a sentence end" in piece.note


def test_runs_of_newlines_count_as_one_break() -> None:
    [piece] = cut("markdown", "One." + "\n" * 900 + "Two.")
    assert piece.text == "One.\nTwo."
    assert len(piece.spans) == 2


def test_markdown_never_splits_a_character_from_its_accent() -> None:
    text = "e\u0301" * 40 + " " + "ü. " * 300
    for piece in cut("markdown", text, size=50, overlap=20):
        assert piece.text[0] != "\u0301"


def test_recursive_cuts_at_the_coarsest_separator_that_fits() -> None:
    line = "word " * 50
    text = f"# H\n\n{line}. {line}. {line}\n{line}"
    assert all(len(piece.text) <= 512 for piece in cut("recursive", text))
    assert {piece.heading_path for piece in cut("recursive", text)} == {("H",)}


def test_recursive_begins_anew_at_every_heading() -> None:
    pieces = cut("recursive", "# A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree")
    assert [piece.heading_path for piece in pieces] == [("A",), ("A", "B"), ("A", "C")]


def test_bounded_makes_a_piece_of_each_paragraph_with_its_heading() -> None:
    pieces = cut("bounded", "# A\n\n## B\n\none\ntwo\n\nthree")
    assert [piece.text for piece in pieces] == ["# A", "## B\n\none\ntwo", "three"]
    assert pieces[1].heading_path == ("A", "B")


def test_bounded_counts_bytes() -> None:
    pieces = cut("bounded", "水" * 2000 + "\n" + "火" * 4000, soft=4096, hard=8192)
    assert all(len(piece.text.encode()) <= 8192 for piece in pieces)
    assert pieces[0].text == "水" * 1020 or len(pieces[0].text.encode()) <= 8192
    assert "".join(piece.text for piece in pieces) == "水" * 2000 + "火" * 4000


def test_bounded_pieces_know_their_bytes() -> None:
    text = "# Öl\n\nÄpfel und 水.\n\n## Zwei\n\n- ein Punkt\n- noch einer\n\nEnde 🙂 hier.\n"
    pieces = cut("bounded", text, soft=64, hard=64)
    data = text.encode()
    assert len(pieces) > 2
    for piece in pieces:
        assert piece.byte_range is not None
        start, end = piece.byte_range
        assert data[start:end].decode() == text[piece.spans[0].char_start : piece.spans[-1].char_end]


def test_a_line_between_the_limits_stays_whole() -> None:
    lines = ["a" * 5000, "b" * 100]
    assert [piece.text for piece in cut("bounded", "\n".join(lines))] == lines


def test_an_unknown_way_or_option_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="expected one of: bounded, markdown, recursive, sentence-window, structure"):
        make_chunker("semantic", tokenizer=Characters())
    with pytest.raises(UsageError, match="options of markdown: size, overlap"):
        cut("markdown", "", tokens=5)
    with pytest.raises(UsageError, match="whole number"):
        make_chunker("markdown", tokenizer=Characters(), options={"size": "5"})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("markdown", {"size": 0}),
        ("recursive", {"overlap": 512}),
        ("bounded", {"soft": 9000}),
        ("structure", {"cap": 1}),
    ],
)
def test_impossible_options_are_refused(name: str, options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="needs"):
        cut(name, "", **options)


def test_a_limit_keeps_the_first_pieces_and_says_so() -> None:
    pieces = [Piece(i, "x", ()) for i in range(5)]
    assert limit_pieces(pieces, None) == (pieces, False)
    assert limit_pieces(pieces, 5) == (pieces, False)
    assert limit_pieces(pieces, 2) == (pieces[:2], True)


@pytest.mark.parametrize("name", ["markdown", "recursive", "bounded", "structure", "sentence-window"])
@pytest.mark.parametrize("path", ["t.md", "t.csv"])
def test_rows_of_a_table_stay_whole_and_keep_their_places(name: str, path: str) -> None:
    rows = [f"| C{n} | {n * 7} |" if path == "t.md" else f"C{n},{n * 7}" for n in range(1, 121)]
    head = "| name | amount |\n|---|---|\n" if path == "t.md" else "name,amount\n"
    found = extract((head + "\n".join(rows) + "\n").encode(), path=path)
    pieces = make_chunker(name, tokenizer=Characters(), options={}).cut(found)
    assert {line for piece in pieces for line in piece.text.splitlines()} >= set(rows)
    for piece in pieces:
        numbers = [rows.index(line) + 2 for line in piece.text.splitlines() if line in rows]
        assert len(numbers) + 2 >= len(piece.text.splitlines())  # nothing else but the header
        told = [span.rows for span in piece.spans if span.rows]
        if numbers and numbers[0] > 2:
            assert (min(a for a, _ in told), max(b for _, b in told)) == (numbers[0], numbers[-1])


def test_a_sentence_over_the_cap_is_cut_into_pieces_that_fill_it() -> None:
    words = ", ".join(f"word{n}" for n in range(200))
    pieces = cut("sentence-window", f"Short one. {words}.\n\nAnother sentence.", cap=100)
    assert pieces[0].text == "Short one."
    assert pieces[-1].text == "Another sentence."
    long = pieces[1:-1]
    assert all(60 < piece.tokens <= 100 for piece in long[:-1])
    assert " ".join(piece.text for piece in long) == f"{words}."
