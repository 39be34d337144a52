"""Whatever the document: nothing lost, nothing twice, nothing too long."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.chunking import Characters, make_chunker
from ragstone.core.types import join_slices
from ragstone.testing.chunkers import find_uncovered, outline_document

# No letter that is a Roman digit: lines of those alone are page numbers, and left out on purpose.
WORD = st.text("abd .!?:é\u0301水👍🏽_-`", min_size=1, max_size=40)
LINES = st.lists(WORD, min_size=1, max_size=12)
BLOCK = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), st.text("wyz", min_size=1, max_size=8)),
    LINES.map("\n".join),
    LINES.map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    LINES.map(lambda lines: "| h |\n|---|\n" + "\n".join(f"| {line} |" for line in lines)),
    LINES.map(lambda lines: "```\n" + "\n\n".join(lines) + "\n```"),
    st.just("<!-- left out -->"),
    st.integers(1, 400).map(lambda n: "w" * n),
)
TEXT = st.builds(
    lambda blocks, gap: gap.join(blocks), st.lists(BLOCK, max_size=15), st.sampled_from(["\n\n", "\n\n\n\n"])
)
WAYS = [
    ("structure", {"tokens": 20, "cap": 30}),
    ("structure", {"tokens": 40, "cap": 40, "overlap": 10}),
    ("structure", {"tokens": 2, "cap": 3}),
    ("markdown", {"size": 60, "overlap": 20}),
    ("recursive", {"size": 60, "overlap": 20}),
    ("recursive", {"size": 3, "overlap": 1}),
    ("bounded", {"soft": 64, "hard": 80}),
]


@pytest.mark.parametrize(("name", "options"), WAYS)
@settings(max_examples=60, deadline=None)
@given(text=TEXT)
def test_every_body_character_comes_once_in_slices_of_the_record(name: str, options: dict[str, int], text: str) -> None:
    extraction = outline_document(text)
    pieces = make_chunker(name, tokenizer=Characters(), options=options).cut(extraction)
    assert find_uncovered(extraction, pieces) == ""
    assert [piece.text for piece in pieces] == [join_slices(text, piece.spans) for piece in pieces]
    assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))
    assert [piece.tokens for piece in pieces] == Characters().count([piece.text for piece in pieces])


@pytest.mark.parametrize(("name", "options"), WAYS)
@settings(max_examples=40, deadline=None)
@given(text=TEXT)
def test_only_what_says_so_is_over_the_cap(name: str, options: dict[str, int], text: str) -> None:
    for piece in make_chunker(name, tokenizer=Characters(), options=options).cut(outline_document(text)):
        size = {"structure": piece.tokens, "bounded": len(piece.text.encode())}.get(name, len(piece.text))
        cap = options.get("cap", options.get("hard", options.get("size", 0)))
        assert size <= cap or piece.note
        assert piece.overlap < len(piece.text)
