"""Abstentions in the language of the question."""

from pathlib import Path

import pytest

import ragstone.answering
from ragstone.answering.abstention.abstain import ABSTENTION, CLARIFY, MESSAGES
from ragstone.answering.abstention.translation import load_translations, translate_abstention, translate_sentence
from ragstone.core.answers import Answer, Note
from ragstone.core.languages import SMALL_WORDS, detect_language

OTHERS = sorted(SMALL_WORDS.keys() - {"english"})
CODE = "".join(file.read_text("utf-8") for file in sorted(Path(ragstone.answering.__file__).parent.rglob("*.py")))


def test_every_reason_and_hint_is_translated_and_nothing_else() -> None:
    table = load_translations()
    assert {ABSTENTION, *MESSAGES.values(), *CLARIFY.values()} <= table.keys()
    assert [sentence for sentence in table if sentence not in CODE] == []
    assert [sorted(into) for into in table.values()] == [OTHERS] * len(table)


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_is_told_for_its_language(language: str) -> None:
    words = [word for into in load_translations().values() for word in into[language].lower().split()]
    assert detect_language(words) == language


def test_an_answer_and_what_a_model_said_stay() -> None:
    answer = Answer("Neunzig Tage. [1]")
    said = Answer("Ich weiß es nicht.", abstained=True, notes=(Note("declined", "So it is."),))
    assert [translate_abstention(made, "german") for made in (answer, said)] == [answer, said]
    assert translate_sentence(ABSTENTION, "english") == ABSTENTION
