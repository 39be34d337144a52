"""reStructuredText: underlined headings by the order of their marks, directives, literal blocks."""

import re
from collections.abc import Generator, Iterator, Sequence

from ragstone.extraction.markup.lines import (
    Line,
    MarkupPiece,
    find_blank,
    find_indented_end,
    make_code,
    split_paragraph,
)
from ragstone.extraction.markup.rst_marks import show_marked
from ragstone.extraction.markup.rst_tables import TABLES, read_drawn_table, read_table_directive

RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
DIRECTIVE = re.compile(r"\s*\.\.\s+([\w:+-]+)::\s*(.*)")
COMMENT = re.compile(r"\s*\.\.(?:\s.*)?")
FIELD = re.compile(r"\s*:[\w -]+:(?:\s.*)?")
LABEL = re.compile(r"\s*\.\.\s+_[^:]*:.*|\s*\.\.\s+\|.*")
CODE = frozenset(
    "code code-block sourcecode parsed-literal math prompt doctest testcode testoutput testsetup ipython "
    "productionlist graphviz".split()
)
SILENT = frozenset(
    "toctree image index contents include raw module currentmodule literalinclude highlight default-role".split()
)
NAMES_NO_TEXT = frozenset(("figure", "only", "container", "tabularcolumns", "rst-class"))  # their argument


def read_rst(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order."""
    levels: list[str] = []
    at = 0
    while at < len(lines):
        if lines[at].is_blank or LABEL.fullmatch(lines[at].text):
            at += 1
        elif table := read_drawn_table(lines, at, len(lines)):
            yield from table
            at = table[-1].behind
        elif title := _find_title(lines, at):
            text, behind, mark = title
            if mark not in levels:
                levels.append(mark)
            yield MarkupPiece("heading", at, behind, min(6, levels.index(mark) + 1), show_marked(text))
            at = behind
        elif directive := DIRECTIVE.fullmatch(lines[at].text):
            end = find_indented_end(lines, at + 1, lines[at].indent)
            yield from _read_directive(lines, at, end, directive[1], directive[2])
            at = max(end, at + 1)
        elif COMMENT.fullmatch(lines[at].text):
            at = max(find_indented_end(lines, at + 1, lines[at].indent), at + 1)
        else:
            at = yield from _read_text(lines, at)


def _find_title(lines: Sequence[Line], at: int) -> tuple[str, int, str] | None:
    """A title's text, end and mark (twice with a line above it too)."""
    over = RULE.fullmatch(lines[at].text)
    if over and at + 2 < len(lines) and not lines[at + 1].is_blank:
        under = RULE.fullmatch(lines[at + 2].text)
        if under and under[1] == over[1]:
            return lines[at + 1].text.strip(), at + 3, over[1] * 2
    if not over and at + 1 < len(lines) and lines[at].indent == 0:
        under = RULE.fullmatch(lines[at + 1].text)
        title = lines[at].text.strip()
        if under and len(lines[at + 1].text.strip()) >= min(len(title), 4) and any(c.isalnum() for c in title):
            return title, at + 2, under[1]
    return None


def _read_directive(lines: Sequence[Line], at: int, end: int, name: str, argument: str) -> Iterator[MarkupPiece]:
    """Code as code; of others the text, without options."""
    first = at + 1
    while first < end and FIELD.fullmatch(lines[first].text):
        first += 1
    if name in CODE:
        yield from make_code(lines, first, end, argument)
    elif name in TABLES and (table := read_table_directive(lines, at, end, name, argument)):
        yield from table
        yield from _read_paragraphs(lines, table[-1].behind, end)
    elif name not in SILENT:
        if argument and "/" not in argument and name not in NAMES_NO_TEXT:
            yield MarkupPiece("paragraph", at, at + 1, text=argument)
        yield from _read_paragraphs(lines, first, end)


def _read_paragraphs(lines: Sequence[Line], first: int, end: int) -> Iterator[MarkupPiece]:
    at = first
    while at < end:
        if lines[at].is_blank:
            at += 1
            continue
        behind = min(find_blank(lines, at), end)
        inner = DIRECTIVE.fullmatch(lines[at].text)
        table = read_drawn_table(lines, at, end)
        if inner and inner[1] in TABLES:
            own_end = min(find_indented_end(lines, at + 1, lines[at].indent), end)
            table = read_table_directive(lines, at, own_end, inner[1], inner[2])
        if table:
            yield from table
            behind = table[-1].behind
        elif inner is None or inner[1] not in SILENT:
            yield from split_paragraph(lines, at, behind)
        at = behind


def _read_text(lines: Sequence[Line], at: int) -> Generator[MarkupPiece, None, int]:
    """A paragraph, and the literal block that it announces by `::`; returns the line behind."""
    behind = find_blank(lines, at)
    yield from split_paragraph(lines, at, behind)
    if lines[behind - 1].text.rstrip().endswith("::"):
        end = find_indented_end(lines, behind, lines[at].indent)
        yield from make_code(lines, behind, end)
        return max(end, behind)
    return behind
