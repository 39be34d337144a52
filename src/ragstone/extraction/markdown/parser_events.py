"""From the events of the Markdown parser to leaves: paragraphs, headings, code, tables, HTML, each with its place."""

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
import pyromark

from ragstone.extraction.markdown.embedded_html import VISIBLE_ATTRIBUTE

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_HEADING_ATTRIBUTES
    | pyromark.Options.ENABLE_GFM
)
INLINE = frozenset(("Emphasis", "Strong", "Strikethrough", "Link", "Image", "Superscript", "Subscript"))
WORDS = frozenset(("Text", "Code", "InlineMath", "DisplayMath"))
EDGES = frozenset(("Start", "End"))
ROW_PARTS = frozenset(("TableCell", "TableHead", "TableRow"))
CONTAINERS = frozenset(("Item", "BlockQuote", "FootnoteDefinition"))
HTML_INLINE = frozenset(
    "a abbr acronym b bdi bdo big button center cite code data del dfn em font i iframe img input ins kbd label mark "
    "nobr picture q rp rt ruby s samp small source span strike strong sub sup svg path time tt u var video wbr "
    "p div details summary table thead tbody tfoot tr td th ul ol li pre blockquote script style hr".split()
)
Kind = Literal["heading", "text", "code", "table", "html"]


@dataclass(slots=True)
class TableCell:
    """A cell with its words and its bytes, bars left out."""

    words: list[str]
    start: int
    end: int


@dataclass(slots=True)
class Row:
    """A table row and its bytes; the first of a table is its head."""

    start: int
    end: int
    cells: list[TableCell] = field(default_factory=list)


