"""Answers are scored on what they cite; refusals on what nothing answers."""

from dataclasses import replace

import pytest

from ragstone.core.answers import Answer, Citation, Sentence
from ragstone.evaluation import Case, Ranking, ScoredAnswer, evaluate
from ragstone.evaluation.case import Quote
from ragstone.evaluation.refusal import score_case
from ragstone.evaluation.scored_answer import holds_gold, is_valid_citation, score_answer
from tests.answering.made import document, span

TEXT = "First. The cat purrs loudly. Last."
CITED = Citation(1, "c", document(), "The cat purrs loudly.", (span(TEXT, 7, 28),), "verified")


def test_a_citation_is_valid_where_its_words_stand_at_its_place() -> None:
    assert is_valid_citation(CITED, TEXT)
    assert not is_valid_citation(CITED, "x" + TEXT)
    assert not is_valid_citation(replace(CITED, spans=(span(TEXT, 100, 120),)), TEXT)
    assert not is_valid_citation(replace(CITED, spans=()), TEXT)
    assert not is_valid_citation(CITED, None)
    assert is_valid_citation(replace(CITED, status="repaired"), TEXT)
    assert not is_valid_citation(replace(CITED, status="unverified"), TEXT)


def test_a_masked_citation_is_compared_with_the_record_as_it_is_masked() -> None:
    text = "Log in.\nlogin: postgres://app:S3cr3t-9x@db/prod\nThen wait."
    quote = "login: postgres://app:[masked:password]@db/prod"
    cited = replace(CITED, quote=quote, spans=(span(text, 8, 47),), masked=True)
    assert is_valid_citation(cited, text)
    assert is_valid_citation(
        replace(cited, spans=(span(text, 8, 35),), quote="login: postgres://app:[masked:password]"), text
    )
    assert not is_valid_citation(cited, "x" + text)
    assert not is_valid_citation(replace(cited, quote="login: mysql://app:[masked:password]@db/prod"), text)


def test_what_is_unverified_counts_for_nothing() -> None:
    """A wrong sentence of a language model points at a whole chunk: that the gold stands there is not its merit."""
    chunk = "The mill opened in 1871. It stands at the river."
    sentences = (
        Sentence("The mill opened in 1920.", (1,), "unverified"),
        Sentence("It did not open in 1871.", (1,), "unverified"),
        Sentence("The cat purrs.", (2,), "verified"),
    )
    behind = (
        Citation(1, "a", document("mill.md"), chunk, (span(chunk, 0, len(chunk)),)),
        replace(CITED, n=2),
    )
    made = Answer("", sentences=sentences, citations=behind)
    scored = score_answer(made, lambda one: chunk if one.path == "mill.md" else TEXT)
    assert scored.cited == ("The cat purrs.", "The cat purrs loudly.")
    assert (scored.citations, scored.valid) == (2, 1)
    assert score_case(Case("1", "When?", answers=("1871",)), scored)["answered_sentence_hit"] == 0
    right = replace(made, sentences=tuple(replace(one, status="verified") for one in sentences))
    assert (
        score_case(Case("1", "When?", answers=("1871",)), score_answer(right, lambda _: TEXT))["answered_sentence_hit"]
        == 1
    )


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
    assert holds_gold(Case("1", "?", **gold), ("The cat\npurrs loudly.",)) is held  # type: ignore[arg-type]  # made above


FORBIDDEN = Case("1", "Is it free?", forbidden=("It is free.", "free of charge"))


@pytest.mark.parametrize(
    ("said", "without"),
    [
        ("It costs 5 euros [1].", 1.0),
        ("It is [1] FREE [2].", 0.0),
        ("Entry is free of\ncharge [1].", 0.0),
        ("It is freely given [1].", 1.0),
    ],
)
def test_forbidden_claims_are_scored(said: str, without: float) -> None:
    sentences = (Sentence(said, (1,), "unverified"),)
    scored = score_answer(Answer(said, sentences=sentences, citations=(CITED,)), lambda _: TEXT)
    assert score_case(FORBIDDEN, scored)["without_forbidden"] == without


def test_a_refusal_says_nothing_forbidden_and_a_case_without_such_claims_is_left_out() -> None:
    refused = score_answer(Answer("It is free.", abstained=True), lambda _: TEXT)
    assert score_case(FORBIDDEN, refused)["without_forbidden"] == 1.0
    assert "without_forbidden" not in score_case(Case("1", "?"), refused)


MADE = {
    "right": ScoredAnswer(False, 0.9, ("The cat purrs.",), 2, 2, "The cat purrs."),
    "wrong": ScoredAnswer(False, 0.6, ("The dog barks.",), 2, 1),
    "shy": ScoredAnswer(True, 0.3),
    "false": ScoredAnswer(False, 0.5, ("The cow moos.",), 1, 1),
    "good": ScoredAnswer(True, 0.1),
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
            "answer_f1": (2 / 3 + 0 + 0) / 3,  # "The cat purrs." and "cat", without the article: 2 · 1 / (2 + 1)
            "answer_recall": (1 + 0 + 0) / 3,
            "citation_valid": 5 / 6,
        }
    )
    assert set(report.intervals) == set(report.metrics)
    assert [row.answerability for row in report.rows] == [0.9, 0.6, 0.3, 0.5, 0.1]


async def test_what_nothing_says_is_left_out() -> None:
    async def search(case: Case) -> Ranking:
        return Ranking((), answer=ScoredAnswer(False))

    report = await evaluate(search, [Case("1", "?")])
    assert set(report.metrics) == {"AbstainAccuracy", "answered_share"}


@pytest.mark.parametrize(
    ("said", "f1", "recall"),
    [
        ("The samples are kept for 15 days. [1]", 6 / 9, 1.0),  # 6 words and 3 expected, 3 shared
        ("15 days", 2 * 2 / (2 + 3), 2 / 3),
        ("For a week", 2 / 5, 1 / 3),
        ("", 0.0, 0.0),
    ],
)
def test_an_answer_is_compared_with_the_expected_one_by_its_words(said: str, f1: float, recall: float) -> None:
    scores = score_case(Case("1", "How long?", answer="for 15 days"), ScoredAnswer(not said, text=said))
    assert scores["answer_f1"] == pytest.approx(f1)
    assert scores["answer_recall"] == pytest.approx(recall)


def test_the_nearest_of_several_answers_counts_and_unanswerable_questions_do_not() -> None:
    case = Case("1", "How long?", answers=("two weeks", "15 days"))
    assert score_case(case, ScoredAnswer(False, text="15 days"))["answer_f1"] == 1.0
    assert "answer_f1" not in score_case(replace(case, answerable=False), ScoredAnswer(False, text="15 days"))
    assert "answer_f1" not in score_case(Case("1", "?"), ScoredAnswer(False, text="15 days"))


def test_cited_documents_are_rated_by_their_grades() -> None:
    case = Case("1", "?", relevance={"a.md": 3, "b.md": 1}, acceptable=("free.md",))

    def rate(*cited: str) -> float | None:
        return score_case(case, ScoredAnswer(False, text="x", documents=cited)).get("cited_relevance")

    assert rate("docs/a.md") == 1.0
    assert rate("b.md") == pytest.approx(1 / 3)
    assert rate("a.md", "b.md", "other.md", "free.md") == pytest.approx((3 + 1) / 9)
    assert rate("free.md") is None
    assert rate() is None
    made = Answer("", citations=(CITED, replace(CITED, n=2, status="unverified", document=document("b.md"))))
    assert score_answer(made, lambda _: TEXT).documents == ("a.md",)
