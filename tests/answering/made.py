"""Documents, chunks and hits for the tests of this folder."""

from collections.abc import Sequence

from ragstone.answering.verification.facts import FactualText, list_gaps
from ragstone.core.comparable_words import parse_words
from ragstone.core.types import Chunk, Document, Hit, Secret, Span


def document(path: str = "a.md", source: str = "docs", title: str | None = None) -> Document:
    return Document(f"{source}/{path}", source, path, 1, "0" * 64, "recipe", title=title, bytes=1)


def span(record: str, start: int, end: int) -> Span:
    first = 1 + record.count("\n", 0, start)
    return Span(start, end, first, first + record.count("\n", start, end))


def chunk(
    record: str, *ranges: tuple[int, int], path: str = "a.md", ordinal: int = 0, headings: Sequence[str] = ()
) -> Chunk:
    ranges = ranges or ((0, len(record)),)
    text = "\n".join(record[a:b] for a, b in ranges)
    spans = tuple(span(record, a, b) for a, b in ranges)
    return Chunk(f"{path}#{ordinal}", document(path), ordinal, text, spans, heading_path=tuple(headings))


def hit(
    record: str,
    *,
    path: str = "a.md",
    ordinal: int = 0,
    score: float = 1.0,
    headings: Sequence[str] = (),
    **signals: float,
) -> Hit:
    return Hit(chunk(record, path=path, ordinal=ordinal, headings=headings), score, signals)


def same(text: str, spans: Sequence[Span] = (), secrets: Sequence[Secret] = ()) -> str:
    """A mask that hides nothing."""
    return text


def read_facts(text: str) -> FactualText:
    """A text as its facts."""
    words = parse_words(text)
    return FactualText.read(words, [0] * len(words), list_gaps(text, words))
