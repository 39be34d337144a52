"""A quoted answer reads as the page does; the quote of its citation is what the file says."""

from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.answering.shown_markdown import strip_markup
from tests.speed import in_step

Open = Callable[..., ragstone.Knowledge]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('a [link](https://x.org/a_(b) "title") here', "a link here"),
        ("![A chart](chart.png) of *all* **sales**", "A chart of all sales"),
        ("see [the page][1] and [other][]", "see the page and other"),
        ("x<sup>2</sup> and <br/>a note[^1]", "x2 and a note"),
        ("[_time series_](https://x.org)", "time series"),
        ("write to <mailto:a@x.org>", "write to mailto:a@x.org"),
        ("`[a](b) *c*` and ``d`` stay", "`[a](b) *c*` and ``d`` stay"),
        ("snake_case_name, 2*3*4, __init__.py and a * b", "snake_case_name, 2*3*4, __init__.py and a * b"),
        ("* an item\n* [next](n.md)", "* an item\n* next"),
        ("| a | **b** |\n|---|---|", "| a | b |\n|---|---|"),
        ("- [ ] open, [x] done, list[0]", "- [ ] open, [x] done, list[0]"),
        (r"100\% \*sure\*", "100% *sure*"),
        (
            "called _hello_cargo_, **_loud_**, _**both**_ and **more *of* it**",
            "called hello_cargo, loud, both and more of it",
        ),
        ("[`Result<T, E>`](x.md) and [the `[a](b)`][ref]<!-- ignore -->", "`Result<T, E>` and the `[a](b)`"),
        ("one<br>two", "one two"),
        ("a \ue0000\ue001 sign of a font, `x` and *y*", "a \ue0000\ue001 sign of a font, `x` and *y*"),
    ],
)
def test_marks_that_a_page_does_not_show_are_left_out(written: str, shown: str) -> None:
    assert strip_markup(written) == shown


def test_stripping_takes_time_in_step_with_the_text() -> None:
    for unit in ("[", "](", "*a ", "_a", "<a ", "`", "[^", "![x](", "[a](b", "\\", "<!--", "_a_b"):
        in_step(lambda times, unit=unit: strip_markup(unit * times), 10_000, 40_000, most=8)  # type: ignore[misc]  # bound at once


def test_an_answer_is_shown_as_read_and_its_citation_as_written(tmp_path: Path, opened: Open) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    line = "The [release cycle](release.md) begins every **6 weeks**."
    (docs / "cycle.md").write_text(f"# Cycle\n\n{line}\n", encoding="utf-8")
    kb = opened(answer__abstain="never")
    kb.ingest(docs)
    answer = kb.ask("How often does the release cycle begin?")
    assert answer.text == "The release cycle begins every 6 weeks. [1]"
    assert answer.citations[0].quote == line
    assert answer.citations[0].status == "verified"


def test_a_quote_of_markdown_keeps_no_marks_of_a_block_quote(tmp_path: Path, opened: Open) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mail.md").write_text("> We recommend that you do\n> not use the old command.\n", encoding="utf-8")
    kb = opened(answer__abstain="never")
    kb.ingest(docs)
    answer = kb.ask("Do you recommend to use the old command?")
    assert "We recommend that you do not use the old command." in answer.text


def test_marks_of_notes_end_a_sentence(tmp_path: Path, opened: Open) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    text = "It was founded in 1911.[25][26] His slogan was famous.[27](#n) Watson led the company for decades.\n"
    (docs / "firm.md").write_text(text, encoding="utf-8")
    kb = opened(answer__abstain="never")
    kb.ingest(docs)
    answer = kb.ask("Who led the company for decades?")
    assert answer.citations[0].quote == "Watson led the company for decades."
