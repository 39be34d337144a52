"""Single words of a question help to choose the passage that says them all."""

import numpy as np
import pytest

from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.scored_passages import place_of_passage
from ragstone.answering.extractive.selection import apply_similarity, rank_passages, select_passages
from ragstone.answering.extractive.word_matching import WordMatch, lead_over_mean, locate_words, summarize_matches
from ragstone.core.ports import TokenMatches
from tests.answering.made import hit

PUMP = "The pump has a motor. The pump is serviced by the maker."
QUESTION = "Who mends the pump?"


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in locate_words(analyze_question(text, {}))]


def test_words_that_shape_a_question_are_not_matched() -> None:
    assert words("How long does the pump run?") == ["long", "pump", "run"]
    assert words("Is it?") == ["Is", "it"]


def test_a_match_sums_up_the_words() -> None:
    near, own = (np.array(rows, dtype=np.float32) for rows in ([[0.9, 0.3], [0.5, 0.7]], [[0.7, 0.3], [0.5, 0.5]]))
    vectors = np.zeros((2, 4), dtype=np.float32)
    assert summarize_matches(TokenMatches(vectors, near, own)) == [
        WordMatch(0.5, 0.3, 0.5),
        WordMatch(0.5, 0.5, 0.0),
    ]
    assert summarize_matches(TokenMatches(vectors, near[:, :0], own[:, :0])) == [None, None]


def test_the_passage_that_misses_no_word_goes_first_at_equal_cosines() -> None:
    subject = analyze_question(QUESTION, {})
    ranked = rank_passages(subject, [hit(PUMP)])
    places = [place_of_passage(one.passage) for one in ranked]
    for best in places:
        matches = {place: WordMatch(0.6, 0.7 if place == best else 0.1, 0.0) for place in places}
        chosen = apply_similarity(ranked, dict.fromkeys(places, 0.5), matches)
        assert place_of_passage(chosen[0].passage) == best
        assert chosen[0].match == matches[best]
        assert max(select_passages(subject, chosen), key=lambda one: one.score).match == matches[best]


def test_without_matches_cosines_decide_alone() -> None:
    ranked = rank_passages(analyze_question(QUESTION, {}), [hit(PUMP)])
    similar = {place_of_passage(one.passage): 0.5 for one in ranked}
    assert apply_similarity(ranked, similar, {}) == apply_similarity(ranked, similar)
    assert all(one.match is None for one in apply_similarity(ranked, similar))


def test_the_lead_is_that_over_all_compared_passages() -> None:
    others = [WordMatch(0.6, 0.1, 0.0), WordMatch(0.2, 0.1, 0.0)]
    assert lead_over_mean(others[0], others) == pytest.approx(0.2)
    assert lead_over_mean(None, others) is None
    assert lead_over_mean(others[0], []) is None
