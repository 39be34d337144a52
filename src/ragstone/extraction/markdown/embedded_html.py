"""HTML that stands inside Markdown: its visible text, found in place."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragstone.core.types import BlockType, Cell
from ragstone.extraction.markdown.html_tags import Token, tokenize_html
from ragstone.extraction.record.tables import RawCell, format_rows, place_cells

VISIBLE_ATTRIBUTE = re.compile(r"\b(?:alt|caption|title|label|summary|description)\s*=\s*(?:\"([^\"]+)\"|'([^']+)')")
SPAN_ATTRIBUTE = re.compile(r"\b(rowspan|colspan)\s*=\s*[\"']?(\d{1,5})", re.IGNORECASE)
BLOCKS = frozenset(
    "address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary tbody td tfoot th thead tr ul".split()
)
HEADINGS = {f"h{n}": n for n in range(1, 7)}
ROW_PARTS = frozenset(("td", "th", "tr", "thead", "tbody", "tfoot", "caption"))


@dataclass(frozen=True, slots=True)
class HtmlPiece:
    """A piece of visible text: its kind, and the ranges of the source that hold it (of a table: one a row)."""

    type: BlockType
    text: str
    ranges: tuple[tuple[int, int], ...]
    level: int = 0
    cells: tuple[Cell, ...] = ()


@dataclass(slots=True)
class TextRun:
    """Text that is gathered between two block tags; a gap in it starts a new range."""

    ranges: list[tuple[int, int]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    joined: bool = False

    def add(self, text: str, start: int, end: int) -> None:
        written = text[start:end]
        self.words.append(html.unescape(written))
        if not written.strip():
            return
        end -= len(written) - len(written.rstrip())
        if self.joined:
            self.ranges[-1] = (self.ranges[-1][0], end)
        else:
            self.ranges.append((start + len(written) - len(written.lstrip()), end))
        self.joined = True

    def add_attributes(self, text: str, token: Token) -> None:
        """Add the visible text of a tag's attributes, each as a range of its own."""
        for match in VISIBLE_ATTRIBUTE.finditer(text, *token.attributes):
            self.joined = False
            self.words.append(" ")
            self.add(text, *match.span(1 if match[1] else 2))
            self.words.append(" ")
        self.joined = False

    def line(self) -> str:
        return " ".join("".join(self.words).split())

    def text(self, type_: BlockType) -> str:
        whole = "".join(self.words)
        if type_ == "code":
            return whole.strip("\n")
        return "\n".join(filter(None, (" ".join(line.split()) for line in whole.split("\n"))))


def find_visible_text(text: str, start: int, end: int) -> Iterator[HtmlPiece]:
    """The headings, paragraphs, list items, code and tables in text[start:end], in order.

    Comments, scripts and styles are left out; captions and titles of components (`<Tab title="…">`)
    and the `alt` of images count as text.
    """
    run, depth = TextRun(), 0
    type_: BlockType = "paragraph"
    level = 0
    for token in tokenize_html(text, start, end):
        name = token.name.lower()
        if _absorb_token(run, text, token) or not (token.kind == "table" or token.is_component or name in BLOCKS):
            continue
        yield from _finish_run(run, type_, level)
        run = TextRun()
        if token.kind == "table":
            yield from _read_table(text, token)
        elif token.is_component:
            run.add_attributes(text, token)
            yield from _finish_run(run, "paragraph", 0)
            run = TextRun()
        elif name in ("ul", "ol"):
            depth = max(0, depth + (1 if token.kind == "open" else -1))
        type_, level = _type_after(name, token.kind, depth)
    yield from _finish_run(run, type_, level)


def _absorb_token(run: TextRun, text: str, token: Token) -> bool:
    """Whether a token only adds to the text that is gathered; adds it."""
    name = token.name.lower()
    if token.kind == "text":
        run.add(text, token.start, token.end)
    elif token.kind == "gap":
        run.joined = False
    elif name == "br":
        run.words.append("\n")
    elif name == "img":
        run.add_attributes(text, token)
    else:
        return False
    return True


def _type_after(name: str, kind: str, depth: int) -> tuple[BlockType, int]:
    """What text is that follows this tag."""
    if kind == "open" and name in HEADINGS:
        return "heading", HEADINGS[name]
    if kind == "open" and name == "pre":
        return "code", 0
    if depth and not (kind == "close" and name == "li"):
        return "list", depth
    return ("list", 1) if kind == "open" and name == "li" else ("paragraph", 0)


def _finish_run(run: TextRun, type_: BlockType, level: int) -> Iterator[HtmlPiece]:
    if run.ranges:
        yield HtmlPiece(type_, run.text(type_), tuple(run.ranges), level)


@dataclass(slots=True)
class _Rows:
    """The rows of a table as they are met: cells, and the range of each row."""

    rows: list[list[RawCell]] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    cell: TextRun | None = None
    kind: tuple[str, int, int] = ("td", 1, 1)

    def open_row(self, start: int, end: int) -> None:
        self.close_cell()
        self.rows.append([])
        self.ranges.append((start, end))

    def open_cell(self, text: str, token: Token) -> None:
        self.close_cell()
        if not self.rows:
            self.open_row(token.start, token.end)
        spans = {m[1].lower(): int(m[2]) for m in SPAN_ATTRIBUTE.finditer(text, *token.attributes)}
        self.cell = TextRun()
        self.kind = (token.name.lower(), spans.get("rowspan", 1), spans.get("colspan", 1))

    def close_cell(self) -> None:
        if self.cell is not None:
            name, rowspan, colspan = self.kind
            first, last = (self.cell.ranges[0][0], self.cell.ranges[-1][1]) if self.cell.ranges else (None, None)
            self.rows[-1].append(RawCell(self.cell.line(), rowspan, colspan, name == "th", first, last))
        self.cell = None

    def extend_to(self, end: int) -> None:
        if self.ranges:
            self.ranges[-1] = (self.ranges[-1][0], end)


def _read_table(text: str, table: Token) -> Iterator[HtmlPiece]:
    """One table; what stands before its first row (a caption) comes first, as a paragraph."""
    caption, rows, depth = TextRun(), _Rows(), 0
    for token in tokenize_html(text, table.start, table.end, whole_tables=False):
        name = token.name.lower()
        if name == "table":
            depth += 1 if token.kind == "open" else -1
        elif depth == 1 and name in ROW_PARTS:
            if name == "tr" and token.kind == "open":
                rows.open_row(token.start, token.end)
            elif name in ("td", "th") and token.kind == "open":
                rows.open_cell(text, token)
            else:
                rows.close_cell()
                if name in ("tr", "td", "th"):
                    rows.extend_to(token.end)
            continue
        if token.kind == "text" and rows.rows and rows.cell is None and text[token.start : token.end].strip():
            rows.open_cell(text, Token("open", token.start, token.start, "td"))
        _gather_token(rows.cell or caption, text, token)
        if rows.cell is not None:
            rows.extend_to(token.end)
    rows.close_cell()
    yield from _finish_run(caption, "paragraph", 0)
    cells = place_cells(rows.rows)
    if any(cell.text for cell in cells):
        yield HtmlPiece("table", format_rows(cells), tuple(rows.ranges), 0, cells)


def _gather_token(run: TextRun, text: str, token: Token) -> None:
    if token.kind == "text":
        run.add(text, token.start, token.end)
    elif token.kind == "gap":
        run.joined = False
    elif token.name.lower() == "img":
        run.add_attributes(text, token)
    elif token.name.lower() in BLOCKS or token.name.lower() == "br":
        run.words.append(" ")
