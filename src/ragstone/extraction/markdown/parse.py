"""Markdown to blocks whose spans are slices of the very file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragstone.core.document_names import readable_name
from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, BlockType, Cell, Extraction, Span
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.markdown.captions import tie_captions
from ragstone.extraction.markdown.directives import blank_directives
from ragstone.extraction.markdown.embedded_html import HtmlPiece, find_visible_text
from ragstone.extraction.markdown.front_matter import merge_meta, parse_front_matter, split_given
from ragstone.extraction.markdown.html_tags import find_table_end
from ragstone.extraction.markdown.obsidian import find_tags, hide_comments
from ragstone.extraction.markdown.parser_events import Leaf, map_offsets, parse_leaves
from ragstone.extraction.markdown.properties import find_properties
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.table_of_contents import mark_toc_blocks
from ragstone.extraction.record.tables import RawCell, format_rows, place_cells

MARKS = " \t\r\n\f\v>"  # what may stand around text without being text
Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Markdown:
    """CommonMark with tables, footnotes, task lists, alerts; front matter; HTML and directives inside.

    The text of record is the decoded file, without metadata that a program gave beside it. A block a
    paragraph, heading, code block and table (one span a row, the first with the rule under the head),
    a block a list item with its depth as level;
    comments, link definitions and front matter are none, but for one of its lines about the subject.
    """

    recipe: str = "markdown-11"
    media_type: str = "text/markdown"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` for bytes that are neither UTF-8 nor UTF-16, and for a file without text."""
        decoded, warnings = decode_text(data, path=path)
        given, record = split_given(decoded)
        # Of the record's length throughout, so that places fit both: a lone return is a line end as well.
        source = unify_newlines(record)
        front = parse_front_matter(source)
        reader = _BlockReader(source, front.start)
        body = tuple(tie_captions(tuple(mark_toc_blocks(reader.blocks(), record))))
        blocks = (*reader.read_properties(find_properties(source, front.start)), *body)
        if not blocks:
            raise Refused("empty", f"{path} holds no text beside comments and front matter")
        said = merge_meta(front, given)
        title = said.get("title") or _find_title(body) or readable_name(path) or None
        warnings = (*warnings, *given.warnings, *front.warnings, *reader.warnings)
        tags = [*said.get("tags", ()), *find_tags(reader.iterate_written(body))]
        meta = {**said, "tags": list(dict.fromkeys(tags))} if tags else said
        found = Extraction(record, blocks, self.media_type, title, meta, warnings)
        return close_if_marked(found, source[front.start :])


def _find_title(blocks: Sequence[Block]) -> str | None:
    """The first heading of level 1, or the heading that the document begins with."""
    for block in blocks:
        if block.type == "heading" and (block.level == 1 or block is blocks[0]):
            return block.text
    return None


@dataclass(slots=True)
class _Open:
    """A text block that may still grow: the paragraphs of one list item are one block."""

    type: BlockType
    level: int
    item: int
    texts: list[str]
    ranges: list[tuple[int, int]]


