"""A search for a topic finds the section that is headed by it, and an answer quotes where it begins."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

import ragstone
from ragstone.answering.extractive.asked_documents import part_by_question
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.core.types import Hit
from ragstone.retrieval.question import Question, QuestionDefaults, build_question
from ragstone.retrieval.ranking import HEADED, apply_options
from ragstone.retrieval.topics import find_topic, rate_heading
from tests.retrieval.made import hit


def asked(text: str, **options: object) -> Question:
    now = datetime(2024, 6, 1, tzinfo=UTC)
    return build_question(text, QuestionDefaults(clock=lambda: now), None, options)


def headed(text: str, *headings: str, title: str | None = None, **options: object) -> Hit:
    made = hit(text, **options)  # type: ignore[arg-type]
    document = replace(made.chunk.document, title=title)
    return replace(made, chunk=replace(made.chunk, heading_path=headings, document=document))


# By score, as a search orders them.
SICK = "## Sick leave\nTell your manager before nine."
FOUND = [
    headed("Sick leave is not paid leave, says the sick.", "Holidays", path="a.md", score=0.9),
    headed("A note is wanted on day three.", "Sick leave", path="b.md", ordinal=1, score=0.5),
    headed(SICK, "Sick leave", path="b.md", score=0.4),
]


@pytest.mark.parametrize(
    "question",
    [
        "sick leave",
        "Sick leave?",
        "Leave of the sick",
        "Sick leave policy",
        "What are the rules for sick leave?",
        "What does the handbook say about sick leave?",
    ],
)
def test_what_the_question_heads_comes_first_its_beginning_before_the_rest(question: str) -> None:
    ordered = apply_options(FOUND, asked(question))
    assert [one.chunk.text for one in ordered] == [SICK, FOUND[1].chunk.text, FOUND[0].chunk.text]
    assert [one.signals.get("heading") for one in ordered] == [0.9, 0.5, 0.0]


@pytest.mark.parametrize("question", ["When is sick leave paid?", "leave", "sick leave of parents"])
def test_a_heading_that_says_more_or_less_than_the_question_lifts_nothing(question: str) -> None:
    assert apply_options(FOUND, asked(question)) == FOUND


def test_the_document_that_is_named_comes_before_others_with_that_heading() -> None:
    found = [
        headed(SICK, "Sick leave", path="guide.md", score=0.9),
        headed(SICK, "Sick leave", path="handbook.md", score=0.4),
    ]
    for question, path in (("What does the handbook say about sick leave?", "handbook.md"), (SICK[3:13], "guide.md")):
        assert apply_options(found, asked(question, fold=False))[0].chunk.document.path == path
        best, others = part_by_question(analyze_question(question, {}), found)
        assert best[0].chunk.document.path == path
        assert len(others) == (path == "handbook.md")


def test_weight_0_leaves_the_order() -> None:
    assert apply_options(FOUND, asked("sick leave", heading_weight=0.0))[0] == FOUND[0]
    assert apply_options(FOUND, asked("sick leave", profile="default_research"))[0].chunk == FOUND[0].chunk


def test_the_title_of_a_document_heads_its_beginning_alone() -> None:
    first, second = (headed("Read on.", title="Sick leave", ordinal=n, score=0.1) for n in (0, 1))
    assert [rate_heading(one.chunk, "Sick leave") for one in (first, second)] == [1.0, 0.0]


def test_only_the_first_hits_are_lifted() -> None:
    far = [headed("Text.", path=f"{n:03}.md", score=0.9 - n / 1000) for n in range(HEADED)]
    assert apply_options([*far, FOUND[2]], asked("sick leave"))[0].chunk == far[0].chunk
    assert apply_options([*far[1:], FOUND[2]], asked("sick leave"))[0].chunk == FOUND[2].chunk


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Please tell me something about refunds!", "refunds"),
        ("What do the docs say about `retries`?", "retries"),
        ("What should I know about working from home?", "working from home"),
        ("Explain how pods are moved", "how pods are moved"),
        ("Describe the refund", "refund"),
        ("What is written in the contract about notice?", "notice"),
        ("What does it cost?", None),
        ("Which refunds are there?", None),
        ("Tell me about " + "a" * 300, None),
        ("Erzähl mir von der Probezeit.", "Probezeit"),
        ("Háblame de las vacaciones", "vacaciones"),
        ("Che cosa dice il manuale sulle ferie?", "ferie"),
        ("O que diz o contrato sobre a rescisão?", "rescisão"),
        ("Wat staat er in het handboek over ziekteverlof?", "ziekteverlof"),
        ("Parle-moi des congés.", "congés"),
    ],
)
def test_a_topic_is_what_is_asked_about_without_the_words_that_ask(question: str, topic: str | None) -> None:
    assert find_topic(question) == topic


HANDBOOK = """# Handbook

Holidays, sick leave and parental leave are granted by the people team.

## Holidays

Nobody may take more than ten days of holidays in a row without asking for sick leave or parental leave first.

## Sick leave

Tell your manager before nine o'clock. Send a note from the third day on.

It goes to the people team, which keeps it for a year.

## Expenses

- Trains in second class
- Hotels up to 120 euros

Everything else is asked for before.
"""


@pytest.mark.parametrize(
    "question", ["Sick leave", "Tell me about sick leave.", "What does the handbook say about sick leave?"]
)
def test_an_answer_quotes_the_beginning_of_the_section(kb: ragstone.Knowledge, question: str) -> None:
    kb.ingest_texts({"handbook.md": HANDBOOK, "other.md": "# Leave\n\nSick people leave the office at once.\n"})
    found = kb.search(question, top_k=1).hits[0]
    assert "Tell your manager" in found.chunk.text
    answer = kb.ask(question)
    assert not answer.abstained
    assert answer.text.startswith("Tell your manager before nine o'clock. Send a note from the third day on.")


def test_a_list_below_the_heading_is_quoted_as_one(kb: ragstone.Knowledge) -> None:
    kb.ingest_texts({"handbook.md": HANDBOOK})
    answer = kb.ask("What does the handbook say about expenses?")
    assert answer.text.startswith("- Trains in second class\n- Hotels up to 120 euros\n")


def test_a_question_for_a_fact_is_no_topic_unless_the_heading_asks_for_it_too() -> None:
    why, who = analyze_question("Why is there sick leave?", {}), analyze_question("Who pays the rent?", {})
    assert not why.is_heading("Sick leave is there")
    assert who.is_heading("## Who pays the rent?")
    assert not who.is_heading("Rent pays")


def test_an_answer_begins_where_the_document_of_that_title_begins(kb: ragstone.Knowledge) -> None:
    titled = "---\ntitle: Parking\n---\n\n# What is allowed?\n\nCars stand behind the house. Bikes go below it.\n"
    kb.ingest_texts({"rules.md": titled, "faq.md": "# Questions\n\n## May I park here?\n\nSee the page on parking.\n"})
    assert kb.ask("parking").text.startswith("Cars stand behind the house. Bikes go below it.")


def test_a_comment_in_code_is_not_a_heading() -> None:
    text = "```sh\n# Sick leave\nls\n```\n\n## Parking\n"
    assert [rate_heading(headed(text, ordinal=1).chunk, asked) for asked in ("sick leave", "parking")] == [0.0, 0.9]
