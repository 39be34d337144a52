"""Org: headings by stars, blocks between `#+BEGIN_` and `#+END_`, tables between bars, properties about the subject;
other drawers are left out."""

import re
from collections.abc import Iterator, Sequence

from ragstone.extraction.markup.lines import Line, MarkupPiece, find_blank, find_line, make_code, split_paragraph
from ragstone.extraction.markup.tables import MarkupRow, join_words, make_table, mark_header
from ragstone.extraction.record.properties import is_about_subject
from ragstone.extraction.record.tables import RawCell

HEADING = re.compile(r"(\*{1,12})\s+(?:(?:[A-Z]{4,8})\s+)?(?:\[#\w\]\s+)?(\S.*?)(?:\s+:[\w@#%:]+:)?\s*")
TITLE = re.compile(r"#\+title:\s*(\S.*)", re.IGNORECASE)
BEGIN = re.compile(r"\s*#\+begin_(\w+)(?:\s+([\w+-]+))?.*", re.IGNORECASE)
DRAWER = re.compile(r"\s*:(?:PROPERTIES|LOGBOOK|CLOCK):\s*", re.IGNORECASE)
PROPERTIES = re.compile(r"\s*:PROPERTIES:\s*", re.IGNORECASE)
PROPERTY = re.compile(r"\s*:([\w-]{1,40}):\s+(\S.{0,500})")
DRAWER_END = re.compile(r"\s*:END:\s*", re.IGNORECASE)
SILENT = re.compile(r"\s*#(?:\s.*|\+.*)?")
TABLE = re.compile(r"\s*\|.*")
RULE = re.compile(r"\s*\|-[-+|]*\s*")
GROUPS = re.compile(r"\s*\|(?:\s*(?:/|<[lrc]?\d{0,3}>|[<>])?\s*\|)+\s*")  # widths and edges of columns, no text
CAPTION = re.compile(r"\s*#\+caption(?:\[[^\]]*\])?:\s*(\S.*?)\s*", re.IGNORECASE)
CODE = frozenset(("src", "example", "export"))


def read_org(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order."""
    at, caption = 0, ""
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
            end = find_line(lines, at + 1, DRAWER_END)
            if PROPERTIES.fullmatch(text):
                yield from _read_properties(lines, at + 1, end)
            at = end
        elif TABLE.fullmatch(text):
            behind = _find_table_end(lines, at, len(lines))
            yield from _read_table(lines, at, behind, caption)
            at = behind - 1
        elif not (lines[at].is_blank or SILENT.fullmatch(text)):
            behind = _find_end(lines, at)
            yield from split_paragraph(lines, at, behind)
            at = behind - 1
        named = CAPTION.fullmatch(text)
        caption = named[1] if named else caption if SILENT.fullmatch(text) else ""
        at += 1


def _read_properties(lines: Sequence[Line], first: int, end: int) -> Iterator[MarkupPiece]:
    for number in range(first, end):
        found = PROPERTY.fullmatch(lines[number].text)
        if found and is_about_subject(found[1], found[2]):
            yield MarkupPiece("paragraph", number, number + 1)


def _find_table_end(lines: Sequence[Line], at: int, end: int) -> int:
    return next((number for number in range(at, end) if not TABLE.fullmatch(lines[number].text)), end)


def _read_table(lines: Sequence[Line], first: int, behind: int, caption: str) -> Iterator[MarkupPiece]:
    """The table on the lines [first, behind). Rows above its first rule are headers, if others follow."""
    rows: list[MarkupRow] = []
    header = 0
    for number in range(first, behind):
        text = lines[number].text
        if RULE.fullmatch(text):
            header = header or len(rows)
        elif not GROUPS.fullmatch(text):
            cells = text.strip().strip("|").split("|")
            rows.append(MarkupRow(number, [RawCell(join_words(cell)) for cell in cells]))
    yield from make_table(mark_header(rows, header if header < len(rows) else 0), first, behind, caption)


def _read_inside(lines: Sequence[Line], first: int, end: int) -> Iterator[MarkupPiece]:
    at = first
    while at < end:
        if TABLE.fullmatch(lines[at].text):
            behind = _find_table_end(lines, at, end)
            yield from _read_table(lines, at, behind, "")
            at = behind
            continue
        blank = min(find_blank(lines, at), end)
        behind = next((number for number in range(at, blank) if TABLE.fullmatch(lines[number].text)), blank)
        if behind > at:
            yield from split_paragraph(lines, at, behind)
        at = behind + (behind == blank)


def _find_end(lines: Sequence[Line], at: int) -> int:
    end = find_blank(lines, at)
    for number in range(at + 1, end):
        text = lines[number].text
        if any(pattern.fullmatch(text) for pattern in (HEADING, BEGIN, DRAWER, SILENT, TABLE)):
            return number
    return end
