"""A question in the text is an answer only with the reply below it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.selection import rank_passages, select_passages
from ragstone.core.types import Hit
from tests.answering.made import hit

QUESTION = "Which fuse does the inverter need?"
ASKED = "Which fuse does my inverter of 2000 W need?"
ABOVE = "It hums."
REPLY = "Take one of 250 A, within 20 cm of the battery."


def answer(*hits: Hit) -> list[str]:
    subject = analyze_question(QUESTION, {})
    return [one.passage.text for one in select_passages(subject, rank_passages(subject, hits))]


def test_a_question_that_nobody_replies_to_is_no_answer() -> None:
    assert answer(hit(f"The inverter hums.\n\n{ASKED}")) == ["The inverter hums."]


def test_a_question_is_quoted_with_its_reply() -> None:
    assert answer(hit(f"{ABOVE}\n\n{ASKED}\n\n{REPLY} Buy two.")) == [f"{ASKED}\n\n{REPLY}"]


def test_names_and_dates_may_stand_between_them() -> None:
    assert answer(hit(f"{ABOVE}\n\n{ASKED}\n\nReply\n\njoe, 2 hours ago\n\n{REPLY}")) == [
        f"{ASKED}\n\nReply\n\njoe, 2 hours ago\n\n{REPLY}"
    ]


def test_a_short_reply_takes_the_next_sentence_along() -> None:
    assert answer(hit(f"{ABOVE}\n\n{ASKED}\n\nA: None. {REPLY} Buy two.")) == [f"{ASKED}\n\nA: None. {REPLY}"]


def test_the_reply_to_another_question_is_none() -> None:
    assert answer(hit(f"{ABOVE}\n\n{ASKED}\n\nHow long is the cable?\n\nThe cable is three meters long.")) == []


def test_a_list_of_questions_may_be_what_is_wanted() -> None:
    [text] = answer(hit("- Which fuse does the inverter need?\n- How long is its cable?"))
    assert "Which fuse" in text


@pytest.mark.parametrize(
    "text",
    [
        "Did you know that the inverter needs a fuse of 250 A?",
        'Of 400 owners of an inverter we asked: "Which fuse do you use?"',
    ],
)
def test_a_fact_with_a_question_mark_is_quoted_alone(text: str) -> None:
    assert answer(hit(f"{ABOVE}\n\n{text}")) == [text]


@pytest.mark.parametrize(("mark", "quoted"), [("", ["The inverter hums."]), ("> ", [f"> {ASKED}\n{REPLY}"])])
def test_a_mail_does_not_reply_to_its_own_question(mark: str, quoted: Sequence[str]) -> None:
    made = hit(f"The inverter hums.\n\n{mark}{ASKED}\n{REPLY}")
    document = replace(made.chunk.document, media_type="message/rfc822")
    assert answer(replace(made, chunk=replace(made.chunk, document=document))) == quoted


@pytest.mark.parametrize("reply", ["- One of 250 A.\n- A spare one.", "1. One of 250 A.\n2. A spare one."])
def test_a_list_may_be_the_reply(reply: str) -> None:
    assert answer(hit(f"{ABOVE}\n\n{ASKED}\n\n{reply}")) == [f"{ASKED}\n\n{reply}"]


def test_a_list_of_further_questions_is_no_reply() -> None:
    assert answer(hit(f"The inverter hums.\n\n{ASKED}\n\n- How long is the cable?\n- Who sells it?")) == [
        "The inverter hums."
    ]
