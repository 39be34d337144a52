"""A question that names a document, or asks for the latest, is answered from it, or not at all."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.answering.extractive.asked_documents import part_by_question
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.written_names import add_written_names
from ragstone.core.types import Hit
from ragstone.testing.stores.samples import make_revision
from tests.speed import grows_in_step

LEAVE = "# Leave\n\nEmployees have 28 days of paid annual leave.\n"
TRAVEL = "# Travel\n\nFlights over six hours may be booked in business class.\n"
REPORTS = {"2023 Q1 NVDA.pdf": "Revenue rose.", "2023 Q2 NVDA.pdf": "Revenue fell.", "2023 Q1 INTC.pdf": "Revenue."}


def found(pages: dict[str, str]) -> list[Hit]:
    made = [make_revision(path, [text], title=None).chunks[0] for path, text in pages.items()]
    return [Hit(chunk, 1.0, {}) for chunk in made]


def kept(question: str, pages: dict[str, str], language: str | None = None) -> list[str]:
    stay, _ = part_by_question(analyze_question(question, {}, language), found(pages))
    return [hit.chunk.document.path for hit in stay]


@pytest.mark.parametrize(
    ("question", "stay"),
    [
        ("How was the revenue of NVDA in Q1 2023?", ["2023 Q1 NVDA.pdf"]),
        ("How was the revenue of NVDA in 2023?", ["2023 Q1 NVDA.pdf", "2023 Q2 NVDA.pdf"]),
        ("How was the revenue of AMD in Q2 2023?", ["2023 Q2 NVDA.pdf"]),
        ("How was the revenue in 2023?", list(REPORTS)),
        ("How was the revenue?", list(REPORTS)),
        ("Did the revenue of NVDA or of INTC rise in Q1?", ["2023 Q1 NVDA.pdf", "2023 Q1 INTC.pdf"]),
    ],
)
def test_of_documents_that_differ_in_their_names_those_that_the_question_names_stay(
    question: str, stay: list[str]
) -> None:
    assert kept(question, REPORTS) == stay


def test_a_passage_that_says_the_name_itself_stays_and_so_does_one_whose_heading_does() -> None:
    pages = {"Globex/travel.md": "Flights.", "all/leave.md": "Staff of Globex have 28 days.", "all/sick.md": "Notes."}
    pages |= {"all/food.md": "Lunch."}
    assert kept("What has Globex agreed to?", pages) == ["Globex/travel.md", "all/leave.md"]
    above = [replace(hit, chunk=replace(hit.chunk, heading_path=("Globex",))) for hit in found({"b.md": "28 days."})]
    asked = analyze_question("What has Globex agreed to?", {})
    assert part_by_question(asked, [*found(pages), *above])[0][-1] == above[0]


@pytest.mark.parametrize(
    ("question", "named", "general"),
    [
        ("When are backups of the database in Docker written?", "docker.md", "Backups of the database are at 2."),
        ("What status does the API return beyond the rate limit?", "api-reference.md", "Beyond the rate limit: 429."),
        ("How much does a course in English cost?", "English course.md", "A course costs 300 euros."),
        ("How many days of leave does ACME give?", "ACME/about.md", "Employees have 28 days of leave."),
        ("Combien de jours de congés donne ACME ?", "clients/ACME.md", "Les employés ont 28 jours de congés."),
    ],
)
def test_a_named_document_that_says_less_of_what_is_asked_outdoes_none_of_another_kind(
    question: str, named: str, general: str
) -> None:
    pages = {named: "It was written in May.", "general.md": general}
    assert kept(question, pages) == list(pages)


@pytest.mark.parametrize(
    "paths", [("Configure Docker.md", "Configure backups.md"), ("Docker/setup.md", "Backups/setup.md")]
)
def test_a_document_whose_other_name_is_asked_for_too_stays(paths: tuple[str, str]) -> None:
    pages = dict(zip(paths, ("It is set in daemon.json.", "Write the hour of backups into cron."), strict=True))
    assert kept("How do I configure the hour of backups in Docker?", pages) == list(pages)


def test_a_passage_that_says_another_name_which_is_its_documents_own_gives_way() -> None:
    pages = {"ACME.md": "At ACME staff have 28 days of leave.", "Globex.md": "Flights may be booked."}
    assert kept("How many days of leave do staff of Globex have?", pages) == ["Globex.md"]


def test_in_german_where_every_noun_has_a_capital_a_noun_is_not_taken_for_a_name() -> None:
    pages = {"Vertrag.md": "Er endet im Mai.", "Arbeit.md": "Die Kündigungsfrist beträgt drei Monate."}
    assert kept("Wie lange ist die Kündigungsfrist im Vertrag?", pages, "german") == list(pages)


@pytest.mark.parametrize(
    ("question", "language", "stay"),
    [
        ("Which price is the latest?", None, ["prices v1.10.xlsx", "plan 2024.md"]),
        ("What is the current price?", None, ["prices v1.10.xlsx", "plan 2024.md"]),
        ("What is the actual price?", None, None),
        ("What was the current price in 2023?", None, None),
        ("Wie hoch ist der aktuelle Preis?", "german", ["prices v1.10.xlsx", "plan 2024.md"]),
        ("Wie hoch ist der Preis?", "german", None),
    ],
)
def test_of_several_states_of_a_document_the_latest_stays_where_it_is_asked_for(
    question: str, language: str | None, stay: list[str] | None
) -> None:
    pages = {"prices v1.9.pdf": "5 euros.", "prices v1.10.xlsx": "6 euros.", "plan 2024.md": "It grows."}
    assert kept(question, pages, language) == (list(pages) if stay is None else stay)


@pytest.mark.parametrize(
    ("question", "stay"),
    [
        ("What did we decide on March 3, 2026?", ["2026-03-03.md", "plan.md"]),
        ("What did we decide on 2026-03-04?", ["2026-03-04.md", "plan.md"]),
        ("Was haben wir am 3. März 2026 beschlossen?", ["2026-03-03.md", "plan.md"]),
        ("Qu'avons-nous décidé le 3 mars 2026 ?", ["2026-03-03.md", "plan.md"]),
        ("¿Qué decidimos el 4 de marzo de 2026?", ["2026-03-04.md", "plan.md"]),
        ("Qu'avons-nous décidé en mars 2026 ?", ["2026-03-03.md", "2026-03-04.md", "plan.md"]),
        ("What flew with Mars 2026?", ["2026-03-03.md", "2026-03-04.md", "2026-05-05.md", "plan.md"]),
        ("What did we decide in March 2026?", ["2026-03-03.md", "2026-03-04.md", "plan.md"]),
        ("What did we decide on 2026-03-03 and 05.05.2026?", ["2026-03-03.md", "2026-05-05.md", "plan.md"]),
        ("What did we decide on June 1, 2026?", ["2026-03-03.md", "2026-03-04.md", "2026-05-05.md", "plan.md"]),
    ],
)
def test_a_question_for_a_day_or_month_is_answered_from_the_notes_of_it(question: str, stay: list[str]) -> None:
    days = dict.fromkeys(["2026-03-03.md", "2026-03-04.md", "2026-05-05.md", "plan.md"], "We wait.")
    assert kept(question, days) == stay
    versions = {"guide 1.9.md": "It waits.", "guide 1.10.md": "It runs."}
    assert kept("What does it do in version 1.9?", versions) == ["guide 1.9.md"]


@pytest.mark.parametrize(
    ("question", "older"),
    [
        ("What is the current phone number of Anna?", "Anna's current phone number is 0171 555."),
        ("Which Java does the latest version of the server need?", "The latest version of the server needs Java 17."),
        ("How large is the current in the coil?", "The current in the coil is 5 amperes."),
    ],
)
def test_a_later_note_that_says_less_of_what_is_asked_does_not_answer_for_an_older_one(
    question: str, older: str
) -> None:
    pages = {"daily/2024-03-04.md": older, "daily/2024-03-09.md": "The server room and the coil were painted."}
    assert kept(question, pages) == list(pages)


def test_digits_without_end_are_no_version() -> None:
    pages = {"guide 1.9.md": f"v{'1' * 5_000} 1.{'1' * 5_000}", "guide 1.10.md": "It runs."}
    assert kept("What does it do in version 1.9?", pages) == ["guide 1.9.md"]


def test_documents_of_one_title_are_told_apart_by_their_dates() -> None:
    said: list[dict[str, Any]] = [{"meta": {"date": "2023-05-01"}}, {"effective_at": "2024-01-01"}, {}]
    dated = [
        replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, title="Prices", **more)))
        for hit, more in zip(found({"a.md": "5 euros.", "b.md": "6 euros.", "c.md": "7 euros."}), said, strict=True)
    ]
    stay, older = part_by_question(analyze_question("What is the latest price?", {}), dated)
    assert (stay, older) == (dated[1:], dated[:1])


def test_a_question_about_one_firm_is_not_answered_from_the_page_of_another(tmp_path: Path) -> None:
    for name, text in (("ACME/leave.md", LEAVE), ("Globex/travel.md", TRAVEL)):
        (tmp_path / "firm" / name).parent.mkdir(parents=True)
        (tmp_path / "firm" / name).write_text(text)
    question = "How many days of paid leave do employees of {} have?"
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(tmp_path / "firm")
        for asked in (question, question.lower()):
            assert "28 days" in kb.ask(asked.format("acme" if asked.islower() else "ACME")).text
            refused = kb.ask(asked.format("globex" if asked.islower() else "Globex"))
            assert (refused.abstained, refused.reason) == (True, "something_else")
            assert refused.closest


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what do staff of globex get?", {"globex"}),
        ("what does acme pay for backups?", {"acm"}),
        ("what does the intranet say?", {"intranet"}),
        ("what does Initech say of globex?", {"initech"}),  # a question with capitals tells its names
        ("which staff gets it?", set()),
        ("2023?", set()),
        ("?", set()),
    ],
)
def test_a_question_in_small_letters_says_the_names_that_passages_write(question: str, names: set[str]) -> None:
    hits = found(
        {
            "Intranet/Backups.md": "Staff backups of ACME are daily. Backups cost nothing.",
            "rules.md": "People who work for Globex get 28 days, as staff.",
        }
    )
    assert add_written_names(analyze_question(question, {}), hits).names == names


def test_many_words_of_a_question_cost_time_in_step() -> None:
    hits = found({"a.md": "A1 and " * 1_000})

    def add(size: int) -> None:
        add_written_names(analyze_question(" ".join(f"a{number}" for number in range(size)), {}), hits)

    grows_in_step(add, (250, 500, 1_000, 2_000))
