"""Plain text to blocks: paragraphs between blank lines, headings where they are certain."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction, Json, Role
from ragstone.extraction.boards import read_board
from ragstone.extraction.chats.conversation import write_conversation
from ragstone.extraction.chats.formats import read_chat
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.json_elements import split_elements
from ragstone.extraction.json_escapes import show_characters
from ragstone.extraction.json_mentions import show_mentions
from ragstone.extraction.json_times import show_times
from ragstone.extraction.keep_notes import read_note
from ragstone.extraction.media_types import CANVAS, JSON, file_suffix
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.table_of_contents import mark_toc_blocks
from ragstone.extraction.terminal_codes import leave_out_codes

Run = list[tuple[int, int]]
"""Lines that are not blank, each as (start, end) without its break."""

LINE = re.compile(r"[^\n\f]*[\n\f]?")
UNDERLINE = re.compile(r"(=+|-+|~+|\*+)[ \t]*\r?")
STARRED = re.compile(r"^[^\s*].*\n\*{4,}[ \t]*$", re.MULTILINE)  # chapters above sections that `=` underlines
# The manuals of GNU's info: lines that lead from node to node are no text.
INFO = re.compile(r"\x1f\s*File: [^\n,]+,\s+Node: ")
NODE = re.compile(r"File: [^\n,]+,\s+Node: [^\n]+")
MENU_LINE = re.compile(r"\* [^\n:]+:(?::[^\n]*|[ \t][^\n]*\.(?:[ \t][^\n]*)?|)|[ \t]+[^\n]*")  # a node, or "node."
NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+(\S.*)")
SECTION = re.compile(r"^(\d{1,3})\.\d{1,3}\.?[ \t]+(\w)", re.MULTILINE)
LONGEST = 80  # characters of a heading
# What an entry of a log or a message of a chat begins with: a date and a time, or a time in brackets.
DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
TIME = r"\d{1,2}:\d\d(?::\d\d)?"
STAMP = re.compile(rf"[\u200e\u200f]?(?:[\[(<]?{DAY}[,T]?\s{{0,2}}{TIME}|[\[(<]{TIME}[\])>]|{TIME}\s)")
ENTRIES = 3  # lines that begin so, and their share of all lines that are not blank
STAMPED = 0.3
ENTRY = 200  # characters of entries that are one block
LEVELS = {"*": 0, "=": 1, "-": 2, "~": 3}


@dataclass(frozen=True, slots=True)
class PlainText:
    """Plain text. The text of record is the decoded file without data in base64 and codes for terminals, every visible
    character in one block. In JSON and properties (Java) characters that are escaped by their numbers stand in it as
    they are read, and times that JSON counts in seconds as dates. Blocks of JSON are elements of its outer arrays, and
    of messages only what people read is in blocks. An export of a chat, a board or a note is written anew;
    `people` are names that another file of the export tells.

    A heading is a line that is underlined over its whole width by `*`, `=`, `-` or `~`, or a line between
    blank lines with a number of several parts (`2.1 Scope`); one part (`2 Scope`) counts where
    numbers of several parts follow it in the file.
    """

    recipe: str = "text-13"
    media_type: str = "text/plain"
    people: Mapping[str, str] = field(default_factory=dict)

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` for bytes that are neither UTF-8 nor UTF-16, and for a file without text."""
        record, warnings = decode_text(data, path=path)
        record = leave_out_codes(record)
        if self.media_type == JSON or file_suffix(path) == ".properties":
            record = show_characters(record)
        if self.media_type == JSON and (written := _write_export(record, path, self.people)) is not None:
            return close_if_marked(replace(written, warnings=warnings), record)
        if self.media_type == JSON:
            record = show_mentions(show_times(record))
            blocks = tuple(_build_elements(record))
        else:
            blocks = tuple(mark_toc_blocks(_build_blocks(record), record))
        if not blocks:
            raise Refused("empty", f"{path} holds no text")
        first = blocks[0]
        title = first.text if first.type == "heading" else None
        found = Extraction(record, blocks, self.media_type, title, {}, warnings)
        is_toml = file_suffix(path) == ".toml"
        return close_if_marked(found, record, data=record if is_toml or self.media_type == JSON else "", toml=is_toml)


def _write_export(text: str, path: str, people: Mapping[str, str]) -> Extraction | None:
    """An export of a chat, a board or a note, written anew; None for any other JSON, and for one without text."""
    found: Extraction | None = None
    if (chat := read_chat(text, path=path, people=people)) is not None:
        record, blocks = write_conversation(chat)
        found = Extraction(record, blocks, JSON, chat.title or None, chat.meta)
    elif (board := read_board(text)) is not None:
        title, record, blocks = board
        found = Extraction(record, blocks, JSON, title or None)
    elif (note := read_note(text)) is not None:
        title, meta, record, blocks = note
        found = Extraction(record, blocks, JSON, title or None, meta)
    elif file_suffix(path) == CANVAS and (canvas := _read_canvas(text)) is not None:
        record, blocks, meta = canvas
        found = Extraction(record, blocks, JSON, None, meta)
    return found if found is not None and found.blocks else None


def _read_canvas(text: str) -> tuple[str, tuple[Block, ...], Json] | None:
    from ragstone.extraction.canvas import read_canvas  # with the parser of Markdown, for the few

    return read_canvas(text)


def parse_json(data: bytes, *, path: str, people: Mapping[str, str] | None = None) -> Extraction:
    """Extract a large JSON file; see `PlainText`."""
    return PlainText(media_type=JSON, people=people or {}).extract(data, path=path)


def _build_elements(record: str) -> Iterator[Block]:
    """A paragraph for each stretch of JSON; paragraphs between blank lines of what is none."""
    text = unify_newlines(record)
    if not text.lstrip().startswith(("{", "[")):
        yield from _build_blocks(record)
        return
    lines = LineIndex(text)
    for element in split_elements(text):
        whole = text[element.start : element.end]
        start, end = element.start + len(whole) - len(whole.lstrip()), element.start + len(whole.rstrip())
        places = element.places or ((start, end),)
        shown = "\n".join(text[a:b] for a, b in places)
        yield Block("paragraph", shown, tuple(lines.span(a, b) for a, b in places), whole=len(places) > 1)


def _split_paragraphs(text: str) -> Iterator[Run]:
    """Runs of lines that are not blank, each line as (start, end) without its break."""
    run: Run = []
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
    runs = list(_split_paragraphs(text))
    lower, is_info = int(STARRED.search(text) is not None), INFO.search(text) is not None
    for run in _split_entries(text, runs) if _has_entries(text, runs) else runs:
        level, taken = _detect_heading(text, run, numbers)
        if taken:
            yield Block(
                "heading",
                text[slice(*run[0])].strip(),
                (lines.span(run[0][0], run[taken - 1][1]),),
                level=max(1, min(6, level + lower)),
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


def _has_entries(text: str, runs: Sequence[Run]) -> bool:
    """Whether many lines begin with a time: a log, or a chat that was saved as text."""
    stamped = sum(STAMP.match(text, start) is not None for run in runs for start, _ in run)
    return stamped >= max(ENTRIES, STAMPED * sum(map(len, runs)))


def _split_entries(text: str, runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, cut in front of lines that begin with a time; short entries stay together."""
    for run in runs:
        taken: Run = []
        for start, end in run:
            if taken and start - taken[0][0] >= ENTRY and STAMP.match(text, start):
                yield taken
                taken = []
            taken.append((start, end))
        yield taken


def _detect_heading(text: str, run: Run, numbers: frozenset[str]) -> tuple[int, int]:
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
