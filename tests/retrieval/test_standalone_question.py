"""Without a model: which questions of a conversation lean on what was said before."""

import asyncio

import pytest

from ragstone.core.ports import Message
from ragstone.core.trace import Trace
from ragstone.retrieval.standalone_question import make_standalone

BEFORE = "What is the port of the turbine in the harbour?"
FRENCH = "Combien coûte l'affranchissement d'une lettre pour la France ?"


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("Who is on call in week one of March?", False),
        ("Does version one support encrypted backups?", False),
        ("Is there a limit on the number of open files?", False),
        ("Which command deletes files that nobody uses?", False),
        ("Are there fees, such as shipping, for large orders?", False),
        ("How is the other one configured in the cluster file?", True),
        ("How long is that kept in the archive folder?", True),
        ("Where do people go from there by train?", True),
        ("Is there such a limit for open files in Windows?", True),
        ("In which folder of the server do they keep backups?", True),
        ("And for children?", True),
    ],
)
def test_a_question_that_names_its_topic_is_asked_alone(question: str, leans: bool) -> None:
    asked = asyncio.run(make_standalone(question, [Message("user", BEFORE)], None, Trace()))
    assert asked == (f"{BEFORE} {question}" if leans else question)


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("Et pour l'étranger ?", True),
        ("Et combien de temps faut-il pour un colis ?", True),
        ("colis", True),
        ("Comment envoyer un colis à l'étranger ?", False),
    ],
)
def test_a_question_of_a_conversation_in_another_language(question: str, leans: bool) -> None:
    asked = asyncio.run(make_standalone(question, [Message("user", FRENCH)], None, Trace()))
    assert asked == (f"{FRENCH} {question}" if leans else question)
