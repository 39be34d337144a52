"""Two documents that contradict each other about what was asked: the answer shows both and says so, on every path."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.answers import Answer
from ragstone.testing.bag_of_words import BagOfWords
from tests.scripted import Scripted

QUESTION = "What is the notice period for employees?"
POLICY = (
    "# Leaving the company\n\nWhoever leaves tells the department of human resources in writing. The letter is signed "
    "by hand and names the reason for leaving, the address, the account for the last salary and all open claims. The "
    "notice period for employees is {}.\n"
)
BOTH = ("The notice period for employees is 15 days.", "The notice period for employees is 30 days.")


def open_store(folder: Path, model: Scripted | None = None, **options: Any) -> ragstone.Knowledge:
    pipelines = (PipelineSettings("p", collections=("old", "new")),)
    settings = Settings(str(folder / "store"), pipelines=pipelines, **options)
    return ragstone.open(settings=settings, embedder=BagOfWords(), completion=model)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """One collection with both policies, two with the same path and one of them each, and a pipeline over those."""
    for folder, days in (("both/a.md", 15), ("both/b.md", 30), ("old/policy.md", 15), ("new/policy.md", 30)):
        (tmp_path / "docs" / folder).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / folder).write_text(POLICY.format(f"{days} days"), encoding="utf-8")
    for name, folder in (("default", "both"), ("old", "old"), ("new", "new")):
        with open_store(tmp_path, collection=name) as one:
            one.ingest(tmp_path / "docs" / folder)
    return tmp_path


@pytest.fixture
def kb(filled: Path) -> Iterator[ragstone.Knowledge]:
    """It, opened without a model."""
    with open_store(filled) as knowledge:
        yield knowledge


def check_both_are_shown(answer: Answer) -> None:
    assert not answer.abstained
    assert all(text in answer.text for text in BOTH)
    assert {citation.quote for citation in answer.citations} == set(BOTH)
    check_that_it_says_so(answer)


def check_that_it_says_so(answer: Answer) -> None:
    [note] = [note for note in answer.notes if note.code == "contradiction"]
    assert all(text in note.message for text in BOTH)


def test_one_collection_shows_both(kb: ragstone.Knowledge) -> None:
    answer = kb.ask(QUESTION)
    check_both_are_shown(answer)
    assert "a.md" in answer.notes[0].message
    assert "b.md" in answer.notes[0].message


def test_several_collections_with_the_same_path_show_both(kb: ragstone.Knowledge) -> None:
    check_both_are_shown(kb.pipeline("p").ask(QUESTION))


def test_an_answer_of_a_model_comes_with_both(filled: Path) -> None:
    with open_store(filled, Scripted(lambda _: f"{BOTH[0]} [1]")) as kb:
        for answer in (kb.ask(QUESTION), kb.pipeline("p").ask(QUESTION)):
            assert answer.text.startswith(BOTH[0][:-1])
            check_that_it_says_so(answer)


def test_a_secret_in_a_contradiction_is_masked(tmp_path: Path) -> None:
    for path, secret in (("a.md", "hunter2Xy7"), ("b.md", "gatherer9Zk4")):
        (tmp_path / "docs").mkdir(exist_ok=True)
        text = f"# Access\n\nThe guest network of the office needs a login. For it use password: {secret}\n"
        (tmp_path / "docs" / path).write_text(text, encoding="utf-8")
    with ragstone.open(tmp_path / "store", embedder=BagOfWords()) as one:
        one.ingest(tmp_path / "docs")
        answer = one.ask("Which password does the guest network of the office use?")
        assert not answer.abstained
        assert "hunter2Xy7" not in repr((answer.text, answer.notes))
