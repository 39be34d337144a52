"""YAML: large mappings and items of lists are sections below their keys, as operations in a description of an API."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.media_types import YAML
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.record.line_index import LineIndex

SMALL = 600  # characters of a part that is one block: a chunk holds some of them
DEEPEST = 6
LONGEST = 120  # characters of a heading
WIDEST = 500  # characters of a line that may be a key
LINE = re.compile(r"[^\n]+")
# A key with nothing behind it, or the first key of an item with its value.
KEY = re.compile(
    r"""(?:- +)*("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s#"'\[{&*!|>%@`-][^#\n]{0,200}?|-?[\w./-]{1,200}):\s*(?:#.*)?"""
)
ITEM = re.compile(r"(?:- +)+(\S.*)")
SCALAR = re.compile(r"(?:.*:|(?:- *)+)\s*(?:[|>][-+0-9]{0,3})\s*(?:#.*)?")  # begins a text of several lines


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its break: where it begins and ends, how far its text is indented, and whether it is content of a
    text of several lines, in which nothing is a key."""

    start: int
    end: int
    indent: int
    text: str
    within: bool = False


@dataclass(frozen=True, slots=True)
class Yaml:
    """YAML by its indentation. The text of record is the decoded file; keys of parts that are too large for a block are
    headings, at most six deep. Anchors, tags and values are not interpreted."""

    recipe: str = "yaml-2"
    media_type: str = YAML

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, empty."""
        record, warnings = decode_text(data, path=path)
        text = unify_newlines(record)
        lines = LineIndex(text)
        blocks = tuple(
            Block(
                "heading" if level else "paragraph",
                shown,
                (lines.span(part[0].start, part[-1].end),),
                level=level,
            )
            for level, part, shown in _outline(list(_read_lines(text)))
        )
        if not blocks:
            raise Refused("empty", f"{path} holds no text")
        return close_if_marked(Extraction(record, blocks, self.media_type, None, {}, warnings), record, data=record)


def _read_lines(text: str) -> Iterator[_Line]:
    """The lines that are not blank."""
    scalar = -1  # how far the key of a text of several lines is indented
    for match in LINE.finditer(text):
        said = match[0].strip()
        if not said:
            continue
        indent = len(match[0]) - len(match[0].lstrip())
        if scalar >= 0 and indent <= scalar:
            scalar = -1
        yield _Line(match.start() + indent, match.start() + len(match[0].rstrip()), indent, said, scalar >= 0)
        if scalar < 0 and len(said) <= WIDEST and SCALAR.fullmatch(said):
            scalar = indent


Part = tuple[int, Sequence[_Line], str]


def _outline(lines: Sequence[_Line], level: int = 1) -> Iterator[Part]:
    """The parts in order: level of a heading (0: none), its lines, its text. Small parts beside one another are one."""
    small: list[_Line] = []
    for entry in _split_entries(lines):
        size = entry[-1].end - entry[0].start
        head = next((at for at, line in enumerate(entry) if not line.text.startswith("#")), 0)
        title = _name_entry(entry[head]) if size > SMALL and level <= DEEPEST and head + 1 < len(entry) else ""
        if small and (title or entry[0].text.startswith("---") or entry[-1].end - small[0].start > SMALL):
            yield from _show(small)
            small = []
        if title:
            if head:
                yield from _show(entry[:head])
            yield level, entry[head : head + 1], title
            yield from _outline(entry[head + 1 :], level + 1)
        else:
            small += entry
    if small:
        yield from _show(small)


def _split_entries(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Keys or items of one level, each with what stands below it, and with the remarks above it."""
    if not lines:
        return
    least = min(line.indent for line in lines)
    of_keys = not any(line.indent == least and line.text.startswith("- ") for line in lines[:1])
    entry: list[_Line] = []
    remarks: list[_Line] = []
    for line in lines:
        is_beside = line.indent == least and not line.within
        if is_beside and line.text.startswith("#"):
            remarks.append(line)
        elif is_beside and not (of_keys and line.text.startswith(("- ", "]", "}")) and entry):
            if entry:
                yield entry
            entry, remarks = [*remarks, line], []
        else:
            entry += [*remarks, line]
            remarks = []
    if entry or remarks:
        yield [*entry, *remarks]


def _name_entry(line: _Line) -> str:
    """The key that an entry begins with, or the first value of an item; "" for any other line."""
    if line.within or len(line.text) > WIDEST:
        return ""
    if found := KEY.fullmatch(line.text):
        return found[1].strip("\"'")[:LONGEST]
    item = ITEM.fullmatch(line.text)
    return item[1][:LONGEST] if item and ":" in item[1] and len(item[1]) <= LONGEST else ""


def _show(lines: Sequence[_Line]) -> Iterator[Part]:
    yield 0, lines, "\n".join(" " * (line.indent - lines[0].indent) + line.text for line in lines)
