"""A sentence is held against the facts of its passage: each clause with what it takes over from the one before."""

import pytest

from ragstone.answering.verification.facts import FactualText, list_gaps
from ragstone.answering.verification.support import check_sentence
from ragstone.core.comparable_words import parse_words
from ragstone.core.types import Chunk, Document, Span

LIFT = "The lift must carry at least eight people, and its cabin may weigh no more than 900 kilograms."
COPY = "You may copy the report, but you may not sell it. Staff may do both."
CATS = "Cats are not allowed in the hall but are allowed in the garden."
JOURNEY = "The journey takes 90 minutes by train and two hours by bus."
RIVERS = "The Rhine rises in Switzerland and flows into the North Sea. The Danube flows into the Black Sea."
RESTART = "The service restarts every night unless the patch is hot."
ENTRY = "Tickets cost 12 euros for adults and 7 euros for children."
PROJECTS = "Only administrators may delete projects; users may archive them."
MUSEUM = "The museum opens every day except Monday and closes at 6 p.m."


def as_chunk(record: str) -> Chunk:
    """A record as a chunk."""
    return Chunk("c", Document("d", "s", "a.md", 1, "", ""), 0, record, (Span(0, len(record), 1, 1),))


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (ENTRY, "Children pay 7 euros."),
        (PROJECTS, "Users may archive projects."),
        (RESTART, "If the patch is not hot, the service restarts every night."),
        (LIFT, "The lift has to carry eight people or more."),
        (LIFT, "Its cabin may weigh 900 kilograms at most."),
        (COPY, "You may copy the report."),
        (MUSEUM, "The museum opens every day except Monday."),
        (JOURNEY, "By train the journey takes 1.5 hours."),
        (JOURNEY, "By bus it takes 120 minutes."),
        (CATS, "Cats are allowed in the garden."),
        (CATS, "Cats are not allowed in the hall."),
        (RIVERS, "The Rhine flows into the North Sea."),
        (RIVERS, "The Danube flows into the Black Sea."),
    ],
)
def test_a_fact_is_verified_in_other_words(record: str, sentence: str) -> None:
    assert check_sentence(sentence, [as_chunk(record)], []).status == "verified"


PARKING = (
    "Parking is free for guests of the hotel and 2 euros an hour for everyone else. The barrier closes at 23:00 on "
    "weekdays and at 01:00 on weekends."
)
VASE = "The museum bought the vase from a dealer in 1958 and received the bowl as a gift in 1971."
LOANS = "Members with a silver card may borrow up to 5 books, and those with a gold card up to 12."


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (PARKING, "Hotel guests do not have to pay for parking."),  # a denial that the record does not have
        (PARKING, "At weekends the barrier shuts at 01:00."),  # two figures that seem exchanged
        (VASE, "In 1971 the bowl was given to the museum."),
        (LOANS, "With a gold card, members can borrow as many as 12 books."),
    ],
)
def test_what_only_a_rule_speaks_against_is_verified(record: str, sentence: str) -> None:
    assert check_sentence(sentence, [as_chunk(record)], []).status == "verified"


@pytest.mark.parametrize(
    ("record", "sentence", "why"),
    [
        (ENTRY, "Children pay 12 euros.", "swapped"),
        (PROJECTS, "Administrators and users may delete projects.", "swapped"),
        (PROJECTS, "Users may delete projects.", "swapped"),
        (RESTART, "The service restarts every night even when the patch is hot.", "condition"),
        (RESTART, "The service restarts every night if the patch is hot.", "condition"),
        (LIFT, "The lift must carry at most eight people.", "opposite"),
        (LIFT, "Its cabin may weigh at least 900 kilograms.", "bound"),
        (COPY, "You may sell the report.", "negation"),
        (COPY, "You may not copy the report.", "negation"),
        (MUSEUM, "The museum opens every day including Monday.", "condition"),
        (JOURNEY, "The journey by train takes 90 hours.", "unit"),
        (JOURNEY, "The journey takes 90 minutes by bus.", "swapped"),
        (CATS, "Cats are allowed in the hall.", "negation"),
        (CATS, "Cats are not allowed in the garden.", "negation"),
        (RIVERS, "The Rhine flows into the Black Sea.", "name"),
        (RIVERS, "The Danube rises in Switzerland.", "name"),
    ],
)
def test_a_mix_of_two_facts_is_unverified_and_says_why(record: str, sentence: str, why: str) -> None:
    found = check_sentence(sentence, [as_chunk(record)], [])
    assert (found.status, found.why) == ("unverified", why)


def test_what_its_chunk_does_not_say_is_not_found_though_it_shares_words() -> None:
    passage = as_chunk(
        "The canal lock was rebuilt in stone after the flood. Barges wait at the basin until the keeper opens it."
    )
    sentence = "The keeper of the canal collects a toll from each barge that carries stone."
    assert check_sentence(sentence, [passage], []).status == "unverified"


def test_a_clause_takes_over_what_it_has_no_word_for() -> None:
    text = "Entry costs 12 euros for residents and 7 for students; lockers are free."
    words = parse_words(text)
    facts = FactualText.read(words, [0] * len(words), list_gaps(text, words)).facts
    assert [[words[i].lower for i in fact.own] for fact in facts] == [
        ["entry", "costs", "12", "euros", "for", "residents"],
        ["7", "for", "students"],
        ["lockers", "are", "free"],
    ]
    assert {"entry", "costs"} <= {words[i].lower for i in facts[1].carried}
    assert not {"12", "residents"} & {words[i].lower for i in facts[1].carried}
    assert not facts[2].carried
