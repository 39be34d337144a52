"""The body of a document as a flat list of passages, each under its headings."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragstone.core.contents import is_contents
from ragstone.core.types import Block, Extraction, Span

# A heading path is kept with every chunk under it: a whole page taken for a heading must not multiply.
HEADING_LENGTH = 200
SOLID = re.compile(r"\S")
INDENTED = ("code", "list")
INDENT = 80


class Passage(NamedTuple):
    """The characters [start, end) of the record that one block covers, trimmed, and its headings.

    The path of a heading ends with itself; `opens` marks its first passage.
    """

    start: int
    end: int
    block: Block
    where: Span
    path: tuple[str, ...]
    opens: bool


def list_passages(extraction: Extraction) -> list[Passage]:
    """The blocks that become chunks: body blocks in the order of the record, nothing twice, no leftovers."""
    record, out = extraction.record, list[Passage]()
    headings: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    last: Block | None = None
    reached = 0
    for block, span in sorted(_body_spans(extraction), key=lambda pair: pair[1].char_start):
        start, end = trim_range(record, max(span.char_start, reached), span.char_end, indent=block.type in INDENTED)
        if start == end:
            continue
        opens = block.type == "heading" and block is not last
        if opens:
            headings = [above for above in headings if above[0] < max(1, block.level)]
            headings.append((max(1, block.level), _shorten_title(block.text)))
            path = tuple(title for _, title in headings)
        out.append(Passage(start, end, block, span, path, opens))
        last, reached = block, end
    return out


def _body_spans(extraction: Extraction) -> Iterator[tuple[Block, Span]]:
    for block in extraction.blocks:
        if block.role == "body" and (block.type in ("table", "code", "heading") or not is_contents(block.text)):
            yield from ((block, span) for span in block.spans)


def _shorten_title(text: str) -> str:
    words = " ".join(text[: HEADING_LENGTH * 4].split())
    return words if len(words) <= HEADING_LENGTH else words[: HEADING_LENGTH - 1] + "…"


def trim_range(record: str, start: int, end: int, *, indent: bool = False) -> tuple[int, int]:
    """[start, end) without the white space around it; with `indent` the first line keeps its own."""
    end = min(end, len(record))
    first = SOLID.search(record, start, max(start, end))
    if first is None:
        return start, start
    left = first.start()
    deepest = max(start, left - INDENT) if indent else left
    while left > deepest and record[left - 1] in " \t":
        left -= 1
    while record[end - 1].isspace():
        end -= 1
    return left, end
