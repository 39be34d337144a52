"""Compounds and the words that they are made of, in texts and in questions."""

import pytest

from ragstone.core.analyzer import extract_search_terms, stem_words
from ragstone.core.compounds import LINKS, load_parts, split_compound
from ragstone.core.question_language import read_question
from ragstone.stores.bm25 import count_terms, query_terms

SPLIT = {
    ("german", "urlaubstag"): ("urlaub", "tag"),
    ("german", "kündigungsfristen"): ("kündigung", "fristen"),
    ("german", "reisekostenabrechnung"): ("reisekosten", "reise", "kosten", "abrechnung"),
    ("dutch", "vakantiedagen"): ("vakantie", "dagen"),
    ("dutch", "opzegtermijn"): ("opzeg", "termijn"),
    ("swedish", "semesterdagar"): ("semester", "dagar"),
    ("swedish", "uppsägningstid"): ("uppsägning", "tid"),
    ("danish", "feriedage"): ("ferie", "dage"),
    ("norwegian", "feriedager"): ("ferie", "dager"),
    ("finnish", "lomapäivä"): ("loma", "päivä"),
}
WHOLE = [("german", "funktioniert"), ("german", "gesellschaft"), ("dutch", "gemakkelijk"), ("french", "portefeuille")]


@pytest.mark.parametrize(("language", "word"), SPLIT)
def test_a_compound_is_cut_into_its_words(language: str, word: str) -> None:
    assert split_compound(word, language, lambda one: stem_words([one], language)[0]) == SPLIT[language, word]


@pytest.mark.parametrize(("language", "word"), WHOLE)
def test_other_words_stay_whole(language: str, word: str) -> None:
    assert split_compound(word, language, lambda one: stem_words([one], language)[0]) == ()


def test_every_language_has_parts_of_its_own() -> None:
    assert [name for name in LINKS if not (load_parts(name) or ([],))[0]] == []
    assert load_parts("english") is None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wie viele Urlaubstage habe ich?", "Der Urlaub beträgt 28 Tage im Jahr."),
        ("Wie lang ist die Frist der Kündigung?", "Die Kündigungsfrist ist von dem Vertrag bestimmt."),
        ("Hoeveel vakantiedagen heb ik?", "De vakantie is 25 dagen van het jaar."),
        ("Hur många semesterdagar har jag?", "Det är 25 dagar av semester per år."),
        ("Hvor mange feriedage har jeg?", "Du har 25 dage af ferie om året."),
    ],
)
def test_a_question_and_its_text_share_the_parts(question: str, text: str) -> None:
    common = query_terms(question).keys() & count_terms(text)[0].keys()
    assert len({term for term in common if ":" in term}) >= 2


def test_a_text_without_all_parts_does_not_say_the_compound() -> None:
    words = read_question("Wie lang ist die Kündigungsfrist?", "german")
    assert words.find("Die Kündigung ist schriftlich.") == frozenset()
    assert words.find("Für die Kündigung gilt eine Frist.") == {"kündigungsfrist"}


def test_the_length_of_a_text_counts_no_parts() -> None:
    assert count_terms("Das ist die Reisekostenabrechnung für den Monat.")[1] == 7
    assert extract_search_terms("travel expense report for the month")[1] == []
