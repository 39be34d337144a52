"""Greetings and thanks around a question."""

import pytest

from ragstone.core.courtesies import strip_courtesies
from tests.speed import within


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Dear Mr. Voss, I hope you are well. When is the fair? Kind regards, Ida", "When is the fair?"),
        ("good morning, just wondering: what does a stall cost? cheers", "what does a stall cost?"),
        ("Hallo zusammen, kurze Frage: Wo ist der Schlüssel? Vielen Dank!", "Wo ist der Schlüssel?"),
        ("Bonjour,\nquel est le prix du billet ? Merci d'avance", "quel est le prix du billet ?"),
        ("What does a stall cost?\nThanks\nIda Brandt", "What does a stall cost?"),
        ("Thanks, where do I sign?", "Thanks, where do I sign?"),
        ("Who wrote Hello, Dolly?", "Who wrote Hello, Dolly?"),
        ("Dear customers letter", "Dear customers letter"),
        ("Hi. Thanks!", "Hi. Thanks!"),
        ("What is the best?", "What is the best?"),
        ("Which is better, Best or Yours?", "Which is better, Best or Yours?"),
        ("Which of the two, Ann, is best", "Which of the two, Ann, is best"),
        ("Where do we sleep? Best Western", "Where do we sleep? Best Western"),
    ],
)
def test_a_question_loses_what_is_said_around_it_and_no_word_of_its_own(question: str, rest: str) -> None:
    assert strip_courtesies(question) == rest


def test_a_long_question_is_read_at_once() -> None:
    within(0.3, lambda: strip_courtesies("a" + "\n" * 3_000 + "b"))
