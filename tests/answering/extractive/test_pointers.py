"""Headings, captions and tables of contents lead to an answer and are never one."""

from dataclasses import replace

import pytest

from ragstone.answering.extractive.passages import chunk_passages
from ragstone.answering.extractive.question_analysis import analyze_question
from ragstone.answering.extractive.quotable import sends_elsewhere
from ragstone.answering.extractive.reading_form import make_quotes
from ragstone.answering.extractive.selection import rank_passages, select_passages
from ragstone.answering.verification.citations import cite_quotes
from ragstone.core.headings import name_heading
from ragstone.core.types import Hit
from ragstone.extraction.media_types import CODE
from tests.answering.made import hit, same

QUESTION = "How do I save images with alpha?"
ANSWER = "Choose PNG and tick Keep alpha."


def answer(question: str, *hits: Hit) -> list[str]:
    subject = analyze_question(question, {})
    return [one.passage.text for one in select_passages(subject, rank_passages(subject, hits))]


@pytest.mark.parametrize(
    "heading",
    [
        "### 3. Saving images with alpha",
        "### 2.3. Saving images with alpha",
        "**4. Saving images with alpha**",
        "2.3. Saving images with alpha",
        "3. Saving images with alpha\n===========================",
        "## Chapter 3. Saving images with alpha",
    ],
)
def test_a_heading_with_a_number_is_one_line_and_no_answer(heading: str) -> None:
    assert answer(QUESTION, hit(f"{heading}\n\n{ANSWER}", headings=[heading.strip("#* ").split("\n")[0]])) == [ANSWER]


def test_a_line_that_only_repeats_the_question_is_no_answer() -> None:
    assert answer(QUESTION, hit(f"Intro.\n\nSaving images with alpha\n\n{ANSWER}")) == [ANSWER]


@pytest.mark.parametrize("caption", ["Figure 3.1. Saving images with alpha", "![Saving images with alpha]"])
def test_a_caption_or_the_name_of_a_picture_is_no_answer(caption: str) -> None:
    assert answer(QUESTION, hit(f"Intro.\n\n{caption}\n\n{ANSWER}")) == [ANSWER]


def test_a_row_of_pictures_is_no_answer() -> None:
    row = "| ![Save] | ![Images with alpha](a.png) |"
    assert answer(QUESTION, hit(f"| a | b |\n|---|---|\n{row}\n| Save | {ANSWER} |")) == [f"| Save | {ANSWER} |"]


def test_a_question_for_yes_or_no_may_be_answered_by_its_own_words() -> None:
    said = "Admins delete collections"
    assert answer("Do admins delete collections?", hit(f"Rights are few.\n\n{said}\n\nNobody else.")) == [said]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many days of vacation do I get?", "- 30 days of vacation"),
        ("When was the company founded?", "- 1998: Company founded"),
        ("Where is the archive of letters?", "- Room 12: Archive of letters"),
        ("What is the HTTPS port?", "- 443: HTTPS port"),
    ],
)
def test_a_line_that_answers_by_its_number_is_an_answer(question: str, said: str) -> None:
    assert answer(question, hit(f"Facts.\n\n{said}\n- Something else")) == [said]


def test_a_line_of_a_table_of_contents_is_no_answer() -> None:
    contents = hit("- 1. Opening files\n- 2. Saving images with alpha\n- 3. Printing", path="index.md")
    section = hit(ANSWER, path="save.md", headings=["2. Saving images with alpha"])
    question = "How is an image with alpha kept when saving it as PNG?"
    assert not any("Saving images" in text for text in answer(question, contents, section))


def test_a_page_that_is_mostly_code_is_read_as_a_page() -> None:
    """Its heading was quoted with all below it as one piece, in one line."""
    page = "### Compress a few types\n\n```\nCompress text/html\nCompress text/css\n```\n\nRestart it then."
    found = hit(page, headings=["Compress a few types"])
    chunk = replace(found.chunk, kind="code")
    forms = [one.form for one in chunk_passages(chunk, 0)]
    assert forms == ["heading", "code", "sentence"]
    subject = analyze_question("How do I compress a few types?", {})
    chosen = select_passages(subject, rank_passages(subject, [replace(found, chunk=chunk)]))
    sentences, _ = cite_quotes(make_quotes(chosen), {chunk.document.id: page}, mask=same, secrets=lambda _: [])
    assert "Compress text/html\nCompress text/css" in "\n".join(one.text for one in sentences)


def test_a_block_of_code_that_began_before_its_chunk_ends_where_it_ends() -> None:
    """The closing fence was taken for an opening one, and the prose below for code."""
    found = hit("tar xf node.tgz\n./node\n```\n\nThe node listens on port 9100.", headings=["Run it"])
    pieces = chunk_passages(replace(found.chunk, kind="code"), 0)
    assert [(one.form, one.text) for one in pieces] == [
        ("code", "tar xf node.tgz\n./node\n```"),
        ("sentence", "The node listens on port 9100."),
    ]


def test_a_program_with_a_fence_in_a_comment_is_a_program() -> None:
    text = 'def free():\n    """Frees the lock.\n\n    ```\n    free()\n    ```\n    """\n'
    chunk = hit(text).chunk
    program = replace(chunk, kind="code", document=replace(chunk.document, media_type=CODE))
    assert chunk_passages(program, 0)[0].text == text


def test_a_number_in_a_name_tells_headings_apart() -> None:
    assert name_heading("Windows 11 setup") != name_heading("Windows 10 setup")
    assert name_heading("2024 Annual report") != name_heading("Annual report")


def test_names_of_sections_answer_a_question_for_a_list() -> None:
    found = [
        hit("- A file\n- Azure SQL", path="a.md"),
        hit("It is fast.", path="b.md", headings=["Azure SQL"]),
    ]
    assert "- Azure SQL" in answer("Which SQL databases of a cloud are supported?", *found)


ELSEWHERE = [
    "For more on saving images with alpha, see the section called “Saving images with alpha”.",
    "See the Section 7.6, “Saving images with alpha” for instructions.",
    "Saving images with alpha is explained in chapter 3.",
    "The next section describes saving images with alpha.",
    "This document will guide you through saving images with alpha in version 3.8.",
    "Siehe Kapitel 3, Saving images with alpha.",
]


@pytest.mark.parametrize("said", ELSEWHERE)
def test_a_sentence_that_sends_the_reader_elsewhere_answers_worse_than_others(said: str) -> None:
    assert answer(QUESTION, hit(f"{said}\n\n{ANSWER}"))[0] == ANSWER


def test_it_is_quoted_where_a_place_is_asked_for_or_nothing_else_is_said() -> None:
    said = ELSEWHERE[2]
    assert answer("Where is saving images with alpha explained?", hit(f"{said}\n\n{ANSWER}"))[0] == said
    assert answer(QUESTION, hit(said)) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "See to it that images are saved with alpha.",
        "In this dialog tick Keep alpha to save images with alpha.",
        "To save images with alpha, tick Keep alpha.",
    ],
)
def test_a_sentence_that_says_more_is_an_answer(said: str) -> None:
    assert not any(sends_elsewhere(one) for one in chunk_passages(hit(said).chunk, 0))
