"""Questions in other languages than English over a small folder, without a language model."""

from pathlib import Path

import pytest

import ragstone
from ragstone.answering.abstention.abstain import ABSTENTION
from ragstone.answering.abstention.translation import load_translations, translate_sentence

FACTS = {
    "french": (
        "Chaque employé a droit à vingt-huit jours de congés payés par an.",
        "Le mot de passe doit contenir au moins quatorze caractères.",
        "L'hôtel est remboursé jusqu'à cent vingt euros par nuit.",
        "Les sauvegardes sont effacées après quatre-vingt-dix jours.",
    ),
    "russian": (
        "У каждого сотрудника двадцать восемь дней отпуска в год.",
        "Пароль должен содержать не менее четырнадцати символов.",
        "Гостиница оплачивается до ста двадцати евро за ночь.",
        "Резервные копии удаляются через девяносто дней.",
    ),
}
ASKED = {
    "french": (
        "Combien de jours de congés l'employé a-t-il ?",
        "Combien de caractères doit contenir le mot de passe ?",
        "Jusqu'à combien l'hôtel est-il remboursé ?",
        "Quand les sauvegardes sont-elles effacées ?",
    ),
    "russian": (
        "Сколько дней отпуска у сотрудника?",
        "Сколько символов должно быть в пароле?",
        "Сколько стоит ночь в гостинице?",
        "Когда удаляются резервные копии?",
    ),
}
UNKNOWN = {
    "french": ("Quel est le prix des actions ?", "Qui dirige la cantine ?", "Comment demander un passeport ?"),
    "russian": ("Какая цена акций?", "Как зовут директора?", "Где подать заявление на паспорт?"),
}


@pytest.mark.parametrize("language", FACTS)
async def test_facts_are_quoted_and_what_no_document_says_is_declined(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, fact in enumerate(FACTS[language]):
        (folder / f"{number}.md").write_text(fact, encoding="utf-8")
    async with ragstone.Engine(ragstone.load(store=str(tmp_path / "store"))) as engine:
        await engine.ingest(folder)
        answers = [await engine.ask(question) for question in ASKED[language]]
        unknown = [await engine.ask(question) for question in UNKNOWN[language]]
    assert [fact in answer.text for fact, answer in zip(FACTS[language], answers, strict=True)] == [True] * 4
    assert [answer.abstained for answer in unknown] == [True] * 3
    assert [answer.text for answer in unknown] == [translate_sentence(ABSTENTION, language)] * 3
    assert [note.message for answer in unknown for note in answer.notes if note.message in load_translations()] == []
