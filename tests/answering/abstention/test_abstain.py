"""Weak evidence abstains with its reason; good evidence does not."""

import json
import math
from dataclasses import fields, replace
from importlib import resources
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.abstention.abstain import (
    REASONS,
    AbstentionModel,
    Decision,
    Sign,
    choose_model,
    decide_abstention,
    is_settled,
    load_abstention_models,
)
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.abstention.evidence import Evidence, collect_evidence
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.scored_passages import place_of_passage
from ragstone.answering.extractive.selection import apply_similarity, rank_passages, select_passages
from tests.answering.made import hit

TEXT = "Rollo swore fealty to King Charles in 911. He was baptised a year later."
IDF = {
    "rollo": 3.0,
    "swear": 3.0,
    "swore": 3.0,
    "fealti": 4.0,
    "king": 2.0,
    "charl": 2.0,
    "harald": 6.0,
    "vat": 5.0,
    "refund": 5.0,
}
GOOD = Evidence(
    10,
    cosine=0.7,
    ahead=0.2,
    similar=0.8,
    matched=0.8,
    matched_ahead=0.3,
    unmatched=0.0,
    bm25=0.6,
    sentence=1.0,
    section=1.0,
)


def found(question: str, *, bm25: float = 12.0, cosine: float | None = 0.6, similar: float = 0.7) -> Evidence:
    signals = {"bm25": bm25} | ({"cosine": cosine} if cosine is not None else {})
    hits = [replace(hit(TEXT), signals=signals)]
    subject = analyze_question(question, IDF)
    ranked = rank_passages(subject, hits)
    if cosine is not None:
        ranked = apply_similarity(ranked, {place_of_passage(one.passage): similar for one in ranked})
    return collect_evidence(subject, hits, select_passages(subject, ranked))


def decided(question: str, *, bm25: float = 12.0, cosine: float | None = 0.6, similar: float = 0.7) -> Decision:
    return decide_abstention(found(question, bm25=bm25, cosine=cosine, similar=similar))


def test_a_supported_question_is_answered() -> None:
    for cosine in (0.6, None):
        verdict = decided("Who swore fealty to King Charles?", cosine=cosine)
        assert verdict == Decision(False, answerability=verdict.answerability)
        assert 0.5 < verdict.answerability < 1


def test_no_hits_is_the_first_reason() -> None:
    assert decide_abstention(Evidence(0)).reason == "no_hits"


def test_weak_signals_of_all_legs_abstain() -> None:
    weak = replace(GOOD, cosine=0.1, similar=0.2, bm25=0.05, sentence=0.3, section=0.3)
    assert decide_abstention(weak).reason == "weak_evidence"
    assert decide_abstention(replace(weak, cosine=None, ahead=None, similar=None, covered=0.3)).abstain


def test_a_paraphrase_is_answered_when_its_meaning_is_near() -> None:
    words_apart = replace(GOOD, sentence=0.2, section=0.3, bm25=0.1)
    assert not decide_abstention(words_apart).abstain
    assert decide_abstention(replace(words_apart, cosine=0.25, similar=0.25)).abstain


def test_a_name_that_stands_nowhere_is_missing() -> None:
    verdict = decided("When did King Harald Vat refund?", cosine=0.3, similar=0.4)
    assert verdict.reason == "missing_terms"
    assert "Harald" in verdict.message


@pytest.mark.parametrize("question", ["Who swore fealty in OPS-117?", "Who swore fealty to King Charles by #4711?"])
def test_an_identifier_that_stands_nowhere_is_missing_whatever_else_is_said(question: str) -> None:
    verdict = decided(question, cosine=0.9, similar=0.9)
    assert (verdict.abstain, verdict.reason) == (True, "missing_terms")
    assert verdict.message == f"The passages found do not mention: {question.split()[-1].strip('?')}."
    evidence = found(question, bm25=12.0, cosine=0.9, similar=0.9)
    assert not decide_abstention(evidence, AbstentionPolicy("never")).abstain


@pytest.mark.parametrize("named", ["UTF-8", "AD-911", "911", "King-Charles"])
def test_a_name_whose_number_is_there_or_that_has_one_digit_is_no_missing_identifier(named: str) -> None:
    assert found(f"Who swore fealty in {named}?", bm25=12.0, cosine=0.9, similar=0.9).unidentified == ()


def test_an_answer_without_any_passage_is_not_given() -> None:
    subject = analyze_question("What is a counter?", {"counter": 2.0})
    hits = [hit("## Gauge\n", bm25=0.1, cosine=0.2)]
    assert rank_passages(subject, hits) == []
    assert decide_abstention(collect_evidence(subject, hits, [])).abstain


AGAINST = {
    "denied": replace(GOOD, denied=1.0),
    "opposed": replace(GOOD, opposed=1.0),
    "other_number": replace(GOOD, other_number=1.0),
    "extremes": replace(GOOD, extremes=1.0),
    "numbers": replace(GOOD, numbers=1.0),
}


@pytest.mark.parametrize("sign", AGAINST)
def test_each_way_of_parting_in_wording_speaks_against_an_answer(sign: str) -> None:
    for model in load_abstention_models().values():
        assert model.odds(AGAINST[sign]) < model.odds(GOOD)


