"""Where a question and a passage with the same words part."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.verification.question_mismatch import (
    extract_numbers,
    find_extremes,
    find_opposed_words,
    has_other_number,
    has_unmatched_denial,
    holds_term,
)
from ragstone.core.contrary_words import OPPOSITES
from tests.speed import within


@pytest.mark.parametrize(
    ("question", "passage", "found"),
    [
        ("How do I disable the cache?", "Set `cache: on` to enable the cache.", ["disable"]),
        ("How do I enable the cache?", "Set `cache: on` to enable the cache.", []),
        ("How do I enable or disable it?", "Enable it.", []),
        ("What happens before a reload?", "Rules run after a reload.", ["before"]),
        ("What is an unsupported version?", "A supported version gets fixes.", ["unsupported"]),
        ("What is a supported version?", "An unsupported version gets none.", ["supported"]),
        ("Is it fast?", "It is quick.", []),
    ],
)
def test_the_opposite_of_a_word_is_seen(question: str, passage: str, found: list[str]) -> None:
    assert find_opposed_words(question, passage) == found


def test_opposites_hold_both_ways() -> None:
    assert all(word in OPPOSITES[other] for word, others in OPPOSITES.items() for other in others)


@pytest.mark.parametrize(
    ("question", "passage", "apart"),
    [
        ("Who did not sign the treaty?", "Rollo signed the treaty.", True),
        ("Who didn't sign the treaty?", "Rollo signed the treaty.", True),
        ("Who did not sign the treaty?", "Harald never signed it.", False),
        ("How can I reload it without a restart?", "Send SIGHUP.", False),
        ("Why does it not show local times?", "It shows UTC everywhere.", False),
        ("Who signed the treaty?", "Rollo signed the treaty.", False),
    ],
)
def test_a_question_for_who_did_not_wants_a_denial(question: str, passage: str, apart: bool) -> None:
    assert has_unmatched_denial(question, passage) is apart


def test_another_number_needs_one_on_both_sides() -> None:
    assert has_other_number("Who led it in 1917?", "Bowman led it in 1914.")
    assert not has_other_number("Who led it in 1917?", "Bowman led it.")
    assert not has_other_number("Who led it in 1917?", "Bowman led it from 1914 to 1917.")
    assert extract_numbers("1,024 bytes and v1.5.") == {"1024", "1.5"}


def test_an_extreme_that_the_passage_lacks_is_named() -> None:
    assert find_extremes("What was the first and largest engine in the west?", "The largest engine.") == ["first"]


def test_words_with_the_same_beginning_are_the_same() -> None:
    assert holds_term("settl", frozenset({"settlement"}))
    assert holds_term("prometheus", frozenset({"prometheus"}))
    assert not holds_term("set", frozenset({"settlement"}))
    assert not holds_term("interest", frozenset({"internal"}))


@given(st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_no_text_parts_from_itself(text: str) -> None:
    assert find_opposed_words(text, text) == []
    assert not has_unmatched_denial(text, text)
    assert not has_other_number(text, text)
    assert find_extremes(text, text) == []


def test_long_hostile_texts_take_linear_time() -> None:
    text = "what " + "not" * 3000 + " who" * 3000 + " un" * 3000 + "1," * 3000

    def work() -> None:
        has_unmatched_denial(text, "x" * 10_000)
        find_opposed_words(text, text)
        has_other_number(text, text[::-1])

    within(2, work)


@pytest.mark.parametrize("word", ["imports", "default", "instance", "included", "designed", "information", "describes"])
def test_a_word_that_only_begins_like_a_denial_has_no_opposite(word: str) -> None:
    rest = word[2:]
    assert find_opposed_words(f"Which {word} are kept?", f"The {rest} are kept.") == []


@pytest.mark.parametrize(("one", "other"), [("connected", "disconnected"), ("formal", "informal"), ("safe", "unsafe")])
def test_a_word_that_a_prefix_denies_is_an_opposite(one: str, other: str) -> None:
    assert find_opposed_words(f"Which {one} hosts are there?", f"The {other} hosts are there.") != []
    assert find_opposed_words(f"Which {other} hosts are there?", f"The {one} hosts are there.") != []


def test_a_word_in_est_that_is_no_superlative_is_no_extreme() -> None:
    question = "Does the latest honest request suggest how a manifest and its ingest contest the biggest host?"
    assert find_extremes(question, "Nothing.") == ["biggest"]
