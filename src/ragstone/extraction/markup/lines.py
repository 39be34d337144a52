"""Lines of a file, and the pieces that a format's reader finds in them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragstone.core.types import BlockType, Cell

ITEM = re.compile(r"[ \t]*(?:[-*+•]{1,5}|\.{1,5}|#\.|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+\S")


class Line(NamedTuple):
    """A line without its break, and the characters that it takes."""

    text: str
    start: int
    end: int

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


class WrittenRow(NamedTuple):
    """A row of a table as it stands in the text of record: its line, its text and cells with places in it, and the rule
    on the next line."""

    line: int
    text: str
    cells: tuple[Cell, ...]
    rule: str = ""


class MarkupPiece(NamedTuple):
    """Lines [first, behind) as a block, or of one line the characters of the file at `place`; `text` is set where it
    differs from them. A table has cells with places in the file, or rows that are written in place of its lines; the
    line of a caption holds its text alone then."""

    type: BlockType
    first: int
    behind: int
    level: int = 0
    text: str | None = None
    language: str | None = None
    cells: tuple[Cell, ...] = ()
    place: tuple[int, int] | None = None
    rows: tuple[WrittenRow, ...] = ()
    caption: str = ""
    is_caption: bool = False


def split_lines(text: str) -> list[Line]:
    """The lines of a text whose breaks are `\\n`."""
    out: list[Line] = []
    start = 0
    for line in text.split("\n"):
        out.append(Line(line, start, start + len(line.rstrip())))
        start += len(line) + 1
    return out


def split_paragraph(lines: Sequence[Line], first: int, behind: int) -> Iterator[MarkupPiece]:
    """Lines without a blank one: a paragraph, or the items of a list with the paragraph before them."""
    start = first
    for number in range(first, behind):
        if number > start and ITEM.match(lines[number].text):
            yield _make_piece(lines, start, number)
            start = number
    yield _make_piece(lines, start, behind)


def _make_piece(lines: Sequence[Line], first: int, behind: int) -> MarkupPiece:
    if ITEM.match(lines[first].text):
        return MarkupPiece("list", first, behind, level=1)
    return MarkupPiece("paragraph", first, behind)


def find_blank(lines: Sequence[Line], at: int) -> int:
    """The first blank line from here on, or the end."""
    while at < len(lines) and not lines[at].is_blank:
        at += 1
    return at


def find_indented_end(lines: Sequence[Line], at: int, indent: int) -> int:
    """Behind the last line from here on that is indented further than `indent`; blank lines between count."""
    end = at
    while at < len(lines) and (lines[at].is_blank or lines[at].indent > indent):
        at += 1
        end = at if not lines[at - 1].is_blank else end
    return end


def find_line(lines: Sequence[Line], at: int, pattern: re.Pattern[str]) -> int:
    """The first line from here on that matches as a whole, or the end."""
    while at < len(lines) and not pattern.fullmatch(lines[at].text):
        at += 1
    return at


def make_code(lines: Sequence[Line], first: int, behind: int, language: str | None = None) -> Iterator[MarkupPiece]:
    """The lines as code, without blank lines around; nothing where there is no other."""
    while first < behind and lines[first].is_blank:
        first += 1
    while behind > first and lines[behind - 1].is_blank:
        behind -= 1
    if first < behind:
        yield MarkupPiece("code", first, behind, language=language or None)
