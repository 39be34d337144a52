"""Plain text to blocks: paragraphs between blank lines, headings where they are certain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction, Role
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.json_escapes import show_characters
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.table_of_contents import mark_toc_blocks

LINE = re.compile(r"[^\n\f]*[\n\f]?")
UNDERLINE = re.compile(r"(=+|-+|~+|\*+)[ \t]*\r?")
STARRED = re.compile(r"^[^\s*].*\n\*{4,}[ \t]*$", re.MULTILINE)  # chapters above sections that `=` underlines
# The manuals of GNU's info: what leads from node to node is no text.
INFO = re.compile(r"\x1f\s*File: [^\n,]+,\s+Node: ")
NODE = re.compile(r"File: [^\n,]+,\s+Node: [^\n]+")
MENU_LINE = re.compile(r"\* [^\n:]+:(?::| |$)[^\n]*|[ \t]+[^\n]*")
NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+(\S.*)")
SECTION = re.compile(r"^(\d{1,3})\.\d{1,3}\.?[ \t]+(\w)", re.MULTILINE)
LONGEST = 80  # characters of a heading
JSON = "application/json"
LEVELS = {"*": 0, "=": 1, "-": 2, "~": 3}


@dataclass(frozen=True, slots=True)
class PlainText:
    """Plain text. The text of record is the decoded file without data in base64, every visible character in one block.
    In JSON characters that are escaped by their numbers stand in it as they are read.

    A heading is a line that is underlined over its whole width by `*`, `=`, `-` or `~`, or a line between
    blank lines with a number of several parts (`2.1 Scope`); one part (`2 Scope`) counts where
    numbers of several parts follow it in the file.
    """

    recipe: str = "text-6"
    media_type: str = "text/plain"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` for bytes that are neither UTF-8 nor UTF-16, and for a file without text."""
        record, warnings = decode_text(data, path=path)
        if self.media_type == JSON:
            record = show_characters(record)
        blocks = tuple(mark_toc_blocks(_build_blocks(record), record))
        if not blocks:
            raise Refused("empty", f"{path} holds no text")
        first = blocks[0]
        title = first.text if first.type == "heading" else None
        return close_if_marked(Extraction(record, blocks, self.media_type, title, {}, warnings), record)


def _split_paragraphs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Runs of lines that are not blank, each line as (start, end) without its break."""
    run: list[tuple[int, int]] = []
    for match in LINE.finditer(text):
        line = match[0]
        if line.strip():
            run.append((match.start(), match.start() + len(line.rstrip())))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _build_blocks(record: str) -> Iterator[Block]:
    text = unify_newlines(record)
    lines = LineIndex(text)
    numbers = _find_section_numbers(text)
    lower, is_info = int(STARRED.search(text) is not None), INFO.search(text) is not None
    for run in _split_paragraphs(text):
        level, taken = _detect_heading(text, run, numbers)
        if taken:
            yield Block(
                "heading",
                text[slice(*run[0])].strip(),
                (lines.span(run[0][0], run[taken - 1][1]),),
                level=min(6, level + lower),
            )
        if rest := run[taken:]:
            shown = "\n".join(text[a:b] for a, b in rest)
            role: Role = "nav" if is_info and _leads_elsewhere(shown) else "body"
            yield Block("paragraph", shown, (lines.span(rest[0][0], rest[-1][1]),), role)


def _leads_elsewhere(shown: str) -> bool:
    """Whether a paragraph of info is the line above a node, or its menu."""
    if NODE.fullmatch(shown) or shown == "* Menu:":
        return True
    return shown.startswith("* ") and all(MENU_LINE.fullmatch(line) for line in shown.split("\n"))


def _detect_heading(text: str, run: list[tuple[int, int]], numbers: frozenset[str]) -> tuple[int, int]:
    """The level of the heading that a run begins with (0: none) and how many of its lines that takes."""
    title = text[slice(*run[0])].strip()
    if len(title) > LONGEST:
        return 0, 0
    if len(run) > 1:
        rule = text[slice(*run[1])]
        width = run[0][1] - run[0][0]
        if UNDERLINE.fullmatch(rule) and len(rule.strip()) >= max(3, width) and any(c.isalnum() for c in title):
            return LEVELS[rule[0]], 2
        return 0, 0
    number = NUMBERED.fullmatch(title)
    if number and number[2][0].isupper() and title[-1] not in ".:;,?!" and (number[1] in numbers or "." in number[1]):
        return min(6, number[1].count(".") + 1), 1
    return 0, 0


def _find_section_numbers(text: str) -> frozenset[str]:
    """The first parts of numbers such as 2.1 that begin a line."""
    found = SECTION.finditer(text)
    return frozenset(match[1] for match in found if match[2].isupper())
