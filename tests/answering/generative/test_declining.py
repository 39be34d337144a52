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
    "Die Passagen nennen dazu keine Frist.",
    "Ich kann darauf leider keine Antwort geben.",
    "Ich kann das nicht mit Sicherheit sagen.",
    "Les passages n’indiquent rien à ce sujet.",
    "De passages geven hierover niets.",
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
    "Die Dokumente enthalten nicht nur Text, sondern auch Bilder.",
    "Die Informationen geben wir nicht an Dritte weiter.",
    "Ich kann nicht empfehlen, das Gehäuse zu öffnen.",
    "Les documents ne sont pas conservés plus de cinq ans.",
    "Les documents ne contiennent pas seulement du texte.",
    "De documenten bevatten niet alleen tekst.",
    "Ik kan de machine niet starten.",
)


@pytest.mark.parametrize("text", DECLINED)
def test_who_does_not_know_declines(text: str) -> None:
    assert is_declined(text)


@pytest.mark.parametrize("text", CLAIMED)
def test_who_says_something_does_not(text: str) -> None:
    assert not is_declined(text)