def test_what_the_passage_does_not_deny_can_turn_an_answer_into_an_abstention() -> None:
    middling = replace(GOOD, cosine=0.5, ahead=0.15, similar=0.55, sentence=0.7, section=0.8)
    assert not decide_abstention(middling).abstain
    verdict = decide_abstention(replace(middling, denied=1.0, opposed=1.0))
    assert verdict.reason == "contradicted"


def test_a_decision_stands_without_comparing_where_no_likely_cosine_of_a_passage_could_turn_it() -> None:
    """So on both sides of the threshold and not beside it; where nothing is compared there is nothing to wait for."""
    assert is_settled(GOOD)
    assert is_settled(replace(GOOD, cosine=0.05, ahead=0.0, bm25=0.0, sentence=0.0, section=0.0, covered=0.0))
    odds = load_abstention_models()["vectors"].odds(replace(GOOD, similar=GOOD.cosine))
    assert not is_settled(GOOD, AbstentionPolicy(answer_from=odds))
    assert is_settled(GOOD, AbstentionPolicy("never", answer_from=odds))
    assert is_settled(replace(GOOD, cosine=None), AbstentionPolicy(answer_from=odds))


def test_signs_of_single_words_decide_where_the_model_compares_them() -> None:
    said = replace(GOOD, compares_words=True, matched=0.7, matched_ahead=0.3, unmatched=0.0)
    unsaid = replace(said, matched=0.2, matched_ahead=0.0, unmatched=1.0)
    assert choose_model(said) is load_abstention_models()["tokens"]
    assert choose_model(said).odds(said) > choose_model(unsaid).odds(unsaid)
    assert choose_model(replace(said, compares_words=False)) is load_abstention_models()["vectors"]
    assert choose_model(replace(said, cosine=None)) is load_abstention_models()["words"]


def test_where_words_are_still_to_be_compared_their_signs_may_turn_the_decision() -> None:
    waiting = replace(GOOD, similar=GOOD.cosine, compares_words=True)
    odds = load_abstention_models()["tokens"].odds(waiting)
    assert not is_settled(waiting, AbstentionPolicy(answer_from=odds))
    assert is_settled(waiting, AbstentionPolicy(answer_from=odds - 5))
    assert is_settled(waiting, AbstentionPolicy(answer_from=odds + 5))


LITTLE_KNOWN = replace(GOOD, cosine=0.2, ahead=0.1, similar=0.1, floor=0.4, bm25=0.6, covered=0.4, matched_ahead=0.1)


@pytest.mark.parametrize("said", [{"headed": 0.7}, {"matched_ahead": 0.3}])
def test_in_a_language_that_the_model_hardly_knows_a_passage_that_says_what_is_asked_answers(
    said: dict[str, Any],
) -> None:
    says = replace(LITTLE_KNOWN, **said)
    assert decide_abstention(LITTLE_KNOWN).abstain
    assert not decide_abstention(says).abstain
    assert decide_abstention(replace(says, floor=None)).abstain
    assert decide_abstention(replace(says, numbers=1.0)).abstain
    assert not is_settled(replace(LITTLE_KNOWN, similar=0.2))


def test_the_threshold_can_be_moved() -> None:
    nothing = Evidence(1, covered=0.0)
    assert decide_abstention(nothing).abstain
    assert not decide_abstention(nothing, AbstentionPolicy(answer_from=-math.inf)).abstain
    assert decide_abstention(GOOD, AbstentionPolicy(answer_from=math.inf)).abstain


def test_a_model_adds_up_its_signs_and_leaves_out_what_is_not_known() -> None:
    model = AbstentionModel(0.5, 0.0, {"cosine": Sign(2.0, 0.4, 0.1), "numbers": Sign(-1.0, 0.0, 0.5)})
    assert model.odds(Evidence(3, cosine=0.5, numbers=0.25)) == pytest.approx(0.5 + 2.0 * 1.0 - 1.0 * 0.5)
    assert model.odds(Evidence(3, cosine=None, numbers=0.25)) == pytest.approx(0.5 - 0.5)


def test_the_shipped_numbers_are_those_that_decide() -> None:
    data = json.loads(resources.files("ragstone.answering.abstention").joinpath("abstain.json").read_text("utf-8"))
    assert set(data["models"]) == set(load_abstention_models()) == {"tokens", "vectors", "words"}
    for name, model in data["models"].items():
        odds = model["base"] + sum(
            weight * (getattr(GOOD, sign) - mean) / deviation
            for sign, (weight, mean, deviation) in model["signs"].items()
        )
        assert load_abstention_models()[name].odds(GOOD) == pytest.approx(odds)
        assert odds > model["answer_from"]


def test_every_sign_of_the_models_is_known_and_has_its_reason() -> None:
    known = {field.name for field in fields(Evidence)}
    reasons = {sign for signs in REASONS.values() for sign in signs}
    for model in load_abstention_models().values():
        assert set(model.signs) <= known & reasons
        assert all(sign.deviation > 0 for sign in model.signs.values())


SHARES = st.floats(0, 1)


@given(SHARES, SHARES, SHARES, st.booleans())
@settings(max_examples=100, deadline=None)
def test_an_abstention_always_has_a_reason_and_a_message(
    cosine: float, sentence: float, section: float, words: bool
) -> None:
    some = Evidence(3, cosine=None if words else cosine, sentence=sentence, section=section)
    verdict = decide_abstention(some)
    assert verdict.abstain == bool(verdict.reason) == bool(verdict.message)
