"""Writes the tree of a page as a text of record, and keeps where each block came to stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragstone.extract.grid import caption, classes, raw_text, rows_of
from ragstone.extract.lines import Lines
from ragstone.extract.markup import Found
from ragstone.extract.page import BLOCKS, Node
from ragstone.extract.tables import GAP, Raw, lined, placed
from ragstone.types import Block, BlockType, Cell, Role

HEADINGS = {f"h{n}": n for n in range(1, 7)}
LISTS = frozenset(("ul", "ol", "menu", "dir"))
IN_ITEMS = frozenset(("p", "div", "section", "blockquote"))  # a new line of the item, not a block of its own
LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|brush:)[-\s]*([\w+#]+)")
ROLES: dict[str, Role] = {"body": "body", "nav": "nav", "header": "header", "footer": "footer", "toc": "toc"}
BREAK = "\v"  # stands for a line break among words; the parser gives none
DEEPEST = 20  # lists are not indented further


@dataclass(slots=True)
class _Written:
    """A block in characters of the record that is being written."""

    type: BlockType
    text: str
    ranges: list[tuple[int, int]]
    role: Role
    level: int = 0
    cells: tuple[Cell, ...] = ()
    language: str | None = None


@dataclass(slots=True)
class _Item:
    """A list item that is open: its mark is written with its first text."""

    mark: str
    depth: int


@dataclass(slots=True)
class Writer:
    """`put` what there is, then take `record` and `blocks`."""

    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _written: list[_Written] = field(default_factory=list)
    _words: list[str] = field(default_factory=list)
    _heading: int = 0
    _items: list[_Item] = field(default_factory=list)
    _numbers: list[int | None] = field(default_factory=list)  # of each open list; None where it has bullets

    def record(self) -> str:
        return "".join(self._parts)

    def blocks(self) -> Iterator[Block]:
        """The blocks in order, with lines counted in the finished record."""
        lines = Lines(self.record())
        for block in self._written:
            rows = [{"rows": (n, n)} if block.type == "table" else {} for n in range(1, len(block.ranges) + 1)]
            spans = tuple(lines.span(a, b, **row) for (a, b), row in zip(block.ranges, rows, strict=True))
            yield Block(block.type, block.text, spans, block.role, block.level, block.cells, block.language)

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
                self._words.append(child)
            else:
                own = ROLES.get(child.role, role)
                if own != role or (child.tag in BLOCKS and not (self._items and child.tag in IN_ITEMS)):
                    self._flush(role)
                if self._enter(child, own):
                    stack.append((child, iter(child.children), own))

    def put_found(self, found: Found) -> None:
        """Write a piece of a page that has no tree."""
        if found.type == "table":
            rows: dict[int, list[Raw]] = {}
            for cell in found.cells:
                rows.setdefault(cell.row, []).append(Raw(cell.text, cell.rowspan, cell.colspan, cell.header))
            self._table(list(rows.values()), "body")
        elif found.type == "heading":
            self._heading = found.level
            self._words = [found.text]
            self._flush("body")
            self._heading = 0
        else:
            self._write(found.type, found.text, found.text, "body", found.level)

    def _enter(self, node: Node, role: Role) -> bool:
        """Open an element; False when all of it is written already."""
        tag = node.tag
        if tag == "br" or (self._items and tag in IN_ITEMS):
            self._words.append(BREAK)
        elif tag == "table" and (rows := rows_of(node)) is not None:
            self._words.append(caption(node))
            self._flush(role)
            self._table(rows, role)
            return False
        elif tag == "pre":
            self._code(node, role)
            return False
        elif tag in HEADINGS and not self._items:
            self._heading = HEADINGS[tag]
        elif tag in LISTS:
            start = node.get("start")
            self._numbers.append(None if tag != "ol" else int(start) if start.isdecimal() and len(start) < 6 else 1)
        elif tag == "li":
            self._items.append(_Item(self._mark(), max(1, len(self._numbers))))
        return tag != "br"

    def _leave(self, node: Node, role: Role) -> None:
        tag = node.tag
        if self._items and tag in IN_ITEMS:
            self._words.append(BREAK)
        elif tag in BLOCKS:
            self._flush(role)
        if tag in HEADINGS:
            self._heading = 0
        elif tag in LISTS and self._numbers:
            self._numbers.pop()
        elif tag == "li" and self._items:
            self._items.pop()

    def _mark(self) -> str:
        if not self._numbers or self._numbers[-1] is None:
            return "- "
        self._numbers[-1] += 1
        return f"{self._numbers[-1] - 1}. "

    def _flush(self, role: Role) -> None:
        """Write the words that were gathered as one block."""
        if not self._words:
            return
        words, self._words = self._words, []
        text = "\n".join(filter(None, (" ".join(line.split()) for line in "".join(words).split(BREAK))))
        if not text:
            return
        if self._items:
            item = self._items[-1]
            indent = "  " * min(item.depth - 1, DEEPEST)
            shown = indent + (item.mark or "  ") + text.replace("\n", f"\n{indent}  ")
            self._write("list", item.mark + text, shown, role, item.depth)
            item.mark = ""
        elif self._heading:
            line = " ".join(text.split())
            self._write("heading", line, "#" * self._heading + " " + line, role, self._heading)
        else:
            self._write("paragraph", text, text, role, 0)

    def _write(
        self, type_: BlockType, text: str, shown: str, role: Role, level: int, *, language: str | None = None
    ) -> None:
        self._separate(tight=type_ == "list" and bool(self._written) and self._written[-1].type == "list")
        start = self._length
        self._append(shown)
        self._written.append(_Written(type_, text, [(start, self._length)], role, level, (), language))

    def _separate(self, *, tight: bool = False) -> None:
        if self._length:
            self._append("\n" if tight else "\n\n")

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _code(self, node: Node, role: Role) -> None:
        text = raw_text(node).strip("\n")
        if not text.strip():
            return
        match = LANGUAGE.search(classes(node))
        language = match[1].lower() if match else None
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        self._write("code", text, f"{fence}{language or ''}\n{text}\n{fence}", role, 0, language=language)

    def _table(self, rows: Sequence[Sequence[Raw]], role: Role) -> None:
        cells = placed(rows)
        if not any(cell.text for cell in cells):
            return
        self._separate()
        by_row: dict[int, list[Cell]] = {}
        for cell in cells:
            by_row.setdefault(cell.row, []).append(cell)
        columns = max(cell.col + cell.colspan for cell in cells)
        ranges: list[tuple[int, int]] = []
        standing: list[Cell] = []
        for row in by_row.values():
            if ranges:
                self._append("\n")
            start = self._length
            standing += self._row(row, columns)
            if not ranges:
                self._append("\n" + "|---" * min(columns, len(row) + GAP) + "|")
            ranges.append((start, self._length))
        self._written.append(_Written("table", lined(cells), ranges, role, 0, tuple(standing)))

    def _row(self, row: Sequence[Cell], columns: int) -> Iterator[Cell]:
        """Write one row; a column that a cell above or to the left covers stays empty."""
        col = 0
        for cell in row:
            self._append("| " * (min(GAP, cell.col - col) + 1))
            start = self._length
            self._append(cell.text.replace("|", "\\|"))
            yield replace(cell, char_start=start, char_end=self._length) if cell.text else cell
            self._append(" ")
            col = cell.col + 1
        self._append("| " * min(GAP, columns - col) + "|")
