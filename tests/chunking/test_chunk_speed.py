"""Hostile sizes: the work grows in step with the text, and nothing recurses."""

from collections.abc import Callable

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.types import Block, BlockType, Extraction, Span
from tests.speed import within

# Seconds of CPU for a megabyte and the like; each takes at most .8 on the machine it was written on, anything quadratic
# takes many minutes. Four times the size and sixteen times the seconds would catch the same.
MOST = 2.4


def one(kind: BlockType, record: str) -> Extraction:
    return Extraction(record, (Block(kind, "", (Span(0, len(record), 1, 1),)),), "text/plain")


def paragraphs(n: int) -> Extraction:
    spans = [Span(6 * i, 6 * i + 4, 2 * i + 1, 2 * i + 1) for i in range(n)]
    return Extraction("word\n\n" * n, tuple(Block("paragraph", "word", (span,)) for span in spans), "text/plain")


DOCUMENTS: dict[str, Callable[[], Extraction]] = {
    "a 1 MB line of words": lambda: one("paragraph", "lorem ipsum dolor " * 58_000),
    "a 1 MB word": lambda: one("paragraph", "a1" * 500_000),
    "dots without an end": lambda: one("paragraph", "." * 300_000 + "x"),
    "1 MB of newlines": lambda: one("paragraph", "a" + "\n" * 1_000_000 + "b"),
    "1 MB of blanks": lambda: one("code", "a\n" + " " * 1_000_000 + "b"),
    "a table of 10,000 rows": lambda: one("table", "| a | b |\n|---|---|\n" + "| 1 | 22 |\n" * 10_000),
    "20,000 paragraphs": lambda: paragraphs(20_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@pytest.mark.parametrize("way", ["structure", "markdown", "recursive", "bounded"])
def test_it_takes_time_in_step_with_its_size(way: str, name: str) -> None:
    extraction = DOCUMENTS[name]()
    chunker = make_chunker(way, tokenizer=Characters(), reads=254)
    assert within(MOST, lambda: chunker.cut(extraction))
