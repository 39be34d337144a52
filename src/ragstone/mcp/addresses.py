"""Addresses of documents: `ragstone://COLLECTION/SOURCE/PATH#L10-L20`, the same after each ingestion."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ragstone.core.line_runs import group_spans
from ragstone.core.types import Document, Span

SCHEME = "ragstone://"
TEMPLATE = "ragstone://{collection}/{source}/{+path}"
WEB = re.compile(r"https?://\S+", re.IGNORECASE)
LINES = re.compile(r"L(\d{1,9})(?:[-,]L?\d{1,9})*")
PASSAGE = re.compile(r"\d{1,8}")


@dataclass(frozen=True, slots=True)
class Address:
    """A document of a collection, and the line (from 1), or the passage (from 0), at which to begin."""

    collection: str
    source: str
    path: str
    line: int = 1
    passage: int | None = None


def format_address(collection: str, document: Document, spans: Sequence[Span] = ()) -> str:
    """The address of a document, with the lines of some spans.

    >>> format_address("manuals", Document("", "docs", "a b/c#.md", 1, "", ""), [Span(0, 5, 10, 20)])
    'ragstone://manuals/docs/a%20b/c%23.md#L10-L20'
    """
    place = f"{quote(collection, safe='')}/{quote(document.source, safe='')}/{quote(document.path)}"
    return f"{SCHEME}{place}#{format_lines(spans)}" if spans else SCHEME + place


def format_lines(spans: Sequence[Span]) -> str:
    """The lines of some spans; nothing where there is no span.

    >>> format_lines([Span(0, 5, 10, 20), Span(6, 9, 22, 22), Span(40, 50, 60, 60)])
    'L10-L22,L60'
    """
    ends = [(run[0].line_start, run[-1].line_end) for run in group_spans(spans)]
    return ",".join(f"L{first}-L{last}" if last > first else f"L{first}" for first, last in ends)


def cite_address(collection: str, document: Document, spans: Sequence[Span] = ()) -> str:
    """The address to show to people: the document's own where its path is one."""
    return document.path if WEB.fullmatch(document.path) else format_address(collection, document, spans)


def parse_address(text: str) -> Address | None:
    """The address that a text is; None where it is none.

    >>> parse_address("ragstone://manuals/docs/a%20b/c%23.md#L10-L20")
    Address(collection='manuals', source='docs', path='a b/c#.md', line=10, passage=None)
    >>> parse_address("guide.md") is None
    True
    """
    if not text.lower().startswith(SCHEME):
        return None
    place, _, fragment = text[len(SCHEME) :].partition("#")
    collection, source, path = ([*map(unquote, place.split("/", 2)), "", ""])[:3]
    lines, passage = LINES.fullmatch(fragment), PASSAGE.fullmatch(fragment)
    if not (collection and source and path) or (fragment and lines is None and passage is None):
        return None
    return Address(collection, source, path, int(lines[1]) if lines else 1, int(passage[0]) if passage else None)
