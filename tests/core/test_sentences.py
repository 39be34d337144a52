"""Where sentences begin and end."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.sentences import split_sentences
from tests.speed import within


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See Fig. 2, e.g. the left one. Done.", ["See Fig. 2, e.g. the left one.", "Done."]),
        ("Version 1.2.3 is out. Use it.", ["Version 1.2.3 is out.", "Use it."]),
        ("J. R. Smith wrote it. He won.", ["J. R. Smith wrote it.", "He won."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Really?! Yes... No.", ["Really?!", "Yes...", "No."]),
        ("1. first\n2. second", ["1. first", "2. second"]),
        ("A line\nwraps here. Next", ["A line\nwraps here.", "Next"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("天気がいい。行こう！", ["天気がいい。", "行こう！"]),
        ("| a |\n| b |", ["| a |", "| b |"]),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@settings(max_examples=100, deadline=None)
@given(st.text("aB1 .!?\n-|#'\")。e", max_size=200))
def test_they_are_trimmed_in_order_and_leave_only_white_space_out(text: str) -> None:
    found = split_sentences(text)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in found)
    assert all(left[1] <= right[0] for left, right in pairwise(found))
    assert "".join(cut(text)).replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")


@pytest.mark.parametrize("text", ["." * 200_000 + "x", ".'" * 100_000, "\n" + " " * 200_000 + "x", "| " * 100_000])
def test_hostile_runs_take_time_in_step_with_their_length(text: str) -> None:
    within(5, lambda: split_sentences(text))
