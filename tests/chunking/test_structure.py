"""What the default way to cut does with sections, lists, code and tables."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ragstone.chunking import make_chunker
from ragstone.chunking.structure import StructureChunker, StructureOptions
from ragstone.core.errors import UsageError
from ragstone.core.types import Block, Cell, Extraction, Piece, Span
from ragstone.testing.chunkers import outline_document


class Words:
    """One token a word, as a WordPiece without pieces."""

    name = "words"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def cut(text: str, **sizes: int) -> list[Piece]:
    return make_chunker("structure", tokenizer=Words(), options=sizes).cut(outline_document(text))


def words(n: int, word: str = "word") -> str:
    return " ".join(f"{word}{i}" for i in range(n))


def test_a_small_document_is_one_piece_under_its_title() -> None:
    [piece] = cut("# Title\n\nA line.\n\nAnother line.")
    assert piece.heading_path == ("Title",)
    assert piece.text == "# Title\n\nA line.\n\nAnother line."
    assert (piece.kind, piece.tokens, piece.note) == ("text", 6, "")


@pytest.mark.parametrize(("above", "path"), [(2, ("Title",)), (12, ())])
def test_a_few_words_above_the_first_heading_leave_the_piece_its_path(above: int, path: tuple[str, ...]) -> None:
    [piece] = cut(f"{words(above)}\n\n# Title\n\n{words(8)}")
    assert piece.heading_path == path


def test_sections_of_some_size_stay_apart_and_begin_with_their_heading() -> None:
    pieces = cut(f"# Book\n\n## One\n\n{words(50)}\n\n## Two\n\n{words(50)}", tokens=80, cap=120)
    assert [piece.heading_path for piece in pieces] == [("Book", "One"), ("Book", "Two")]
    assert pieces[1].text.startswith("## Two")


def test_tiny_siblings_become_one_piece_under_their_parent() -> None:
    text = "# Book\n\n## Terms\n\n" + words(60) + "".join(f"\n\n### T{i}\n\n{words(6)}" for i in range(4))
    pieces = cut(text, tokens=60, cap=90)
    assert pieces[-1].heading_path == ("Book", "Terms")
    assert "### T0" in pieces[-1].text
    assert "### T3" in pieces[-1].text


def test_the_end_of_one_chapter_never_runs_into_the_next() -> None:
    text = f"# A\n\n## A1\n\n{words(70)}\n\n## A2\n\n{words(5)}\n\n# B\n\n{words(5)}"
    pieces = cut(text, tokens=60, cap=80)
    assert not any("## A" in piece.text and "# B" in piece.text for piece in pieces)


def test_a_heading_stays_with_what_follows() -> None:
    text = "\n\n".join(f"## H{i}\n\n{words(55)}" for i in range(4))
    for piece in cut(text, tokens=56, cap=60):
        assert piece.text.startswith("## H")
        assert piece.tokens == 57


def test_a_long_paragraph_is_cut_evenly_between_sentences() -> None:
    text = " ".join(f"This is sentence number {i}." for i in range(30))
    pieces = cut(text, tokens=100, cap=100)
    assert [piece.tokens for piece in pieces] == [75, 75]
    assert all(piece.text.endswith(".") for piece in pieces)


def test_words_are_only_cut_apart_where_nothing_else_fits() -> None:
    pieces = cut(words(500), tokens=40, cap=50)
    assert max(piece.tokens for piece in pieces) <= 50
    assert " ".join(piece.text for piece in pieces) == words(500)


def test_a_code_block_stays_whole_up_to_the_cap() -> None:
    code = "```\n" + "\n\n".join(f"call {i}" for i in range(20)) + "\n```"
    pieces = cut(f"{words(30)}\n\n{code}\n\n{words(30)}", tokens=40, cap=60)
    assert code in [piece.text for piece in pieces]


def test_longer_code_is_cut_at_blank_lines() -> None:
    code = "```\n" + "\n\n".join(f"def f{i}\n    return {i}" for i in range(30)) + "\n```"
    pieces = cut(code, tokens=40, cap=50)
    assert {piece.kind for piece in pieces} == {"code"}
    assert all(piece.text.startswith(("```", "def")) for piece in pieces)


def test_code_keeps_the_indentation_of_its_first_line() -> None:
    code = "```\nclass A\n" + "\n\n".join(f"    def f{i}\n        return {i}" for i in range(30)) + "\n```"
    assert all(piece.text.startswith(("```", "    def")) for piece in cut(code, tokens=40, cap=50))


def test_a_list_is_cut_between_items() -> None:
    text = "\n".join(f"- item {i} {words(8)}" for i in range(12))
    pieces = cut(text, tokens=40, cap=50)
    assert len(pieces) > 1
    assert all(piece.text.startswith("- item") and piece.kind == "list" for piece in pieces)


def test_what_ends_in_a_colon_stays_with_its_list() -> None:
    text = f"{words(30)}\n\nThe tools are:\n\n- spade {words(15)}\n- fork {words(15)}"
    [first, second] = cut(text, tokens=40, cap=50)
    assert second.text.startswith("The tools are:")
    assert first.text == words(30)


TABLE = "| name | size |\n|---|---|\n"


def test_a_table_is_cut_between_rows_and_repeats_its_header() -> None:
    rows = [f"| tool{i} | {i} |" for i in range(200)]
    pieces = cut(TABLE + "\n".join(rows), tokens=300, cap=300)
    assert pieces[0].text.startswith("| name | size |")
    assert pieces[0].header == ""
    assert {piece.header for piece in pieces[1:]} == {"| name | size |"}
    assert [line for piece in pieces for line in piece.text.split("\n")][2:] == rows


def test_a_group_has_25_to_50_rows_where_they_are_short() -> None:
    rows = "\n".join(f"|tool{i}|" for i in range(1000))
    pieces = cut("|name|\n|---|\n" + rows, tokens=450, cap=800)
    assert all(25 <= piece.text.count("\n") + 1 <= 50 for piece in pieces)


def test_a_row_over_the_cap_stays_whole_with_a_note() -> None:
    long = f"| {words(90)} |"
    pieces = cut(f"| name |\n|---|\n| a |\n{long}\n| b |", tokens=40, cap=50)
    [whole] = [piece for piece in pieces if piece.note]
    assert whole.text == long
    assert "92 tokens are over the cap of 50" in whole.note


def test_the_rule_below_a_wide_header_is_left_out() -> None:
    wide = f"| name |   {' ' * 90} size |\n|---|{'-' * 90}|\n"
    pieces = cut(wide + "\n".join(f"| tool{i} | {i} |" for i in range(100)), tokens=100, cap=100)
    assert not any("---" in piece.text for piece in pieces)
    assert pieces[0].text.split("\n")[1] == "| tool0 | 0 |"
    assert len(pieces[0].spans) == 2
    assert pieces[1].header == "| name | size |"


def test_a_header_that_would_fill_the_piece_is_not_repeated() -> None:
    text = f"| {words(40)} |\n|---|\n" + "\n".join(f"| {words(10)} |" for _ in range(10))
    later = cut(text, tokens=50, cap=50)[1:]
    assert {piece.header for piece in later} == {""}
    assert all("too long to repeat" in piece.note for piece in later)


def test_rows_come_from_cells_where_these_have_places() -> None:
    record = "".join(f"<tr>\n<td>{'a b c d ' * 5}{i}</td>\n</tr>\n" for i in range(10))
    starts = [record.index("<td>", record.index(f"{i}</td>") - 45) + 4 for i in range(10)]
    cells = tuple(
        Cell(i, 0, "a b  c d" if i else "the\nhead", header=i == 0, char_start=at, char_end=at + 41)
        for i, at in enumerate(starts)
    )
    block = Block("table", "", (Span(0, len(record), 1, 30, sheet="S", rows=(5, 14), cols=(1, 1)),), cells=cells)
    pieces = make_chunker("structure", tokenizer=Words(), options={"tokens": 60, "cap": 70}).cut(
        Extraction(record, (block,), "text/html")
    )
    assert pieces[0].spans[0].rows is not None
    assert pieces[0].spans[0].rows[0] == 5
    assert pieces[-1].spans[-1].rows is not None
    assert pieces[-1].spans[-1].rows[1] == 14
    assert {piece.header for piece in pieces[1:]} == {"| the head |"}


def test_excluded_text_between_blocks_makes_two_spans() -> None:
    [piece] = cut("One.\n\n<!-- hidden -->\n\nTwo.")
    assert piece.text == "One.\nTwo."
    assert [(s.char_start, s.char_end, s.line_start) for s in piece.spans] == [(0, 4, 1), (23, 27, 5)]


def test_pages_make_spans_of_their_own_with_their_boxes() -> None:
    record = "One.\n\nTwo.\n\nThree."
    blocks = (
        Block("paragraph", "One.", (Span(0, 4, 1, 1, page=1, bbox=(10, 10, 50, 20)),)),
        Block("paragraph", "Two.", (Span(6, 10, 3, 3, page=1, bbox=(20, 30, 80, 40)),)),
        Block("paragraph", "Three.", (Span(12, 18, 5, 5, page=2, bbox=(1, 1, 2, 2)),)),
    )
    [piece] = make_chunker("structure", tokenizer=Words()).cut(Extraction(record, blocks, "application/pdf"))
    assert [(s.page, s.bbox) for s in piece.spans] == [(1, (10, 10, 80, 40)), (2, (1, 1, 2, 2))]
    assert piece.text == "One.\n\nTwo.\nThree."


def test_blocks_out_of_order_or_over_each_other_are_cut_once() -> None:
    record = "- a\n  code\n- b"
    outer = Block("list", record, (Span(0, 14, 1, 3),))
    inner = Block("code", "code", (Span(6, 10, 2, 2),))
    chunker = make_chunker("structure", tokenizer=Words())
    assert [p.text for p in chunker.cut(Extraction(record, (inner, outer), ""))] == [record]


def test_overlap_repeats_whole_sentences_within_a_section() -> None:
    text = " ".join(f"This is sentence number {i}." for i in range(30))
    pieces = cut(text, tokens=50, cap=60, overlap=12)
    assert all(piece.overlap > 0 and piece.text.startswith("This is") for piece in pieces[1:])
    assert all(piece.tokens <= 60 for piece in pieces)


def test_sizes_follow_what_the_embedder_reads() -> None:
    short = StructureChunker(StructureOptions(), Words(), reads=254)
    assert (short.target, short.cap) == (206, 206)
    long = StructureChunker(StructureOptions(), Words(), reads=8192)
    assert (long.target, long.cap) == (450, 800)
    assert StructureChunker(StructureOptions(), Words(), reads=40).cap == 20


def test_the_recipe_changes_with_every_option() -> None:
    recipes = {
        StructureChunker(cutting, Words(), reads=reads).recipe
        for cutting in (
            StructureOptions(),
            *(replace(StructureOptions(), **{name: 7}) for name in ("overlap", "prefix", "tokens")),
        )
        for reads in (None, 254)
    }
    assert len(recipes) == 8


@pytest.mark.parametrize("sizes", [{"tokens": 0}, {"tokens": 900}, {"overlap": 450}, {"overlap": -1}, {"prefix": -1}])
def test_impossible_sizes_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="chunking needs"):
        StructureOptions(**sizes)