@dataclass(slots=True)
class Leaf:
    """A block without blocks in it. Places are bytes of the parsed text.

    `first` is where the outermost container (list item, quote) begins that begins with this leaf;
    `item` numbers the list item that holds it (0: none), `depth` counts the lists around it;
    `gaps` are comments inside.
    """

    kind: Kind
    start: int
    end: int
    first: int
    item: int
    depth: int
    contained: bool
    level: int = 0
    language: str | None = None
    words: list[str] = field(default_factory=list)
    gaps: list[tuple[int, int]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def parse_leaves(body: str) -> Iterator[Leaf]:
    """The leaves of a Markdown text in order; linear, and without recursion however deep it nests."""
    reader = _LeafReader()
    # An event is a name, or a name with what belongs to it as the one item of a dict.
    events = cast("Iterator[tuple[str | dict[str, Any], Any]]", pyromark.events_with_range(body, options=OPTIONS))
    for event, place in events:
        start, end = place["start"], place["end"]
        if isinstance(event, str):
            yield from reader.add_mark(event, start, end)
            continue
        name, value = event.popitem()
        if name in WORDS:
            reader.add_inline(value, start, end)
        elif name in EDGES:
            kind, about = (value, None) if isinstance(value, str) else value.popitem()
            if kind in INLINE:
                reader.add_inline("", start, end)
            elif name == "Start":
                yield from reader.open(kind, about, start, end)
            else:
                yield from reader.close(kind)
        else:
            reader.add_special(name, value, start, end)
    yield from reader.flush()


class _LeafReader:
    """What is open while the events pass by."""

    def __init__(self) -> None:
        self.leaf: Leaf | None = None
        self.implied = False  # a tight list item has no paragraph of its own
        self.words: list[str] = []  # of the leaf, or of the cell
        self.first = -1
        self.items: list[int] = []
        self.count = 0
        self.depth = 0
        self.containers = 0

    def add_inline(self, words: str, start: int, end: int) -> None:
        if self.leaf is None:
            self._open_leaf("text", start, end)
            self.implied = True
        elif self.implied and end > self.leaf.end:
            self.leaf.end = end
        self.words.append(words)

    def add_mark(self, event: str, start: int, end: int) -> Iterator[Leaf]:
        if event == "Rule":
            yield from self.flush()
        else:
            self.add_inline("\n" if event == "HardBreak" else " ", start, end)

    def add_special(self, name: str, value: Any, start: int, end: int) -> None:
        if name == "InlineHtml":
            self._add_inline_html(value, start, end)
        elif name == "Html":
            self._add_html_line(start, end)
        elif name == "TaskListMarker":
            self.add_inline("[x] " if value else "[ ] ", start, end)

    def _add_inline_html(self, tag: str, start: int, end: int) -> None:
        """Comments are gaps; tags are dropped from the words, but `<Name>` is a placeholder, not a tag."""
        name = tag.strip("</>").split(maxsplit=1)[0].rstrip("/").lower() if tag.strip("</>") else ""
        if tag.startswith(("<!", "<?")):
            self.add_inline("", start, end)
            if self.leaf is not None:
                self.leaf.gaps.append((start, end))
        elif name == "br":
            self.add_inline("\n", start, end)
        elif name == "img":
            shown = (html.unescape(m[1] or m[2]) for m in VISIBLE_ATTRIBUTE.finditer(tag))
            self.add_inline(" ".join(shown), start, end)
        else:
            self.add_inline("" if name in HTML_INLINE else tag, start, end)

    def _add_html_line(self, start: int, end: int) -> None:
        """A line of an HTML block; between two lines there may be the marks of a quote: a gap."""
        if self.leaf is not None:
            if start > self.leaf.level:
                self.leaf.gaps.append((self.leaf.level, start))
            self.leaf.level = end

    def open(self, kind: str, about: Any, start: int, end: int) -> Iterator[Leaf]:
        if kind in ROW_PARTS:
            self._open_row_part(kind, start, end)
            return
        yield from self.flush()
        if kind in CONTAINERS:
            self._open_container(kind, start)
        elif kind == "List":
            self.depth += 1
        elif kind == "Paragraph":
            self._open_leaf("text", start, end)
        elif kind == "Heading":
            self._open_leaf("text" if self.containers else "heading", start, end).level = int(about["level"][1])
        elif kind == "CodeBlock":
            self._open_leaf("code", start, end).language = _find_language(about)
        elif kind == "Table":
            self._open_leaf("table", start, end)
        elif kind == "HtmlBlock":
            self._open_leaf("html", start, end).level = start

    def close(self, kind: str) -> Iterator[Leaf]:
        if kind in ROW_PARTS:
            return
        yield from self.flush()
        if kind in CONTAINERS:
            self.first = -1
            self.containers -= 1
            if kind == "Item":
                self.items.pop()
        elif kind == "List":
            self.depth -= 1

    def _open_container(self, kind: str, start: int) -> None:
        self.first = start if self.first < 0 else self.first
        self.containers += 1
        if kind == "Item":
            self.count += 1
            self.items.append(self.count)

    def _open_row_part(self, kind: str, start: int, end: int) -> None:
        if self.leaf is None:
            return
        if kind == "TableCell":
            self.words = []
            self.leaf.rows[-1].cells.append(TableCell(self.words, start, end))
        else:
            self.leaf.rows.append(Row(start, end))

    def flush(self) -> Iterator[Leaf]:
        """The open leaf, finished."""
        if self.leaf is not None:
            yield self.leaf
        self.leaf, self.implied = None, False

    def _open_leaf(self, kind: Kind, start: int, end: int) -> Leaf:
        item = self.items[-1] if self.items else 0
        self.leaf = Leaf(kind, start, end, self.first, item, self.depth, self.containers > 0)
        self.words, self.first = self.leaf.words, -1
        return self.leaf


def _find_language(about: Any) -> str | None:
    """The first word of a fence's info string: `rust,ignore` and `{.python .numbered}` give their name."""
    info = about.get("Fenced", "") if isinstance(about, dict) else ""
    words = info.replace(",", " ").strip("{} ").split()
    return words[0].removeprefix(".").removeprefix("language-").lower() or None if words else None


def map_offsets(body: str, base: int) -> Callable[[int], int]:
    """From bytes of the body to characters of the record."""
    if body.isascii():
        return base.__add__
    data = np.frombuffer(body.encode(), np.uint8)
    before = np.cumsum((data & 0xC0) != 0x80, dtype=np.int32)
    return lambda byte: base + int(before[byte - 1]) if byte else base
