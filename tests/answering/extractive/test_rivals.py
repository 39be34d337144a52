"""Sentences that contradict each other, and those that only look so."""

import pytest

from ragstone.answering.extractive.rivals import find_contradiction

CONTRADICTIONS = [
    ("Employees give notice 15 days before they leave.", "Employees give notice 30 days before they leave.", "15 days"),
    ("Invoices are paid within 15 days of receipt.", "Invoices are paid within 15 weeks of receipt.", "15 days"),
    ("The contract ends on 1 May 2024.", "The contract ends on 1 June 2024.", "1 May 2024"),
    ("Requests for leave go to Alice.", "Requests for leave go to Robert.", "Alice"),
    ("Visitors may enter the laboratory.", "Visitors may not enter the laboratory.", "no denial"),
    ("The backup of the database is enabled.", "The backup of the database is disabled.", "enabled"),
    ("Die Frist zur Kündigung beträgt 15 Tage.", "Die Frist zur Kündigung beträgt 30 Tage.", "15"),
]
NO_CONTRADICTIONS = [
    ("The notice period is 15 days.", "The notice period is fifteen days."),
    ("Sales in 2023 were 5 million euros.", "Sales in 2024 were 6 million euros."),
    ("The fee for Paris is 12 euros.", "The fee for Berlin is 10 euros."),
    ("Adults pay 15 euros for a ticket.", "A bus leaves every 10 minutes."),
    ("The limit is 15 users in Berlin.", "The limit is 30 users."),
    ("Alice approves the invoices of Berlin.", "Robert approves the invoices of Paris."),
    ("Visitors may enter the laboratory.", "Visitors may enter the laboratory at any time."),
]


@pytest.mark.parametrize(("one", "other", "said"), CONTRADICTIONS)
def test_contradictions_are_seen_in_both_directions(one: str, other: str, said: str) -> None:
    found, turned = find_contradiction(one, other), find_contradiction(other, one)
    assert found is not None
    assert found[0] == said
    assert turned == found[::-1]


@pytest.mark.parametrize(("one", "other"), NO_CONTRADICTIONS)
def test_sentences_about_other_things_do_not_contradict(one: str, other: str) -> None:
    assert find_contradiction(one, other) is None
    assert find_contradiction(other, one) is None
