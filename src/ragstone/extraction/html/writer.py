"""Writes the tree of a page as a text of record, and keeps where each block came to stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ragstone.core.types import Block, BlockType, CaptionTarget, Cell, Role
from ragstone.extraction.html.cell_text import flat_text
from ragstone.extraction.html.code import CODE, is_gutter, language_of, raw_text
from ragstone.extraction.html.inline import BREAK, PICTURE, Phrase
from ragstone.extraction.html.lists import LISTS, ListMarks
from ragstone.extraction.html.tables import read_caption, read_data_table
from ragstone.extraction.html.tree import BLOCKS, Node
from ragstone.extraction.markdown.embedded_html import HtmlPiece
from ragstone.extraction.record.builder import LINK
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.tables import RawCell, format_pipe_table, format_rows, place_cells

HEADINGS = {f"h{n}": n for n in range(1, 7)}
IN_ITEMS = frozenset(("p", "div", "section", "blockquote"))  # a new line of the item, not a block of its own
ROLES: dict[str, Role] = {"body": "body", "nav": "nav", "header": "header", "footer": "footer", "toc": "toc"}
DEEPEST = 20  # lists are not indented further


@dataclass(slots=True)
class _WrittenBlock:
    """A block in characters of the record that is being written."""

    type: BlockType
    text: str
    ranges: list[tuple[int, int]]
    role: Role
    level: int = 0
    cells: tuple[Cell, ...] = ()
    language: str | None = None
    caption: str = ""
    caption_of: CaptionTarget | None = None


@dataclass(slots=True)
class _Item:
    """A list item that is open: its mark is written with its first text."""

    mark: str
    depth: int


@dataclass(slots=True)
class _Figure:
    """A `<figure>` that is open, and how many blocks stood before it and before its caption."""

    first: int
    caption: int = -1


@dataclass(slots=True)
class Writer:
    """`put` what there is, then take `record` and `blocks`."""

    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _written: list[_WrittenBlock] = field(default_factory=list)
    _phrase: Phrase = field(default_factory=Phrase)
    _heading: int = 0
    _items: list[_Item] = field(default_factory=list)
    _marks: ListMarks = field(default_factory=ListMarks)
    _figures: list["_Figure"] = field(default_factory=list)  # that are open

    def record(self) -> str:
        return "".join(self._parts)

    def blocks(self) -> Iterator[Block]:
        """The blocks in order, with lines counted in the finished record."""
        lines = LineIndex(self.record())
        for block in self._written:
            if block.type == "table":
                spans = tuple(lines.span(a, b, rows=(n, n)) for n, (a, b) in enumerate(block.ranges, 1))
            else:
                spans = tuple(lines.span(a, b) for a, b in block.ranges)
            yield Block(
                block.type,
                block.text,
                spans,
                block.role,
                block.level,
                block.cells,
                block.language,
                caption=block.caption,
                caption_of=block.caption_of,
            )

    def put(self, body: Node) -> None:
        """Write a tree; what is open stands on a stack, so that depth costs nothing."""
        stack: list[tuple[Node, Iterator[Node | str], Role]] = [(body, iter(body.children), "body")]
        while stack:
            node, children, role = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(node, role)
                if stack and stack[-1][2] != role:
                    self._flush(role)
            elif isinstance(child, str):
                self._phrase.put(child)
            else:
                own = ROLES.get(child.role, role)
                if own != role or (child.tag in BLOCKS and not (self._items and child.tag in IN_ITEMS)):
                    self._flush(role)
                if self._enter(child, own):
                    stack.append((child, iter(child.children), own))

    def put_piece(self, found: HtmlPiece) -> None:
        """Write a piece of a page that has no tree."""
        if found.type == "table":
            rows: dict[int, list[RawCell]] = {}
            for cell in found.cells:
                rows.setdefault(cell.row, []).append(RawCell(cell.text, cell.rowspan, cell.colspan, cell.header))
            self._write_table(list(rows.values()), "body")
        elif found.type == "heading":
            self._heading = found.level
            self._phrase.put(found.text)
            self._flush("body")
            self._heading = 0
        else:
            self._write(found.type, found.text, found.text, "body", found.level)

    def _enter(self, node: Node, role: Role) -> bool:
        """Open an element; False when all of it is written already."""
        tag = node.tag
        if self._items and tag in IN_ITEMS:
            self._phrase.put(BREAK)
        elif tag == "table" and self._write_if_table(node, role):
            return False
        elif tag in CODE:
            self._write_code(node, role)
            return False
        elif tag in HEADINGS and not self._items:
            self._heading = HEADINGS[tag]
        elif tag == "figure":
            self._figures.append(_Figure(len(self._written)))
        elif tag == "figcaption" and self._figures:
            self._figures[-1].caption = len(self._written)
        elif tag in LISTS:
            self._marks.enter(node)
        elif tag == "li":
            self._items.append(_Item(self._marks.next_mark(node), max(1, self._marks.depth)))
        elif tag not in BLOCKS:
            return self._phrase.enter(node, plain=role != "body")
        return True

    def _leave(self, node: Node, role: Role) -> None:
        tag = node.tag
        if self._items and tag in IN_ITEMS:
            self._phrase.put(BREAK)
        elif tag in BLOCKS:
            self._flush(role)
        else:
            self._phrase.leave(node)
        if tag in HEADINGS:
            self._heading = 0
        elif tag in LISTS:
            self._marks.leave()
        elif tag == "li" and self._items:
            self._items.pop()
        elif tag == "figcaption" and self._figures:
            self._close_figcaption(self._figures[-1])
        elif tag == "figure" and self._figures:
            self._close_figure(self._figures.pop())

    def _close_figcaption(self, figure: _Figure) -> None:
        """What was written since the caption began is that of a figure, until a table is seen in it."""
        for block in self._written[figure.caption :] if figure.caption >= 0 else ():
            if block.type == "paragraph":
                block.caption_of = "figure"

    def _close_figure(self, figure: _Figure) -> None:
        """The caption of a figure that is a table is the table's."""
        own = self._written[figure.first :]
        tables = [block for block in own if block.type == "table" and not block.caption]
        captions = [block for block in own if block.caption_of == "figure"]
        if len(tables) == 1 and captions:
            tables[0].caption = " ".join(block.text for block in captions)
            for block in captions:
                block.caption_of = "table"

    def _flush(self, role: Role) -> None:
        """Write the words that were gathered as one block, as several where empty lines part them."""
        if not self._phrase:
            return
        words = self._phrase.take()
        if self._items:
            self._write_item(_clean_lines(words), role)
        elif self._heading:
            self._write_heading(_clean_lines(words), role)
        else:
            for text in _split_paragraphs(words):
                self._write("paragraph", text, text, role, 0)

    def _write_item(self, text: str, role: Role) -> None:
        if not text:
            return
        item = self._items[-1]
        indent = "  " * min(item.depth - 1, DEEPEST)
        shown = indent + (item.mark or "  ") + text.replace("\n", f"\n{indent}  ")
        self._write("list", item.mark + text, shown, role, item.depth)
        item.mark = ""

    def _write_heading(self, text: str, role: Role) -> None:
        """Write a heading; its text, which names its section elsewhere, without where links lead."""
        line = " ".join(text.split())
        pictured = PICTURE.sub(r"\1", line)
        line = pictured if pictured.strip() == line[2:-1] else line
        if line:
            name = LINK.sub(r"\1", line).strip() or line
            self._write("heading", name, "#" * self._heading + " " + line, role, self._heading)

    def _write(
        self, type_: BlockType, text: str, shown: str, role: Role, level: int, *, language: str | None = None
    ) -> None:
        self._separate(tight=type_ == "list" and bool(self._written) and self._written[-1].type == "list")
        start = self._length
        self._append(shown)
        self._written.append(_WrittenBlock(type_, text, [(start, self._length)], role, level, (), language))

    def _separate(self, *, tight: bool = False) -> None:
        if self._length:
            self._append("\n" if tight else "\n\n")

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _write_code(self, node: Node, role: Role) -> None:
        text = raw_text(node).strip("\n")
        if not text.strip() or is_gutter(node, text):
            return
        language = language_of(node)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        self._write("code", text, f"{fence}{language or ''}\n{text}\n{fence}", role, 0, language=language)

    def _write_if_table(self, node: Node, role: Role) -> bool:
        """Write a table of data, its caption and what stands in it by mistake before it; False for a layout."""
        sheet = read_data_table(node, plain=role != "body")
        if sheet is None:
            return False
        named = read_caption(node)
        first = len(self._written)
        for text in (named, *(one if isinstance(one, str) else flat_text(one) for one in sheet.loose)):
            self._phrase.put(text)
            self._flush(role)
        if named and len(self._written) > first and self._written[first].type == "paragraph":
            self._written[first].caption_of = "table"
        self._write_table(sheet.rows, role, caption=" ".join(named.split()))
        return True

    def _write_table(self, rows: Sequence[Sequence[RawCell]], role: Role, *, caption: str = "") -> None:
        cells = place_cells(rows)
        if not any(cell.header for cell in cells if cell.row):
            cells = mark_header_rows(cells, named=any(cell.header for cell in cells) and all(c.header for c in rows[0]))
        if not any(cell.text for cell in cells):
            return
        self._separate()
        table = format_pipe_table(cells, at=self._length)
        self._append(table.text)
        ranges = [(start, end) for start, end, _ in table.rows]
        self._written.append(
            _WrittenBlock("table", format_rows(cells), ranges, role, 0, tuple(table.cells), None, caption)
        )


def _clean_lines(words: str) -> str:
    """Words with their lines, blanks put in order."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in words.split(BREAK))))


def _split_paragraphs(words: str) -> Iterator[str]:
    """Words parted where an empty line stands."""
    if BREAK not in words:
        if line := " ".join(words.split()):
            yield line
        return
    lines = (" ".join(line.split()) for line in words.split(BREAK))
    yield from ("\n".join(group) for some, group in groupby(lines, key=bool) if some)
