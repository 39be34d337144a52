"""The lines of a passage that people are shown."""

import re
from dataclasses import replace

import pytest

from ragstone.answering.excerpts import choose_lines, mark_words, weigh_terms
from ragstone.answering.plain_text import found_text
from ragstone.core.answers import Found
from ragstone.core.escaping import MARK_END, MARK_START, render_marks
from tests.answering.made import hit, same

NAMES = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heath", "islet", "jetty"]
TEXT = "\n\n".join([*(f"The {name} line says nothing of note." for name in NAMES), "Samples are kept for ninety days."])


def test_the_lines_with_the_question_s_words_are_shown() -> None:
    terms = weigh_terms("How long are samples kept?", [TEXT])
    shown = choose_lines(TEXT, terms)
    assert len(shown) == 3
    assert shown[0].startswith("… ")
    assert shown[-1] == "Samples are kept for ninety days."
    earlier = choose_lines(f"{TEXT}\n\nThe fox sleeps.\n\nThe okapi too.\n\nAnd so on.", terms)
    assert earlier == ["… Samples are kept for ninety days.", "The fox sleeps.", "The okapi too. …"]


# A question, a passage with other forms of its words, the words that are marked, how many are sought.
FORMS = [
    ("Wo liegt die Probe?", "Die Proben werden vom Labor im Keller gelagert.", ["Proben"], 2),
    ("Probe", "Die Proben werden vom Labor im Keller gelagert.", ["Proben"], 1),
    (
        "Où est conservé l'échantillon ?",
        "Les échantillons sont conservés dans la cave.",
        ["échantillons", "conservés"],
        2,
    ),
    ("échantillon", "Les échantillons sont conservés dans la cave du laboratoire.", ["échantillons"], 1),
    ("¿Dónde se guarda la muestra?", "Las muestras se guardan en el sótano.", ["muestras", "guardan"], 2),
    ("Dove è conservato il campione?", "I campioni sono conservati nella cantina.", ["campioni", "conservati"], 2),
    ("Onde a amostra é guardada?", "As amostras são guardadas no porão.", ["amostras", "guardadas"], 2),
    ("Waar bewaren we het monster?", "De monsters worden in de kelder bewaard.", ["monsters"], 2),
    ("Где хранится проба?", "Все пробы хранятся в подвале, и только там.", ["пробы", "хранятся"], 2),
    ("Wo sind die Häuser?", "Hauch: 7. Haus: Keller", ["Haus"], 1),
    ("Wo sind die Häuser?", "Die Hausnummer ist auf dem Schild.", ["Hausnummer"], 1),
]


@pytest.mark.parametrize(("question", "text", "marked", "words"), FORMS)
def test_other_forms_of_a_word_of_its_language_are_marked_and_counted(
    question: str, text: str, marked: list[str], words: int
) -> None:
    shown = found_text(Found((hit(text),)), mask=same, question=question)
    assert re.findall(f"{MARK_START}(.*?){MARK_END}", shown) == marked
    assert f"{len(marked)} of {words} word" in shown
    assert "no passage has a word of the question" not in shown


def test_a_stem_counts_in_its_own_language_alone() -> None:
    german = weigh_terms("Wo liegt die Probe?", [])
    assert german.count_words("The sea is here and the probs are of no use, but this is to be told.") == 0
    assert german.count_words("Les probes sont dans la cave et ne servent pas, mais elles sont là.") == 1  # the English
    assert weigh_terms("How are keys kept?", []).stems == {}


def test_the_best_lines_are_those_with_other_forms_of_the_words() -> None:
    filler = "\n\n".join(f"Diese Zeile über {name} ist für die Sache nicht von Belang." for name in NAMES)
    shown = choose_lines(f"{filler}\n\nDie Proben werden im Keller gelagert.", weigh_terms("Wo liegt die Probe?", []))
    assert shown[-1] == "Die Proben werden im Keller gelagert."


def test_a_text_that_fits_is_shown_whole_and_a_long_line_is_wrapped() -> None:
    terms = weigh_terms("kept", [])
    assert choose_lines("# Storage\n\nOne line.\n", terms) == ["# Storage", "One line."]
    long = choose_lines("word " * 100, terms)
    assert len(long) == 3
    assert max(map(len, long)) <= 102
    assert long[-1].endswith(" …")


def test_a_word_that_all_passages_share_weighs_less_than_one_that_tells_them_apart() -> None:
    passages = ["Acme sells okapis.", "Acme was founded in 1990.", "Acme rents zebras."]
    weights = weigh_terms("When was Acme founded?", passages).weights
    assert weights["acm"] < weights["found"]


def test_only_the_words_of_the_question_are_marked_and_no_document_marks_its_own() -> None:
    terms = weigh_terms("How long are samples kept?", [])
    marked = mark_words(f"A sample is {MARK_START}never{MARK_END} kept.", terms)
    assert marked == f"A {MARK_START}sample{MARK_END} is never {MARK_START}kept{MARK_END}."
    assert render_marks(marked, bold=False) == "A sample is never kept."
    assert render_marks(marked, bold=True).count("\x1b[") == 4


@pytest.mark.parametrize(("full", "lines"), [(False, 4), (True, 22)])
def test_a_hit_is_three_lines_or_all(full: bool, lines: int) -> None:
    shown = found_text(Found((hit(TEXT),)), mask=same, question="How long are samples kept?", full=full)
    assert len(shown.splitlines()) == lines


def test_long_headings_are_shortened() -> None:
    signature = "def __init__( self, verify: bool = True, limits: Limits = DEFAULT_LIMITS, retries: int = 0 ) -> None"
    one = hit("Samples are lost.", headings=("Store (old)", signature, "word " * 40))
    head = found_text(Found((one,)), mask=same).splitlines()[0]
    assert "Store (old) > def __init__(…) > word word" in head
    assert len(head) < 140


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("設定" * 40, "設定" * 29 + "設…"),
        ("https://example.org/" + "part/" * 20, "https://example.org/" + "part/" * 7 + "part…"),
        (
            "Configure the setting(s) that control how the scheduler retries failures",
            "Configure the setting(s) that control how the scheduler …",
        ),
        ("Run tools.deploy(target) twice", "Run tools.deploy(target) twice"),
    ],
)
def test_a_long_heading_keeps_its_beginning(heading: str, shown: str) -> None:
    head = found_text(Found((hit("Samples are lost.", headings=(heading,)),)), mask=same).splitlines()[0]
    assert f" {shown} " in f" {head} "


def test_the_figures_of_a_hit_mean_the_same_for_every_question() -> None:
    one = hit("Samples are lost.", cosine=0.41, bm25=3.0)
    head = found_text(Found((one,)), mask=same, question="How long are samples kept?").splitlines()[0]
    assert head.endswith("cosine 0.41 · 1 of 2 words")
    assert "1.000" not in head
    assert "rerank 0.20" in found_text(Found((replace(one, signals={"rerank": 0.2}),)), mask=same, question="samples")


def test_a_word_with_invisible_characters_in_it_is_marked() -> None:
    terms = weigh_terms("password", ["pass\u200bword"])
    assert mark_words("The pass\u200bword is set.", terms) == f"The {MARK_START}password{MARK_END} is set."