class _BlockReader:
    """Turns leaves into blocks, in characters of the record."""

    def __init__(self, source: str, start: int) -> None:
        body = hide_comments(blank_directives(source[start:]))
        self._source = source[:start] + body
        self._body = body
        self._at = map_offsets(body, start)
        self._lines = LineIndex(source)
        self._behind = start  # end of the last block
        self._resume = 0  # leaves before this place were read as part of an HTML table
        self._endless = False  # an HTML table was met that never ends
        self._open: _Open | None = None
        self.warnings: list[str] = []

    def blocks(self) -> Iterator[Block]:
        for leaf in parse_leaves(self._body):
            start, end = self._at(leaf.start), self._at(leaf.end)
            if end <= self._resume:
                continue
            if leaf.kind == "html" or start < self._resume:
                yield from self._read_html(leaf, max(start, self._resume), end)
            elif leaf.kind == "text":
                yield from self._read_text(leaf, start, end)
            elif leaf.kind == "heading":
                yield from self._flush()
                yield from self._make_block(
                    "heading", _join_words(leaf.words), self._find_pieces(leaf, start, end), leaf.level
                )
            elif leaf.kind == "code":
                yield from self._flush()
                text = "".join(leaf.words).replace("\r\n", "\n").rstrip("\n")
                pieces = [(self._find_line_start(start), self._trim(start, end)[1])]
                yield from self._make_block("code", text, pieces, 0, language=leaf.language)
            else:
                yield from self._flush()
                yield from self._read_table(leaf, end)
        yield from self._flush()

    def iterate_written(self, blocks: Sequence[Block]) -> Iterator[str]:
        """The text of all blocks but code as it stands in the file, without comments."""
        written = (block for block in blocks if block.type != "code")
        return (self._source[span.char_start : span.char_end] for block in written for span in block.spans)

    def read_properties(self, places: Ranges) -> Iterator[Block]:
        """Lines of the front matter as one block."""
        if places:
            text = "\n".join(self._source[start:end] for start, end in places)
            yield Block("paragraph", text, tuple(self._lines.span(start, end) for start, end in places))

    def _read_text(self, leaf: Leaf, start: int, end: int) -> Iterator[Block]:
        text = "\n".join(filter(None, (" ".join(line.split()) for line in "".join(leaf.words).split("\n"))))
        pieces = self._find_pieces(leaf, start, end)
        if not text or not pieces:
            return
        now = self._open
        if now is not None and leaf.item and now.item == leaf.item:
            now.texts.append(text)
            if not self._source[now.ranges[-1][1] : pieces[0][0]].strip(MARKS):
                now.ranges[-1] = (now.ranges[-1][0], pieces[0][1])
                del pieces[0]
            now.ranges.extend(pieces)
            self._behind = now.ranges[-1][1]
            return
        yield from self._flush()
        type_: BlockType = "list" if leaf.item else "paragraph"
        level = leaf.depth if leaf.item else 0
        self._open = _Open(type_, level, leaf.item, [" ".join([*self._find_mark(leaf, start), text])], pieces)
        self._behind = pieces[-1][1]

    def _find_mark(self, leaf: Leaf, start: int) -> list[str]:
        """The bullet or number of the list item that begins with this leaf."""
        if not leaf.item or leaf.first < 0:
            return []
        return [mark for mark in self._source[self._at(leaf.first) : start].split() if mark[0] not in ">["][-1:]

    def _flush(self) -> Iterator[Block]:
        """The text block that was open, done."""
        now, self._open = self._open, None
        if now is not None:
            yield from self._make_block(now.type, "\n".join(now.texts), now.ranges, now.level)

    def _read_table(self, leaf: Leaf, end: int) -> Iterator[Block]:
        rows = [
            [
                RawCell(_join_words(cell.words), 1, 1, number == 0, *self._find_cell(cell.start, cell.end))
                for cell in row.cells
            ]
            for number, row in enumerate(leaf.rows)
        ]
        cells = place_cells(rows)
        if not any(cell.text for cell in cells):
            return
        starts = [self._at(row.start) for row in leaf.rows]
        starts[0] = self._find_line_start(starts[0])
        ranges = [self._trim(a, b) for a, b in zip(starts, [*starts[1:], end], strict=True)]
        spans = [self._lines.span(a, b, rows=(n, n)) for n, (a, b) in enumerate(ranges, 1)]
        self._behind = ranges[-1][1]
        yield Block("table", format_rows(cells), tuple(spans), cells=cells)

    def _find_cell(self, start: int, end: int) -> tuple[int | None, int | None]:
        a, b = self._at(start), self._at(end)
        written = self._source[a:b]
        a += len(written) - len(written.lstrip())
        return (a, a + len(written.strip())) if written.strip() else (None, None)

    def _read_html(self, leaf: Leaf, start: int, end: int) -> Iterator[Block]:
        """The visible text of raw HTML; a table is read on to its end, over the blank lines in it."""
        source = self._blank_quote_marks(leaf, start, end) if leaf.kind == "html" else self._source[start:end]
        if close := self._find_table_close(source, start):
            source += self._source[end:close]
            self._resume = close
        if "<!--" in source and "-->" not in source:
            line = self._lines.number(start)
            self.warnings.append(f"the comment that begins near line {line} never ends and hides what follows")
        for found in find_visible_text(source, 0, len(source)):
            yield from self._flush()
            yield from self._place_piece(found, start)

    def _blank_quote_marks(self, leaf: Leaf, start: int, end: int) -> str:
        """The HTML with spaces for the marks of a quote between its lines."""
        parts, behind = [], start
        for a, b in ((self._at(a), self._at(b)) for a, b in leaf.gaps):
            if a >= behind:
                parts += [self._source[behind:a], " " * (b - a)]
                behind = b
        return "".join((*parts, self._source[behind:end]))

    def _find_table_close(self, source: str, start: int) -> int | None:
        """Where the table ends that begins in this piece of HTML and not ends in it."""
        lower = source.lower()
        if self._endless or lower.count("<table") <= lower.count("</table"):
            return None
        for opened in (lower.rfind("<table"), lower.find("<table")):
            if find_table_end(source, opened, len(source)) is None:
                close = find_table_end(self._source, start + opened, len(self._source))
                self._endless = close is None
                return close
        return None

    def _place_piece(self, found: HtmlPiece, base: int) -> Iterator[Block]:
        ranges = [(base + a, base + b) for a, b in found.ranges]
        if found.type != "table":
            yield from self._make_block(found.type, found.text, ranges, found.level)
            return
        cells = tuple(_shift_cell(cell, base) for cell in found.cells)
        spans = tuple(self._lines.span(a, b, rows=(n, n)) for n, (a, b) in enumerate(ranges, 1))
        self._behind = ranges[-1][1]
        yield Block("table", found.text, spans, cells=cells)

    def _make_block(
        self, type_: BlockType, text: str, ranges: Ranges, level: int, *, language: str | None = None
    ) -> Iterator[Block]:
        if text.strip() and ranges:
            spans: tuple[Span, ...] = tuple(self._lines.span(a, b) for a, b in ranges)
            self._behind = max(self._behind, ranges[-1][1])
            yield Block(type_, text, spans, level=level, language=language)

    def _find_pieces(self, leaf: Leaf, start: int, end: int) -> list[tuple[int, int]]:
        """The leaf's place without its comments; marks of the list or quote that begins with it are part of it."""
        first = start if leaf.first < 0 else self._at(leaf.first)
        edges = [self._find_line_start(first) if leaf.contained else first]
        for a, b in leaf.gaps:
            edges += [self._at(a), self._at(b)]
        edges.append(end)
        pieces = [self._trim(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        pieces[1:] = [(b - len(self._source[a:b].lstrip()), b) for a, b in pieces[1:]]
        return [(a, b) for a, b in pieces if self._source[a:b].strip(MARKS)]

    def _find_line_start(self, start: int) -> int:
        """The start of the line when only marks of a quote or white space stand before."""
        begin = self._source.rfind("\n", self._behind, start) + 1 or self._behind
        return begin if not self._source[begin:start].strip(MARKS) else start

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Without white space at the ends; indentation and quote marks before the text stay."""
        written = self._source[start:end]
        left = start + len(written) - len(written.lstrip("\r\n\f\v"))
        right = start + len(written.rstrip(MARKS if written.rstrip().endswith("\n>") else " \t\r\n\f\v"))
        return left, max(left, right)


def _join_words(words: Sequence[str]) -> str:
    return " ".join("".join(words).split())


def _shift_cell(cell: Cell, base: int) -> Cell:
    if cell.char_start is None or cell.char_end is None:
        return cell
    return replace(cell, char_start=base + cell.char_start, char_end=base + cell.char_end)
