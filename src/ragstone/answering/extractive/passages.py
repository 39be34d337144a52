"""The pieces of chunks that an answer may quote: sentences, list items, table rows, code blocks."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal

from ragstone.answering.extractive.code_comments import PLAIN_WORD, CommentSentence, find_comment_sentences
from ragstone.answering.extractive.form_fields import begins_with_field, find_fields
from ragstone.answering.extractive.table_rows import TableRow, find_row_lines, read_rows
from ragstone.answering.verification.spans import spans_at
from ragstone.core.analyzer import extract_terms
from ragstone.core.headings import name_heading, normalize_heading
from ragstone.core.sentences import is_heading_line, is_numbered_heading, split_sentences
from ragstone.core.types import Chunk, Hit

Form = Literal["sentence", "item", "row", "code", "heading", "source", "noise"]

SOURCE_CODE = "text/x-source-code"  # the media type of programs
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
# The end of a block of code that began before the chunk: no blank line stands above it, one stands below.
INSIDE = re.compile(r"[^\n]\n[ \t]*(?:`{3,}|~{3,})[ \t]*(?:\n[ \t]*)?(?:\n|\Z)")
ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
# Rules of tables, thematic breaks, link definitions, comments, directives: nobody's answer.
NOISE = re.compile(
    r"\[[^\]\n]{1,200}\]:\s|[\s|:=*_#>~`.-]+$|<!--|\{\{[^\n]{0,200}\}\}\s*$|:::|!\[[^\]\n]*\](?:\([^)\n]*\))?\s*$"
)
# The line below a figure or table that names where it comes from: no fact about its subject.
SOURCE_LINE = re.compile(
    r"[(*_\s]*(?:data )?(?:sources?|quellen?|fuentes?|fontes?|font[ei]|bron(?:nen)?|źródł[oa]|zdroj|источник)"
    r"\**_*[ \u00a0]?:\s?\S[^\n]*",
    re.IGNORECASE,
)
LONGEST_SOURCE = 200
# The end of a sentence with marks of notes behind its stop, links or not, before the next sentence.
NOTED_END = re.compile(
    r"[.!?][\"'”’)]{0,3}(?:\\?\[{1,2}[\w ]{1,10}\\?\]{1,2}(?:\([^()\s]{0,300}\))?){1,9}(?=\s+[\"“A-Z0-9])"
)
# What inside a passage gives its line breaks a meaning: blank lines, further items, rows, headings, fences.
LINE_STRUCTURE = re.compile(r"\n[ \t]*(?:\n|[-*+•][ \t]|\d{1,3}[.)][ \t]|[|#]|```|~~~)")
# Two lines of settings, one below the other: a key with a colon or an equals sign, a section's name above the first.
KEY = r"[ \t]*(?:- )?[\w.\"'/<>{}$-]{1,80}[ \t]?(?::(?=\s|\Z)|=)"
SETTINGS = re.compile(rf"^(?:{KEY}[^\n]*|\[[^\]\n]{{1,80}}\][ \t]*)\n{KEY}", re.MULTILINE)
UNMARKED = 7  # the level of a heading that no mark shows: below all that one does
TITLE = re.compile(r"[^\n]{0,119}[^\n.!:;|]")
LONGEST_CODE = 1500


@dataclass(frozen=True)
class Passage:
    """A range of a chunk's text: `hit` is the rank of its hit from 0, `index` its number in the chunk, `lead` the range
    of the sentence that introduces the list of an item. `sections` are the headings above it in its chunk that the
    chunk's own headings do not name, `closed` those whose sections end before it, by `name_heading`."""

    hit: int
    index: int
    chunk: Chunk
    start: int
    end: int
    form: Form
    row: TableRow | None = None
    declaration: tuple[int, int] | None = None  # of what a comment in code is about
    lead: tuple[int, int] | None = None
    sections: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The passage as it stands in the chunk."""
        return self.chunk.text[self.start : self.end]

    @property
    def heading(self) -> str:
        """The nearest heading above it; nothing where there is none."""
        return next(reversed((*self.chunk.heading_path, *self.sections)), "")

    @property
    def title(self) -> str:
        """The title of its document, where nothing but headings stands before it; else nothing."""
        before = self.chunk.text[: self.start].splitlines() if not self.chunk.ordinal else ["later"]
        begins = all(not line.strip() or line.startswith("#") for line in before)
        return (self.chunk.document.title or "") if begins else ""

    @property
    def is_comment(self) -> bool:
        """Whether it is a sentence in code."""
        return self.form in ("sentence", "item") and _is_bare_code(self.chunk)

    @property
    def declared(self) -> str:
        """The line of the declaration that a comment is about; nothing for other passages."""
        return self.chunk.text[slice(*self.declaration)] if self.declaration else ""

    @property
    def header(self) -> str:
        """The header of a row's table in the chunk; nothing for other passages."""
        return "\n".join(self.chunk.text[a:b] for a, b in self.row.header) if self.row else ""

    @property
    def is_prose(self) -> bool:
        """Whether line breaks in it mean nothing, as in a sentence or a single list item."""
        if self.form not in ("sentence", "item"):
            return False
        if self.form == "item" and begins_with_field(self.text):
            return False
        return self.is_comment or not (LINE_STRUCTURE.search(self.text) or SETTINGS.search(self.text))

    @cached_property
    def line(self) -> list[str]:
        """The terms of the passage in order."""
        return extract_terms(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The distinct ones; of a row, its dates in other notations too."""
        return frozenset(self.line) | (self.row.date_terms if self.row else frozenset())


def split_passages(hits: Sequence[Hit]) -> list[list[Passage]]:
    """The passages of each hit's chunk, in order, never overlapping, none of them ending inside a secret."""
    return [chunk_passages(hit.chunk, rank) for rank, hit in enumerate(hits)]


def chunk_title(chunk: Chunk) -> str:
    """The line that a plain text begins with, alone in its paragraph, where it ends no sentence; else nothing."""
    first, blank, _ = chunk.text.partition("\n\n")
    return first if chunk.ordinal == 0 and blank and TITLE.fullmatch(first) else ""


def chunk_passages(chunk: Chunk, rank: int) -> list[Passage]:
    """The passages of the chunk of the hit with this rank."""
    if _is_bare_code(chunk):
        return _code_passages(chunk, rank)
    headings = {normalize_heading(heading) for heading in chunk.heading_path}
    apart = [part for a, b in _split_pieces(chunk) for part in _split_heading(chunk.text, a, b, headings)]
    found = _rejoin_secrets(chunk, apart)
    lines = frozenset(find_row_lines(chunk.text, is_table=chunk.kind == "table"))
    rows = read_rows(chunk.text, found, lines, continues=bool(chunk.header)) if lines else [None] * len(found)
    fields = frozenset(find_fields(chunk.text, 0, len(chunk.text), _find_joins(chunk)))
    passages = [
        Passage(rank, i, chunk, a, b, "row" if row else _classify_form(chunk, a, b, headings, fields), row)
        for i, ((a, b), row) in enumerate(zip(found, rows, strict=True))
    ]
    return list(_place_in_sections(passages, headings))


def _place_in_sections(passages: Sequence[Passage], known: Set[str]) -> Iterator[Passage]:
    """The passages, each with the headings above it in the chunk; `known` are those that the chunk names."""
    inside: list[tuple[int, str]] = []
    closed: frozenset[str] = frozenset()
    for passage in passages:
        if passage.form == "heading":
            level = len(passage.text) - len(passage.text.lstrip("#")) or UNMARKED
            closed |= {name_heading(heading) for above, heading in inside if above >= level}
            title = passage.text.strip("#*_` \t\r\n").partition("\n")[0]
            inside = [*((above, heading) for above, heading in inside if above < level), (level, title)]
        sections = tuple(heading for _, heading in inside if normalize_heading(heading) not in known)
        yield replace(passage, sections=sections, closed=closed) if sections or closed else passage


def _is_bare_code(chunk: Chunk) -> bool:
    """Whether a chunk is a piece of a program, not of a page that shows some."""
    return chunk.kind == "code" and (chunk.document.media_type == SOURCE_CODE or FENCE.search(chunk.text) is None)


def _code_passages(chunk: Chunk, rank: int) -> list[Passage]:
    """A chunk of code whole, then the sentences of its comments, but those that end inside a secret."""
    if not chunk.text.strip():
        return []
    pieces = [
        one
        for one in find_comment_sentences(chunk.text)
        if not any(
            _is_within_secret(chunk, edge - 1, edge) for edge in (one.start, one.end) if 0 < edge < len(chunk.text)
        )
    ]
    said = (
        Passage(rank, number, chunk, one.start, one.end, _comment_form(chunk, one), declaration=one.declaration)
        for number, one in enumerate(pieces, start=1)
    )
    return [Passage(rank, 0, chunk, 0, len(chunk.text), "code"), *said]


def _comment_form(chunk: Chunk, one: CommentSentence) -> Form:
    return "item" if one.is_field or ITEM.match(chunk.text, one.start) else "sentence"


def _rejoin_secrets(chunk: Chunk, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces between which a secret goes on are one: a password may hold what ends a sentence."""
    out: list[tuple[int, int]] = []
    for start, end in found:
        if out and chunk.secrets and _is_within_secret(chunk, out[-1][1] - 1, start):
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def _is_within_secret(chunk: Chunk, last: int, first: int) -> bool:
    left, right = spans_at(chunk, last, first)[0].char_start, spans_at(chunk, first, first)[-1].char_start
    return any(start <= left and right < end for start, end, _ in chunk.secrets)


def _split_pieces(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """Sentences outside of fences, and each fenced block whole, also one that began before the chunk."""
    text = chunk.text
    start, opened, mark = 0, -1, ""
    for number, fence in enumerate(FENCE.finditer(text)):
        if not number and INSIDE.match(text, max(0, fence.start() - 2)):
            start = fence.end()
            yield (len(text[:start]) - len(text[:start].lstrip()), start)
        elif opened < 0:
            yield from _sentence_ranges(chunk, start, fence.start())
            opened, mark = fence.start(), fence[1]
        elif fence[1].startswith(mark):
            yield (opened, fence.end())
            start, opened = fence.end(), -1
    if opened >= 0:
        yield (opened, opened + len(text[opened:].rstrip()))
    else:
        yield from _sentence_ranges(chunk, start, len(text))


def _sentence_ranges(chunk: Chunk, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The rows of tables and the fields of forms whole, and the sentences between them."""
    text = chunk.text
    rows = find_row_lines(text[start:end], is_table=chunk.kind == "table")
    whole = [*((start + a, start + b) for a, b in rows), *find_fields(text, start, end, _find_joins(chunk))]
    at = start
    for a, b in [*sorted(whole), (end, end)]:
        if a < at:
            continue  # a field inside of a row, or the other way round
        for left, right in split_sentences(text[at:a]):
            yield from _split_at_notes(text, at + left, at + right)
        if a < b:
            yield (a, b)
        at = b


def _find_joins(chunk: Chunk) -> frozenset[int]:
    """Where the parts of a chunk's text end that its spans are, one line below the other."""
    lengths = (span.char_end - span.char_start + 1 for span in chunk.spans)
    return frozenset(end - 1 for end in accumulate(lengths))


def _split_at_notes(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in two where a mark of a note stands between its stop and the next: `… in 1911.[25] He`."""
    for noted in NOTED_END.finditer(text, start, end):
        yield (start, noted.end())
        start = noted.end() + len(text[noted.end() : end]) - len(text[noted.end() : end].lstrip())
    if start < end:
        yield (start, end)


def _split_heading(text: str, start: int, end: int, headings: set[str]) -> Iterator[tuple[int, int]]:
    """A heading without marks, as HTML in Markdown leaves it, apart from the sentence below it."""
    line = text.find("\n", start, end)
    if line > start and normalize_heading(text[start:line]) in headings:
        yield (start, start + len(text[start:line].rstrip()))
        start = line + len(text[line:end]) - len(text[line:end].lstrip())
    yield (start, end)


def _classify_form(chunk: Chunk, start: int, end: int, headings: Set[str], fields: Set[tuple[int, int]]) -> Form:
    text = chunk.text[start:end]
    if FENCE.match(text) or FENCE.fullmatch(text, text.rfind("\n") + 1):
        return "code"
    if (
        text.startswith("#")
        or is_heading_line(text)
        or is_numbered_heading(chunk.text, start, end)
        or normalize_heading(text) in headings
        or (start == 0 and chunk.text[:end] == chunk_title(chunk))
    ):
        return "heading"
    if NOISE.match(text):
        return "noise"
    if end - start <= LONGEST_SOURCE and SOURCE_LINE.fullmatch(text):
        return "source"
    if text.startswith("|"):
        return "row"
    if not PLAIN_WORD.search(text):
        return "noise"
    return "item" if ITEM.match(text) or (start, end) in fields else "sentence"
