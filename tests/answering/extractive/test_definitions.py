"""A question for what a thing is gets the sentence that says so."""

import pytest

from ragstone.answering.extractive.definitions import defines, find_subject
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.selection import rank_passages, select_passages
from tests.answering.made import hit
from tests.speed import grows_in_step


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is ownership?", "ownership"),
        ("what's an execution policy", "execution policy"),
        ("Who was Ada Lovelace?", "Ada Lovelace"),
        ("Define idempotence.", "idempotence"),
        ("What does the WAL stand for?", "WAL"),
        ("What is the price of the basic plan?", None),
        ("What does it cost?", None),
        ("How is ownership checked?", None),
        ("What is `WAL`?", "WAL"),
        (f"What is {'a' * 300}?", None),
    ],
)
def test_the_subject_of_a_question_for_a_meaning_is_all_that_it_asks_about(question: str, subject: str | None) -> None:
    assert find_subject(question) == subject


@pytest.mark.parametrize(
    "sentence",
    [
        "_Closure_ is a function without a name.",
        "Rust’s closures are anonymous functions.",
        "A closure, in Rust, is any function that keeps its surroundings.",
        "A closure (lambda) lets you keep a value.",
        "Such a function is called a closure.",
        "We call these functions *closures*.",
        "- **Closure** (lambda): a function that keeps its surroundings",
        "Closure – any function without a name",
    ],
)
def test_a_sentence_that_defines(sentence: str) -> None:
    assert defines(sentence, "closure")


@pytest.mark.parametrize(
    "sentence",
    [
        "Closures are typically short.",
        "A closure is described in chapter 13.",
        "Once a closure is the owner, others are not.",
        "We call the closure twice and go on.",
        "The enclosure is a fence.",
        "Closure: see below",
        "Closure-based designs of this kind fail.",
    ],
)
def test_a_sentence_that_only_says_something_of_it(sentence: str) -> None:
    assert not defines(sentence, "closure")


def test_the_sentence_that_defines_is_quoted_before_those_that_say_the_word_more_often() -> None:
    text = (
        "What is more, parts of ownership will be explained with what ownership is not. "
        "*Ownership* is a set of rules that govern how memory is managed."
    )
    subject = analyze_question("What is ownership?", {})
    best = select_passages(subject, rank_passages(subject, [hit(text)]))[0]
    assert best.passage.text.startswith("*Ownership* is a set of rules")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "## Naming\n\nThis page documents names of recording rules.\n\n"
            "## Recording Rules\n\nRecording rules precompute expressions. Their results are stored.",
            "Recording rules precompute expressions.",
        ),
        (
            "## 2.1 What is a recording rule?\n\nSuch rules compute sums before anyone asks.\n\n"
            "## Use\n\nThis team names its rules.",
            "Such rules compute sums before anyone asks.",
        ),
    ],
)
def test_the_sentence_below_the_name_says_what_it_is(text: str, answer: str) -> None:
    subject = analyze_question("What is a recording rule?", {})
    best = select_passages(subject, rank_passages(subject, [hit(text, cosine=0.5)]))[0]
    assert best.passage.text.startswith(answer)


@pytest.mark.parametrize("text", ["a{}x", "closure{}:", "closure: {}a a", "called{}x", "the{}closure", "closure{}(x"])
def test_blanks_in_a_hostile_sentence_cost_time_in_step(text: str) -> None:
    grows_in_step(lambda size: defines(text.format(" " * size), "closure"), (500, 1_000, 2_000, 4_000))


def test_a_hostile_question_costs_no_time() -> None:
    grows_in_step(lambda size: find_subject(f"what is {'.' * size} a b c d e f"), (1_000, 2_000, 4_000, 8_000))


@pytest.mark.parametrize(
    ("language", "question", "subject", "sentence", "other"),
    [
        ("german", "Was ist ein VPN?", "VPN", "Ein VPN ist eine Verbindung.", "Das VPN ist seit Mai langsam."),
        (
            "german",
            "Was versteht man unter Taktzeit?",
            "Taktzeit",
            "Unter der Taktzeit versteht man ein Maß.",
            "Taktzeit zählt.",
        ),
        ("french", "Qu’est-ce qu’un pare-feu ?", "pare-feu", "Un pare-feu est un filtre.", "Le pare-feu est éteint."),
        (
            "french",
            "Qu'est-ce que la rupture de stock ?",
            "rupture de stock",
            "On appelle rupture de stock un manque.",
            "La rupture de stock dure.",
        ),
        ("spanish", "¿Qué es la merma?", "merma", "La merma es una pérdida.", "La merma es alta."),
        (
            "spanish",
            "¿Qué significa trazabilidad?",
            "trazabilidad",
            "Se llama trazabilidad a seguir algo.",
            "Sin ella.",
        ),
        ("italian", "Che cos'è un backup?", "backup", "Un backup è una copia.", "Il backup è lento."),
        ("portuguese", "O que é uma VPN?", "VPN", "Uma VPN é uma ligação.", "A VPN é lenta."),
        ("dutch", "Wat is een firewall?", "firewall", "Een firewall is een filter.", "De firewall is uit."),
        ("swedish", "Vad är en brandvägg?", "brandvägg", "En brandvägg är ett filter.", "Brandväggen är av."),
        ("danish", "Hvad er en firewall?", "firewall", "En firewall er et filter.", "Firewall er slukket."),
        ("norwegian", "Hva er en brannmur?", "brannmur", "En brannmur er et filter.", "Brannmur er slått av."),
        ("russian", "Что такое архив?", "архив", "Архив — это копия всех данных.", "Архив закрыт."),
    ],
)
def test_other_languages_ask_for_a_meaning_and_tell_it(
    language: str, question: str, subject: str, sentence: str, other: str
) -> None:
    assert find_subject(question, language) == subject
    assert defines(sentence, subject, language)
    assert not defines(other, subject, language)


@pytest.mark.parametrize(
    ("language", "question"),
    [("german", "Was ist im Preis enthalten?"), ("french", "Que faire ?"), ("finnish", "Mikä on palomuuri?")],
)
def test_a_question_of_another_language_that_asks_for_more_has_no_subject(language: str, question: str) -> None:
    assert find_subject(question, language) is None
