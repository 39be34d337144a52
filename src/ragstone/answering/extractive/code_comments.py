"""The sentences in source code: comments and documentation strings, each with the declaration that it is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ragstone.answering.verification.lines_above import place_declaration
from ragstone.core.sentences import split_sentences

# A comment to the end of its line, in the languages that are read: a blank follows, so that `#include` is none.
LINE_COMMENT = re.compile(r"[ \t]*(#{1,6}|//[/!]?|--|;{1,4}|%{1,4})(?=[ \t]+\S)", re.ASCII)
BLOCK_OPEN = re.compile(r"[ \t]*/\*[*!]?|[ \t]*[rRbBuUfF]{0,2}(?:\"\"\"|''')")
BLOCK_CLOSE = {"/": re.compile(r"\*/"), '"': re.compile(r'"""'), "'": re.compile(r"'''")}
STAR = re.compile(r"[ \t]*\*(?!/)")
# A line that begins a piece of its own: `:param name:`, `@return`, `name (int): text`, `.. note::`.
FIELD = re.compile(
    r"[ \t]*(?::\w+[^:\n]{0,80}:[ \t]|[@\\]\w+|\.\.[ \t]|\w[\w.]*(?:[ \t]*\([^()\n]{0,60}\))?[ \t]*:[ \t]+\S)"
)
EXAMPLE = re.compile(r">>>|\$ ")  # of a session
WORD = re.compile(r"[^\W\d_]{2,}")
# A word of a sentence, beside names with signs in them, figures and sums; words of scripts without blanks are one.
PLAIN_WORD = re.compile(r"(?<!\S)\W{0,3}[^\W\d_]+(?:['’-][^\W\d_]+)*\W{0,3}(?!\S)|[^\W\d_\x00-\x7f]{2}")
# A call, an assignment, a comparison, a literal at the start, an open bracket or a brace at the end: no line of prose.
STATEMENT = re.compile(r"\w\(|\s[-+*/|&]?=\s|[=!<>]=|^\s*[\"'`@]|[({\[};]\s*$")
LEAST_WORDS = 3  # of a comment that says something


@dataclass(frozen=True, slots=True)
class CommentSentence:
    """A range of code that is a sentence of a comment, and the line of the declaration that it is about. A field begins
    with a name: `:param name: …`."""

    start: int
    end: int
    is_field: bool
    declaration: tuple[int, int] | None = None


def find_comment_sentences(text: str) -> list[CommentSentence]:
    r"""The sentences of the comments and documentation strings of a piece of code, in order.

    >>> text = "def close(self):\n    '''Release the line. It may be opened again.'''\n    self.line = None"
    >>> [text[one.start:one.end] for one in find_comment_sentences(text)]
    ['Release the line.', 'It may be opened again.']
    """
    lines = _read_lines(text)
    out: list[CommentSentence] = []
    number = 0
    while number < len(lines):
        last = number
        while last + 1 < len(lines) and lines[last + 1].is_comment == lines[number].is_comment:
            last += 1
        if lines[number].is_comment:
            out += _split_comment(text, lines[number : last + 1], _find_declaration(text, lines, number, last))
        number = last + 1
    return out


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of code: `said` is where its comment begins and ends, without marks; `in_string` where the comment is a
    documentation string, which follows its declaration."""

    start: int
    end: int
    is_comment: bool
    said: tuple[int, int]
    in_string: bool = False


def _read_lines(text: str) -> list[_Line]:
    out: list[_Line] = []
    closing = _open_at_start(text)
    at = 0
    for raw in text.splitlines(keepends=True):
        end = at + len(raw.rstrip())
        line, closing = _read_line(text, at, end, closing)
        out.append(line)
        at += len(raw)
    return out


def _read_line(
    text: str, start: int, end: int, closing: re.Pattern[str] | None
) -> tuple[_Line, re.Pattern[str] | None]:
    """The line, and the end of the comment that goes on below it."""
    said = start
    if closing is None:
        opened = BLOCK_OPEN.match(text, start, end)
        if opened is None:
            comment = LINE_COMMENT.match(text, start, end)
            return _Line(start, end, comment is not None, (comment.end() if comment else start, end)), None
        closing, said = BLOCK_CLOSE[opened[0].lstrip(" \trRbBuUfF")[0]], opened.end()
    elif closing is BLOCK_CLOSE["/"] and (star := STAR.match(text, start, end)):
        said = star.end()
    in_string = closing is not BLOCK_CLOSE["/"]
    closed = closing.search(text, said, end)
    if closed is None:
        return _Line(start, end, True, (said, end), in_string), closing
    is_alone = not text[closed.end() : end].strip(" \t;,)")
    return _Line(start, end, is_alone, (said, closed.start()) if is_alone else (start, end), in_string), None


def _open_at_start(text: str) -> re.Pattern[str] | None:
    """The end of the comment that a piece of code begins inside of, as chunks do: its first end has no beginning, or
    what stands above it reads as prose."""
    if not any(mark.search(text) for mark in (BLOCK_OPEN, *BLOCK_CLOSE.values())):
        return BLOCK_CLOSE['"'] if _reads_as_prose(text) else None
    for mark, closing in BLOCK_CLOSE.items():
        first = closing.search(text)
        if first is None:
            continue
        if mark == "/":
            opened = text.find("/*")
            if opened < 0 or opened > first.start():
                return closing
        elif not text[text.rfind("\n", 0, first.start()) + 1 : first.start()].strip(" \trRbBuUfF"):
            above = text[: first.start()]
            below = text[first.end() : first.end() + 1]
            if above.strip() and below in ("", "\n", "\r") and _reads_as_prose(above):
                return closing
    return None


def _reads_as_prose(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    prose = sum(
        2 * len(PLAIN_WORD.findall(line)) > len(line.split()) > 1
        and not LINE_COMMENT.match(line)
        and not STATEMENT.search(line)
        for line in lines
    )
    return 2 * prose > len(lines)


def _split_comment(text: str, block: list[_Line], declaration: tuple[int, int] | None) -> Iterator[CommentSentence]:
    """The sentences of neighbouring lines of comment, cut before each field."""
    blank = "".join(_blank_marks(text, line, after) for line, after in zip(block, [*block[1:], None], strict=True))
    start = block[0].start
    fields = [line.start for line in block if FIELD.match(text, line.said[0], line.said[1])]
    cuts = sorted({start, *fields, block[-1].end})
    for left, right in pairwise(cuts):
        is_field = left in fields
        for a, b in split_sentences(blank[left - start : right - start]):
            said = blank[left - start + a : left - start + b]
            if len(WORD.findall(said)) >= LEAST_WORDS and not EXAMPLE.match(said):
                yield CommentSentence(left + a, left + b, is_field, declaration)
                is_field = False


def _blank_marks(text: str, line: _Line, after: _Line | None) -> str:
    """A line and its break with blanks in place of the marks of a comment: places stay."""
    left, right = line.said
    break_ = text[line.end : after.start] if after else ""
    return " " * (left - line.start) + text[left:right] + " " * (line.end - right) + break_


def _find_declaration(text: str, lines: list[_Line], first: int, last: int) -> tuple[int, int] | None:
    """The line that a comment is about: the code above it where it begins a block, else the code below it."""
    above = first - 1
    while above > 0 and lines[above].start == lines[above].end:
        above -= 1
    if above >= 0 and text[lines[above].start : lines[above].end].endswith((":", "{")):
        return _show_declaration(text, _first_line_of(text, lines, above))
    below = lines[last + 1] if last + 1 < len(lines) else None
    if below is None or lines[first].in_string or below.start == below.end:
        return None
    return _show_declaration(text, below)


def _first_line_of(text: str, lines: list[_Line], number: int) -> _Line:
    """The line where a declaration of several lines begins: no deeper than its last one, its brackets closed."""
    depth = 0
    for at in range(number, -1, -1):
        said = text[lines[at].start : lines[at].end]
        depth += said.count(")") + said.count("]") - said.count("(") - said.count("[")
        if depth <= 0:
            return lines[at]
    return lines[number]


def _show_declaration(text: str, line: _Line) -> tuple[int, int] | None:
    place = place_declaration(text, line.start, line.end)
    return place if len(WORD.findall(text, *place)) > 1 else None
