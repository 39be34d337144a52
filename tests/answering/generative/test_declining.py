"""Models that say in any of eight languages that they do not know, and sentences that begin alike."""

import pytest

from ragstone.answering.abstention.abstain import ABSTENTION
from ragstone.answering.abstention.translation import translate_sentence
from ragstone.answering.generative.declining import is_declined

DECLINED = (
    *(
        translate_sentence(ABSTENTION, name)
        for name in ("french", "spanish", "italian", "portuguese", "dutch", "german")
    ),
    "Leider enthalten die Passagen dazu keine Angaben.",
    "Ich kann diese Frage anhand der Passagen nicht beantworten.",
    "In den Dokumenten steht dazu nichts.",
    "Je n’ai pas assez d’informations pour répondre.",
    "No tengo suficiente información en los documentos para responder.",
    "Non ho abbastanza informazioni per rispondere.",
    "Não tenho informações suficientes para responder.",
    "Helaas kan ik deze vraag niet beantwoorden.",
    "В документах не указано, кто это.",
)
CLAIMED = (
    "Die Dokumente enthalten drei Anlagen.",
    "Es gibt keine Grenze.",
    "Les documents contiennent trois annexes.",
    "Il n'y a pas de limite de taille.",
    "No hay que reiniciar el servidor.",
    "Non si deve riavviare il server.",
    "Não é preciso reiniciar.",
    "De documenten bevatten drie bijlagen.",
    "В документах указано три срока.",
    "The documents do not need a signature.",
)


@pytest.mark.parametrize("text", DECLINED)
def test_who_does_not_know_declines(text: str) -> None:
    assert is_declined(text)


@pytest.mark.parametrize("text", CLAIMED)
def test_who_says_something_does_not(text: str) -> None:
    assert not is_declined(text)
