"""A question laid beside a passage: what it lacks, and what stands in the place of what it lacks."""

import pytest

from ragstone.answering.abstention.replaced_words import WordComparison, compare_words, find_asked_phrase, split_words


def laid(question: str, passage: str, *above: str) -> WordComparison:
    return compare_words(question, passage, {}, above=frozenset(above))


def test_a_passage_that_says_it_all_lacks_nothing() -> None:
    assert laid("Which river crosses the city?", "The Seine crosses the city.") == WordComparison()


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What type of climate was necessary?", "What type of climate"),
        ("Which American show changed the views?", "Which American show"),
        ("How many exporters are there?", "How many"),
        ("Who wrote it?", "Who"),
        ("Name the river.", ""),
    ],
)
def test_what_is_asked_for_ends_at_the_verb(question: str, phrase: str) -> None:
    found = split_words(question)
    assert " ".join(found[i].text for i in sorted(find_asked_phrase(found))) == phrase


def test_the_kind_of_thing_asked_for_need_not_be_said() -> None:
    assert laid("Which law states that bodies attract?", "Newton states that bodies attract.").unsaid == 0


def test_a_heading_says_what_the_passage_need_not() -> None:
    question, passage = "Where does the Node exporter listen?", "The exporter listens on port 9100."
    assert laid(question, passage).unsaid > 0
    assert laid(question, passage, "node").unsaid == 0


def test_another_word_in_the_same_place_is_seen() -> None:
    question = "How was Tymnet connected to dozens of private networks?"
    swapped = laid(question, "Tymnet was connected to dozens of public networks.")
    assert swapped.replaced == 3
    assert swapped.replaced_weight > 0
    assert laid(question, "Tymnet was connected to dozens of networks, private ones.").replaced == 0


def test_a_number_in_the_place_of_a_number_is_told_apart() -> None:
    assert laid("Who led the society in 1917?", "Bowman led the society in 1914.").replaced_number == 1
    assert laid("Who saw five service centres?", "He saw four service centres.").replaced_number == 1
    assert laid("Who led the old society?", "Bowman led the new society.").replaced_number == 0
