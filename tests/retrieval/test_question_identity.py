"""Two questions pass for one only where nothing parts them; what the benchmark's pairs say, in short."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.retrieval.question_identity import explain_difference

PAIRS = Path(__file__).parents[2] / "benchmarks" / "answers" / "cache_pairs"


def pairs() -> list[list[str]]:
    rows: list[list[str]] = []
    for name in ("first.tsv", "second.tsv", "third.tsv"):
        with (PAIRS / name).open(encoding="utf-8") as file:
            rows += csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return rows


def test_of_pairs_by_hand_no_other_question_passes_and_most_paraphrases_do() -> None:
    rows = pairs()
    assert [row for row in rows if row[0] != "same" and explain_difference(row[1], row[2]) is None] == []
    same = [row for row in rows if row[0] == "same"]
    assert len(same) == 160
    assert sum(explain_difference(one, other) is None for _, one, other in same) >= 100


def test_the_order_of_two_questions_does_not_matter() -> None:
    for _, one, other in pairs():
        assert (explain_difference(one, other) is None) == (explain_difference(other, one) is None)
        assert explain_difference(one, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does -n do?", "What does -N do?"),
        ("Is a > b?", "Is a < b?"),
        ("What is C?", "What is C++?"),
        ("What is &str?", "What is str?"),
        ("keep it for 5m", "keep it for 5M"),
        ("What is new in 3.1?", "What is new in 3.10?"),
        ("What is str in Rust?", "What is a string in Rust?"),
        ("Is Thanos scraped by Prometheus?", "Does Thanos scrape Prometheus?"),
        ("Who had to sign?", "Who has to sign?"),
        ("Who maintains it?", "Who maintained it?"),
        ("From MySQL to PostgreSQL", "To MySQL from PostgreSQL"),
        ("Wie aktiviere ich den Cache?", "Wie deaktiviere ich den Cache?"),
        ("Wie aktiviere ich den Cache?", "Wie aktiviere ich den Cache nicht?"),
        ("如何启用缓存", "如何禁用缓存"),
        ("What is a plan?", "What is a plane?"),
        ("Which universes?", "Which universities?"),
        ("How do I import data?", "How is important data?"),
        ("What is it?", "What is this?"),
        ("What does remove do in Python?", "What does delete do in Python?"),
        ("What is the max of it?", "What is the maximum of it?"),
    ],
)
def test_what_looks_alike_and_is_not(one: str, other: str) -> None:
    assert explain_difference(one, other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In Rust, how do I sort a vector?", "How do I sort vectors in Rust?"),
        ("How can the collection be deleted?", "How do I delete a collection?"),
        ("What does a gauge mean?", "What is the meaning of a gauge?"),
        ("Can I deploy at night?", "Is it possible to deploy at night?"),
        ("What is Rust's default edition?", "What is the default edition of Rust?"),
        ("Which tests have 1,200 cases?", "Which tests have 1200 cases?"),
        ("How do I run two instances?", "How can I run 2 instances?"),
        ("如何启用缓存？", "如何启用缓存"),
    ],
)
def test_what_reads_otherwise_and_asks_the_same(one: str, other: str) -> None:
    assert explain_difference(one, other) is None


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    assert explain_difference(one, one) is None
    explain_difference(one, other)


def test_a_long_question_is_its_own() -> None:
    long = "How do I do it? " * 100
    assert explain_difference(long, f" {long}") is None
    assert explain_difference(long, f"{long} now") == "both are long"
