"""Hostile sizes: the work grows in step with the text, and nothing recurses."""

from collections.abc import Callable

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.types import Block, BlockType, Extraction, Span
from tests.speed import within

# Seconds of CPU for 10 MB and the like; each takes 1 to 10 on the machine it was written on, anything
# quadratic takes hours.
MOST = 90


def one(kind: BlockType, record: str) -> Extraction:
    return Extraction(record, (Block(kind, "", (Span(0, len(record), 1, 1),)),), "text/plain")


def paragraphs(n: int) -> Extraction:
    spans = [Span(6 * i, 6 * i + 4, 2 * i + 1, 2 * i + 1) for i in range(n)]
    return Extraction("word\n\n" * n, tuple(Block("paragraph", "word", (span,)) for span in spans), "text/plain")


DOCUMENTS: dict[str, Callable[[], Extraction]] = {
    "a 10 MB line of words": lambda: one("paragraph", "lorem ipsum dolor " * 580_000),
    "a 10 MB word": lambda: one("paragraph", "a1" * 5_000_000),
    "dots without an end": lambda: one("paragraph", "." * 3_000_000 + "x"),
    "10 MB of newlines": lambda: one("paragraph", "a" + "\n" * 10_000_000 + "b"),
    "10 MB of blanks": lambda: one("code", "a\n" + " " * 10_000_000 + "b"),
    "a table of 100,000 rows": lambda: one("table", "| a | b |\n|---|---|\n" + "| 1 | 22 |\n" * 100_000),
    "200,000 paragraphs": lambda: paragraphs(200_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@pytest.mark.parametrize("way", ["structure", "markdown", "recursive", "bounded"])
def test_it_takes_time_in_step_with_its_size(way: str, name: str) -> None:
    extraction = DOCUMENTS[name]()
    chunker = make_chunker(way, tokenizer=Characters(), reads=254)
    assert within(MOST, lambda: chunker.cut(extraction))
