"""Org: headings by stars, blocks between `#+BEGIN_` and `#+END_`, drawers left out."""

import re
from collections.abc import Iterator, Sequence

from ragstone.extraction.markup.lines import Line, MarkupPiece, find_blank, find_line, make_code, split_paragraph

HEADING = re.compile(r"(\*{1,12})\s+(?:(?:[A-Z]{4,8})\s+)?(?:\[#\w\]\s+)?(\S.*?)(?:\s+:[\w@#%:]+:)?\s*")
TITLE = re.compile(r"#\+title:\s*(\S.*)", re.IGNORECASE)
BEGIN = re.compile(r"\s*#\+begin_(\w+)(?:\s+([\w+-]+))?.*", re.IGNORECASE)
DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK|CLOCK):\s*", re.IGNORECASE)
DRAWER_END = re.compile(r"\s*:END:\s*", re.IGNORECASE)
SILENT = re.compile(r"\s*#(?:\s.*|\+.*)?|\s*(?:SCHEDULED|DEADLINE|CLOSED):.*")
CODE = frozenset(("src", "example", "export"))


def read_org(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order."""
    at = 0
    while at < len(lines):
        text = lines[at].text
        if heading := HEADING.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, min(6, len(heading[1])), heading[2])
        elif title := TITLE.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, 1, title[1].strip())
        elif begin := BEGIN.fullmatch(text):
            kind = begin[1].lower()
            end = find_line(lines, at + 1, re.compile(rf"\s*#\+end_{re.escape(kind)}\s*", re.IGNORECASE))
            if kind in CODE:
                yield from make_code(lines, at + 1, end, begin[2])
            elif kind != "comment":
                yield from _read_inside(lines, at + 1, end)
            at = end
        elif DRAWER.fullmatch(text):
            at = find_line(lines, at + 1, DRAWER_END)
        elif not (lines[at].is_blank or SILENT.fullmatch(text)):
            behind = _find_end(lines, at)
            yield from split_paragraph(lines, at, behind)
            at = behind - 1
        at += 1


def _read_inside(lines: Sequence[Line], first: int, end: int) -> Iterator[MarkupPiece]:
    at = first
    while at < end:
        behind = min(find_blank(lines, at), end)
        if behind > at:
            yield from split_paragraph(lines, at, behind)
        at = behind + 1


def _find_end(lines: Sequence[Line], at: int) -> int:
    end = find_blank(lines, at)
    for number in range(at + 1, end):
        text = lines[number].text
        if any(pattern.fullmatch(text) for pattern in (HEADING, BEGIN, DRAWER, SILENT)):
            return number
    return end
