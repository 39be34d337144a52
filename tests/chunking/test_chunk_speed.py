"""Hostile sizes: the work grows in step with the text, and nothing recurses."""

from collections.abc import Callable

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.types import Block, BlockType, Extraction, Span
from tests.speed import within

# Seconds of CPU for 2.5 MB and the like; each takes at most 2 on the machine it was written on, anything quadratic
# takes many minutes. Four times the size and sixteen times the seconds would catch the same.
MOST = 6


def one(kind: BlockType, record: str) -> Extraction:
    return Extraction(record, (Block(kind, "", (Span(0, len(record), 1, 1),)),), "text/plain")


def paragraphs(n: int) -> Extraction:
    spans = [Span(6 * i, 6 * i + 4, 2 * i + 1, 2 * i + 1) for i in range(n)]
    return Extraction("word\n\n" * n, tuple(Block("paragraph", "word", (span,)) for span in spans), "text/plain")


DOCUMENTS: dict[str, Callable[[], Extraction]] = {
    "a 2.5 MB line of words": lambda: one("paragraph", "lorem ipsum dolor " * 145_000),
    "a 2.5 MB word": lambda: one("paragraph", "a1" * 1_250_000),
    "dots without an end": lambda: one("paragraph", "." * 750_000 + "x"),
    "2.5 MB of newlines": lambda: one("paragraph", "a" + "\n" * 2_500_000 + "b"),
    "2.5 MB of blanks": lambda: one("code", "a\n" + " " * 2_500_000 + "b"),
    "a table of 25,000 rows": lambda: one("table", "| a | b |\n|---|---|\n" + "| 1 | 22 |\n" * 25_000),
    "50,000 paragraphs": lambda: paragraphs(50_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@pytest.mark.parametrize("way", ["structure", "markdown", "recursive", "bounded"])
def test_it_takes_time_in_step_with_its_size(way: str, name: str) -> None:
    extraction = DOCUMENTS[name]()
    chunker = make_chunker(way, tokenizer=Characters(), reads=254)
    assert within(MOST, lambda: chunker.cut(extraction))
