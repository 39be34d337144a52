"""The signs say what they are named for, on the same scale for small and large collections."""

import pytest

from ragstone.answering.abstention.evidence import Evidence, collect_evidence
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.scored_passages import place_of_passage
from ragstone.answering.extractive.selection import apply_similarity, rank_passages, select_passages
from ragstone.core.types import Hit
from tests.answering.made import hit

TEXT = "The exporter listens on port 9100 by default. Change it with a flag. It was first released in 2015."


def found(question: str, *hits: Hit, idf: dict[str, float] | None = None, **similar: float) -> Evidence:
    idf = idf or {}
    subject = analyze_question(question, idf)
    ranked = rank_passages(subject, hits)
    ranked = apply_similarity(ranked, {place_of_passage(one.passage): 0.5 for one in ranked} if similar else {})
    return collect_evidence(subject, hits, select_passages(subject, ranked), idf=idf)


def test_words_that_only_shape_a_question_do_not_make_the_share_of_bm25_small() -> None:
    idf = {"what": 6.0, "doe": 6.0, "export": 1.0, "listen": 2.0}
    assert found("What does the exporter listen on?", hit(TEXT, bm25=1.5), idf=idf).bm25 == 0.5


def test_the_section_holds_what_the_sentence_lacks() -> None:
    seen = found("Which port does the exporter of the release listen on?", hit(TEXT))
    assert seen.sentence < seen.section
    assert seen.section == 1.0


def test_a_heading_counts_for_the_section() -> None:
    bare = found("Which port does the Node exporter listen on?", hit(TEXT))
    under = found("Which port does the Node exporter listen on?", hit(TEXT, headings=("Node",)))
    assert bare.missing == ("Node",)
    assert under.missing == ()


@pytest.mark.parametrize(
    ("question", "led"), [("Who is the director?", True), ("Who is not the director?", False), ("Who directs?", False)]
)
def test_a_heading_that_is_the_question_leads_unless_one_of_them_denies(question: str, led: bool) -> None:
    seen = found(question, hit("## Who is the director\n\nThe director of our house is Ann Lee."))
    assert seen.led == led


def test_what_is_missing_is_named_as_the_question_writes_it() -> None:
    seen = found("Are the Federation settings of `http_requests_total` for the exporter documented?", hit(TEXT))
    assert {"Federation", "settings", "http_requests_total"} <= set(seen.missing)
    assert len(seen.missing) == len(set(seen.missing))


def test_an_inflected_word_counts_as_the_same() -> None:
    assert found("Which ports are the exporters listening on?", hit(TEXT)).section == 1.0


def test_a_number_that_stands_nowhere_is_counted() -> None:
    seen = found("Which exporter listens on port 9200?", hit(TEXT))
    assert seen.numbers == 1
    assert seen.other_number == 1
    assert found("Which exporter listens on port 9100?", hit(TEXT)).numbers == 0


def test_one_hit_alone_is_not_ahead_of_others() -> None:
    assert found("exporter port", hit(TEXT, cosine=0.6)).ahead is None
    hits = [hit(TEXT, path=f"{n}.md", cosine=cosine) for n, cosine in enumerate((0.6, 0.4, 0.2))]
    assert found("exporter port", *hits).ahead == pytest.approx(0.3)


def test_without_vectors_nothing_is_said_about_similarity() -> None:
    seen = found("exporter port", hit(TEXT, bm25=1.0))
    assert (seen.cosine, seen.ahead, seen.similar) == (None, None, None)


def test_similarity_is_that_of_the_passage_that_leads() -> None:
    assert found("exporter port", hit(TEXT, cosine=0.5), similar=0.5).similar == 0.5


FRENCH = "Chaque employé a droit à vingt-huit jours de congés par an. La cantine est ouverte à midi."


def french(question: str, floor: float | None = None) -> Evidence:
    subject, hits = analyze_question(question, {}, "french"), [hit(FRENCH, cosine=0.64)]
    return collect_evidence(
        subject, hits, select_passages(subject, rank_passages(subject, hits)), compares_words=True, floor=floor
    )


def test_question_words_and_articles_of_another_language_are_no_missing_terms() -> None:
    seen = french("Combien de jours de congé est-ce que l'employé a ?")
    assert (seen.missing, seen.section, seen.covered, seen.unsaid) == ((), 1.0, 1.0, 0.0)
    assert french("Combien coûte l'assurance des employés ?").missing == ("assurance",)


def test_verbs_that_only_ask_in_another_language_weigh_in_english_as_others_do() -> None:
    plain = found("Which exporter badge listens?", hit(TEXT))
    assert found("Which exporter pass listens?", hit(TEXT)).sentence == plain.sentence  # French "passe" has its stem


def test_cosines_begin_at_what_unrelated_texts_of_the_language_reach() -> None:
    plain, raised = french("Où est la cantine ?"), french("Où est la cantine ?", floor=0.4)
    assert (plain.cosine, raised.cosine) == (0.64, 0.5)


def test_single_words_decide_nothing_in_a_language_that_the_model_knows_badly() -> None:
    assert french("Où est la cantine ?").compares_words
    assert not french("Où est la cantine ?", floor=0.4).compares_words
