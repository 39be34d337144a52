"""A follow-up without a language model is answered for its own words, about what was talked of before."""

from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.answering.extractive.last_turn import analyze_turn, find_last_turn
from ragstone.answering.extractive.question_analysis import analyze_question

LEAVE = (
    "# Leave\n\nFull-time employees get 27 days of annual leave every year.\n\n"
    "Holidays are entered in the planner.\n\nUp to 5 days may be carried over.\n"
)
FIRST = "How many days of annual leave do employees get?"


@pytest.fixture
def leave(opened: Callable[..., ragstone.Knowledge], tmp_path: Path) -> ragstone.Knowledge:
    folder = tmp_path / "firms"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE)
    (folder / "ACME.md").write_text("# ACME\n\nThe notice period is four weeks for all of the staff.\n")
    (folder / "Globex.md").write_text("# Globex\n\nThe notice period is six weeks for all of the staff.\n")
    for quarter, income in (("Q1", "Net income was 1"), ("Q2", "Operating income was 2")):
        (folder / f"2023 {quarter}.md").write_text(
            f"Report\n\nRevenue was {income[-1]}0 million.\n\n{income} million.\n"
        )
    kb = opened("turns")
    kb.ingest(folder)
    return kb


def ask(kb: ragstone.Knowledge, *turns: str) -> str:
    *before, last = turns
    return kb.ask(last, history=[{"role": "user", "content": text} for text in before]).text


def test_a_follow_up_is_answered_for_its_own_words(leave: ragstone.Knowledge) -> None:
    assert "27 days" in ask(leave, FIRST)
    said = ask(leave, FIRST, "And how many of them may be carried over?")
    assert "5 days" in said
    assert "27 days" not in said


def test_a_follow_up_keeps_the_state_that_the_turn_before_named(leave: ragstone.Knowledge) -> None:
    assert "2 million" not in ask(leave, "What was the revenue in 2023 Q1?", "And its operating income?")
    assert "2 million" in ask(leave, "What was the revenue in 2023 Q2?", "And its operating income?")


def test_a_follow_up_that_names_another_document_is_answered_from_it(leave: ragstone.Knowledge) -> None:
    assert "six weeks" in ask(leave, "What is the notice period of ACME?", "And that of Globex?")


@pytest.mark.parametrize(
    ("before", "asked", "names"),
    [
        ("How are samples kept?", "And for how long?", False),
        ("How are samples kept?", "And the blocks?", True),
        ("Wie werden die Blöcke gespeichert?", "Und wie lange?", False),
        ("Wie werden die Blöcke gespeichert?", "Und die Proben?", True),
    ],
)
def test_a_turn_that_names_nothing_is_read_with_those_before_it(before: str, asked: str, names: bool) -> None:
    assert find_last_turn(f"{before} {asked}", asked) == (asked if names else "")


def test_a_turn_in_another_language_is_read_in_that() -> None:
    asked = "Und die Fristen?"
    whole = analyze_question(f"Wie werden die Blöcke gespeichert? {asked}", {}, "german")
    assert analyze_turn(asked, whole, {}, "german").weights == {"blöcke": 0.75, "gespeichert": 0.5, "fristen": 1.5}


def test_the_kind_of_answer_is_that_of_the_last_turn() -> None:
    whole = analyze_question("How many samples are kept? Who decided that?", {})
    turn = analyze_turn("Who decided that?", whole, {})
    assert (whole.kind, turn.kind) == ("how_many", "who")
    assert turn.weights["decid"] == 2 * turn.weights["sampl"]
