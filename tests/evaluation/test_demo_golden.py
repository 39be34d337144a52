import hashlib
from collections import Counter
from pathlib import Path

import pytest

from ragstone.evaluation import Case, load_cases, locate_quotes
from tests.beside import DATA

DEMO = Path(__file__).resolve().parents[2] / "demo"
DOCS = DEMO / "docs"
SUMS = Path(__file__).with_name("demo.sha256")
ORIGINAL = DATA / "kb" / "prometheus_docs" / "content" / "docs"
CASES = load_cases(DEMO / "golden.jsonl")
ANSWERABLE = [case for case in CASES if case.answerable]
UNANSWERABLE = [case for case in CASES if not case.answerable]


def record(path: str) -> str:
    return (DOCS / path).read_bytes().decode("utf-8")


@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case.id)
def test_an_answerable_question_names_documents_and_quotes_that_are_there(case: Case) -> None:
    assert case.relevance
    assert all((DOCS / path).is_file() for path in case.relevance)
    assert case.quotes
    assert {quote.path for quote in case.quotes} <= case.relevance.keys()
    for span in locate_quotes(case, record).spans:
        assert record(span.path)[span.char_start : span.char_end] in {quote.text for quote in case.quotes}
    assert all(record(quote.path).count(quote.text) == 1 for quote in case.quotes)
    assert case.answer
    assert case.answer_contains
    assert all(any(part in quote.text for quote in case.quotes) for part in case.answer_contains)


def test_the_counts_hold() -> None:
    kinds = Counter(case.kind for case in UNANSWERABLE)
    assert len(CASES) >= 60
    assert len(ANSWERABLE) >= 48
    assert kinds.keys() == {"near miss", "off topic"}
    assert len(UNANSWERABLE) >= 12
    assert abs(kinds["near miss"] - kinds["off topic"]) <= 1
    assert len({case.question for case in CASES}) == len(CASES)


def test_questions_for_two_documents_have_a_quote_in_each() -> None:
    double = [case for case in ANSWERABLE if case.kind == "two documents"]
    assert len(double) >= 6
    assert all(len({quote.path for quote in case.quotes}) >= 2 for case in double)


def test_an_unanswerable_question_names_no_document() -> None:
    assert not any(case.relevance or case.quotes or case.answer for case in UNANSWERABLE)


def test_the_readme_counts_the_kinds_and_asks_three_questions_of_the_set() -> None:
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    for kind, count in Counter(case.kind for case in CASES).items():
        assert f"| {kind} | {count} |" in readme
    asked = [case for case in CASES if f"| {case.question} |" in readme]
    assert Counter(case.kind for case in asked) == {"fact": 1, "two documents": 1, "near miss": 1}
    assert f"{len(CASES)} questions" in readme
    assert f"{len(list(DOCS.rglob('*.md')))} pages" in readme


def test_the_documents_are_small() -> None:
    assert sum(path.stat().st_size for path in DOCS.rglob("*") if path.is_file()) <= 400_000


def test_the_documents_are_unchanged() -> None:
    """`demo.sha256` holds the sums of the originals."""
    sums = [line.split("  ", 1) for line in SUMS.read_text(encoding="utf-8").splitlines()]
    files = sorted((DOCS / "prometheus").rglob("*.md"))
    assert sorted(path for _, path in sums) == [path.relative_to(DOCS / "prometheus").as_posix() for path in files]
    for digest, path in sums:
        assert hashlib.sha256((DOCS / "prometheus" / path).read_bytes()).hexdigest() == digest


@pytest.mark.data
@pytest.mark.skipif(not ORIGINAL.is_dir(), reason="the original documents are not here")
def test_the_documents_are_those_beside_the_project() -> None:
    for path in sorted((DOCS / "prometheus").rglob("*.md")):
        assert path.read_bytes() == (ORIGINAL / path.relative_to(DOCS / "prometheus")).read_bytes()
