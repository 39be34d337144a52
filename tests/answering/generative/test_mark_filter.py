"""No piece of the prompt's mark passes, however the text is cut into pieces, and all other text does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.answering.generative.mark_filter import MarkFilter

MARK = "5ef20ef6"


def passed(pieces: list[str], mark: str = MARK) -> str:
    marks = MarkFilter(mark)
    return "".join([*map(marks.feed, pieces), marks.end()])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Kept. <<5ef20ef6", "Kept. "),
        ("<<5ef20ef6\nKept.\n5ef20ef6>>\nMore.", "Kept.\nMore."),
        ("[1] 5ef20ef6 and <<5ef20ef6>> so", "[1]  and  so"),
        ("Cut short: <<5ef20", "Cut short: "),
        ("Cut short: <<5ef2 or not", "Cut short:  or not"),
        ("1 << 5 and <<5e and 5ef2 stay", "1 << 5 and <<5e and 5ef2 stay"),
        ("a << b <", "a << b <"),
    ],
)
def test_a_copied_mark_is_left_out_of_any_pieces(text: str, shown: str) -> None:
    assert passed([text]) == passed(list(text)) == shown
    for at in range(len(text)):
        assert passed([text[:at], text[at:]]) == shown


@given(st.lists(st.text(alphabet="<>5ef206 \n", max_size=12), max_size=12))
def test_a_stream_gives_the_same_as_its_whole_text(pieces: list[str]) -> None:
    shown = passed(pieces)
    assert shown == passed(["".join(pieces)])
    assert MARK in "".join(pieces) or "<<5ef2" in "".join(pieces) or shown == "".join(pieces)


def test_a_prompt_without_a_mark_changes_nothing() -> None:
    assert passed(["<<", "5ef20ef6>>"], "") == "<<5ef20ef6>>"
