"""AsciiDoc: headings by `=`, delimited blocks, comments."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ragstone.extraction.markup.asciidoc_tables import find_borders, read_table
from ragstone.extraction.markup.lines import Line, MarkupPiece, find_blank, find_line, make_code, split_paragraph

HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*")
FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})(\w*)\s*")
DELIMITER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--|[|,:!]={3,})\s*")
ATTRIBUTES = re.compile(r"\[(.*)\]\s*")
SOURCE = re.compile(r"(?:source|listing|,)[^,]*,\s*([\w+#-]+)")
SILENT = re.compile(
    r"//(?!/).*|:[!\w-]+!?:.*|(?:image|include|toc|ifdef|ifndef|endif|ifeval)::.*|\[\[.*\]\]\s*|<<<|'{3,}|\+\s*"
)
ABOVE = 6  # lines of a table's caption and attributes
TITLE = re.compile(r"\.([A-Za-z0-9\"'(].*)")


def read_asciidoc(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order."""
    at = 0
    language = ""
    borders = find_borders(lines)
    while at < len(lines):
        text = lines[at].text
        if heading := HEADING.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, len(heading[1]), heading[2])
        elif fence := FENCE.fullmatch(text):
            end = find_line(lines, at + 1, re.compile(re.escape(fence[1]) + r"\s*"))
            if not fence[1].startswith("/"):
                yield from make_code(lines, at + 1, end, fence[2] or language)
            language = ""
            at = end
        elif table := _read_table(lines, at, borders):
            yield from table
            at = table[-1].behind - 1
        elif attributes := ATTRIBUTES.fullmatch(text):
            source = SOURCE.match(attributes[1])
            language = source[1] if source else ""
        elif title := TITLE.fullmatch(text):
            yield MarkupPiece("paragraph", at, at + 1, text=title[1])
        elif not (lines[at].is_blank or DELIMITER.fullmatch(text) or SILENT.fullmatch(text)):
            behind = _find_end(lines, at)
            yield from split_paragraph(lines, at, behind)
            at = behind - 1
        at += 1


def _read_table(lines: Sequence[Line], at: int, borders: Mapping[int, int]) -> list[MarkupPiece]:
    """The table that begins here, with the lines above it that give its caption and its attributes."""
    said: list[str] = []
    caption = -1
    number = at
    while number < min(len(lines), at + ABOVE) and number not in borders:
        if attributes := ATTRIBUTES.fullmatch(lines[number].text):
            said.append(attributes[1])
        elif caption < 0 and TITLE.fullmatch(lines[number].text):
            caption = number
        else:
            return []
        number += 1
    if number not in borders:
        return []
    title = lines[caption].text[1:].strip() if caption >= 0 else ""
    table = read_table(lines, number, borders[number], ",".join(said), title)
    above = [MarkupPiece("paragraph", caption, caption + 1, text=title, is_caption=True)] if title and table else []
    return [*above, *table]


def _find_end(lines: Sequence[Line], at: int) -> int:
    """Behind a paragraph: at a blank line, or where a block or heading begins."""
    end = find_blank(lines, at)
    for number in range(at + 1, end):
        text = lines[number].text
        if any(pattern.fullmatch(text) for pattern in (HEADING, FENCE, DELIMITER, ATTRIBUTES, SILENT)):
            return number
    return end
