"""The lines of a passage that people are shown."""

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


def test_the_figures_of_a_hit_mean_the_same_for_every_question() -> None:
    one = hit("Samples are lost.", cosine=0.41, bm25=3.0)
    head = found_text(Found((one,)), mask=same, question="How long are samples kept?").splitlines()[0]
    assert head.endswith("cosine 0.41 · 1 of 2 words")
    assert "1.000" not in head
    assert "rerank 0.20" in found_text(Found((replace(one, signals={"rerank": 0.2}),)), mask=same, question="samples")
