"""Weak evidence abstains with its reason; good evidence does not."""

from dataclasses import replace

from ragstone.answer.abstain import Decision, Evidence, Policy, decide, evidence
from ragstone.answer.extractive import choose, rank
from ragstone.answer.question import asked
from tests.answer.made import hit

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


def decided(question: str, *, bm25: float = 8.0, cosine: float | None = 0.6) -> Decision:
    signals = {"bm25": bm25} | ({"cosine": cosine} if cosine is not None else {})
    hits = [replace(hit(TEXT), signals=signals)]
    subject = asked(question, IDF)
    return decide(evidence(subject, hits, choose(subject, rank(subject, hits), hits)))


def test_a_supported_question_is_answered() -> None:
    assert decided("Who swore fealty to King Charles?") == Decision(False)


def test_no_hits_is_the_first_reason() -> None:
    assert decide(Evidence(0)).reason == "no_hits"


def test_weak_signals_of_all_legs_abstain() -> None:
    assert decided("Who swore fealty to King Charles?", bm25=0.1, cosine=0.1).reason == "weak_evidence"


def test_one_strong_leg_is_enough() -> None:
    assert not decided("Who swore fealty to King Charles?", bm25=0.1, cosine=0.8).abstain
    assert not decided("Who swore fealty to King Charles?", bm25=8.0, cosine=None).abstain


def test_a_name_that_stands_nowhere_is_missing() -> None:
    verdict = decided("When did King Harald swear fealty to King Charles?")
    assert verdict.reason == "missing_terms"
    assert "harald" in verdict.message


def test_a_number_that_stands_nowhere_is_missing() -> None:
    assert decided("Who swore fealty to King Charles in 1066?").reason == "missing_terms"


def test_a_subject_that_no_sentence_has_is_not_supported() -> None:
    assert decided("How is the vat refund paid?").reason == "no_supporting_sentence"


def test_thresholds_can_be_switched_off() -> None:
    off = Policy(None, None, None, None, False, False, None)
    assert not decide(Evidence(1), off).abstain
