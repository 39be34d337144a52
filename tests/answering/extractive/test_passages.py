"""What of a chunk may be quoted, and in what form."""

from dataclasses import replace

import pytest

from ragstone.answering.extractive.passages import chunk_passages, split_passages
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.selection import rank_passages
from ragstone.core.types import Hit
from tests.answering.made import chunk, hit


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("One sentence\nover two lines.", True),
        ("- an item\n  over two lines", True),
        ("```sh\nkill -HUP 1\n```", False),
        ("| a | b |", False),
        ("One line. ", True),
        ("[Timer]\nOnCalendar=*-*-* 02:40", False),
        ("get:\n  summary: List invoices\n  operationId: list", False),
        ("The server: it starts\nearly and says: ready.", True),
        ("Set x=1 in the file, or\nelse nothing happens.", True),
    ],
)
def test_only_line_breaks_of_prose_mean_nothing(text: str, prose: bool) -> None:
    [[passage]] = split_passages([hit(text)])
    assert passage.is_prose is prose


@pytest.mark.parametrize(
    "heading", ["# Tax", "Tax\n===", "Tax\n-----", "Tax\n^^^", "== Tax ==", "> ## Tax", "Tax\r\n==="]
)
def test_a_heading_is_no_part_of_the_sentence_below_it(heading: str) -> None:
    [[above, below]] = split_passages([hit(f"{heading}\nThe rate is nine percent.")])
    assert (above.form, below.form) == ("heading", "sentence")
    assert below.text == "The rate is nine percent."


@pytest.mark.parametrize(
    "line", ["Source: Eurostat, 2023.", "*Source*: own survey", "Quelle: Statistisches Bundesamt", "Fuente : INE"]
)
def test_a_line_that_names_a_source_is_quoted_only_if_one_asks_for_it(line: str) -> None:
    found = [hit(f"Rents rose by 4 percent.\n\n{line}")]
    assert [p.form for p in split_passages(found)[0]] == ["sentence", "source"]
    about = analyze_question("How did the Eurostat survey of Bundesamt and INE go?", {})
    assert all(line not in one.passage.text for one in rank_passages(about, found))
    asked = analyze_question("Which source do the rents come from?", {})
    assert any(line in one.passage.text for one in rank_passages(asked, found))


def test_a_heading_that_html_left_without_marks_stands_apart() -> None:
    shown = replace(chunk("Dog tax\nThe rate is nine percent."), heading_path=("Dog tax",))
    assert [(p.text, p.form) for p in split_passages([Hit(shown, 1.0)])[0]] == [
        ("Dog tax", "heading"),
        ("The rate is nine percent.", "sentence"),
    ]


def test_an_introduction_with_its_list_is_no_prose() -> None:
    text = "Follow these steps:\n\n- Fetch it.\n- Build it."
    first = split_passages([hit(text)])[0][0]
    assert first.is_prose
    assert not replace(first, end=len(text)).is_prose


def test_a_sentence_does_not_end_inside_a_secret() -> None:
    record = 'The zebra has password: "Corr3ct! Horse9 battery" for admins. It is old.'
    start, end = record.index("Corr"), record.index('" for')
    whole = chunk(record)
    assert len(split_passages([Hit(whole, 1.0)])[0]) == 3
    watched = replace(whole, secrets=((start, end, "password"),))
    assert [p.text for p in split_passages([Hit(watched, 1.0)])[0]] == [record[: record.index(" It")], "It is old."]


def test_a_numbered_line_heads_the_paragraph_below_it() -> None:
    pieces = chunk_passages(hit("LEASE\n\n3 Rent\nThe rent is 41,500 euros.\n\n4 Use\nGoods are stored.").chunk, 0)
    assert [(one.form, one.sections) for one in pieces if "\n" not in one.text][1:] == [
        ("heading", ("3 Rent",)),
        ("sentence", ("3 Rent",)),
        ("heading", ("4 Use",)),
        ("sentence", ("4 Use",)),
    ]
