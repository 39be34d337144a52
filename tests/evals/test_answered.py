"""Answers are scored on what they cite; refusals on what nothing answers."""

from dataclasses import replace

import pytest

from ragstone.evals import Answered, Case, Ranking, evaluate
from ragstone.evals.answered import gold_in, stands
from ragstone.evals.case import Quote
from ragstone.types import Citation
from tests.answer.made import document, span

TEXT = "First. The cat purrs loudly. Last."
CITED = Citation(1, "c", document(), "The cat purrs loudly.", (span(TEXT, 7, 28),), "verified")


def test_a_citation_is_valid_where_its_words_stand_at_its_place() -> None:
    assert stands(CITED, TEXT)
    assert not stands(CITED, "x" + TEXT)
    assert not stands(replace(CITED, spans=(span(TEXT, 100, 120),)), TEXT)
    assert not stands(replace(CITED, spans=()), TEXT)
    assert not stands(CITED, None)
    assert stands(replace(CITED, quote="The *** purrs loudly.", masked=True), TEXT)


@pytest.mark.parametrize(
    ("gold", "held"),
    [
        ({"answer_contains": ("cat", "loudly")}, True),
        ({"answer_contains": ("cat", "dog")}, False),
        ({"sentences": ("Another one.", "the cat   PURRS loudly")}, True),
        ({"sentences": ("The cat purrs loudly at night.",), "answers": ("cat",)}, False),
        ({"answers": ("dog", "purrs")}, True),
        ({"answers": ("purr",)}, False),
        ({"quotes": (Quote("a.md", "cat purrs"),)}, True),
        ({}, None),
    ],
)
def test_the_gold_is_looked_for_among_the_words_cited(gold: dict[str, object], held: bool | None) -> None:
    assert gold_in(Case("1", "?", **gold), ("The cat\npurrs loudly.",)) is held  # type: ignore[arg-type]  # made above


MADE = {
    "right": Answered(False, 0.9, ("The cat purrs.",), 2, 2),
    "wrong": Answered(False, 0.6, ("The dog barks.",), 2, 1),
    "shy": Answered(True, 0.3),
    "false": Answered(False, 0.5, ("The cow moos.",), 1, 1),
    "good": Answered(True, 0.1),
}


async def test_the_figures_count_by_hand() -> None:
    cases = [Case(name, "?", answers=("cat",), answerable=name not in ("false", "good")) for name in MADE]

    async def search(case: Case) -> Ranking:
        return Ranking((), answer=MADE[case.id])

    report = await evaluate(search, cases)
    assert report.metrics == pytest.approx(
        {
            "AbstainAccuracy": 3 / 5,
            "refusal_precision": 1 / 2,
            "refusal_recall": 1 / 2,
            "refusal_auroc": 5 / 6,
            "answered_share": 2 / 3,
            "answered_sentence_hit": 1 / 3,
            "citation_valid": 5 / 6,
        }
    )
    assert set(report.intervals) == set(report.metrics)
    assert [row.answerability for row in report.rows] == [0.9, 0.6, 0.3, 0.5, 0.1]


async def test_what_nothing_says_is_left_out() -> None:
    async def search(case: Case) -> Ranking:
        return Ranking((), answer=Answered(False))

    report = await evaluate(search, [Case("1", "?")])
    assert set(report.metrics) == {"AbstainAccuracy", "answered_share"}
