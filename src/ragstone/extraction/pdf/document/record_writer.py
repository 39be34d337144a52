"""Writes pieces as a text of record and keeps where every character stands on its page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.core.page_layout import LayoutBuilder, Strip, bounding_box
from ragstone.core.types import Block, BlockType, Cell, Role
from ragstone.extraction.pdf.characters.code_blocks import count_breaks, usual_step
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.table import CellBox, collect_rows
from ragstone.extraction.pdf.characters.words import to_page_box
from ragstone.extraction.pdf.document.character_ranges import Range, merge_ranges, round_box, split_at_bars, word_boxes
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.tables import GAP, format_rows

BULLET = "- "
PREFIXES = frozenset(("non-", "self-", "well-"))  # that begin no other words, and keep their hyphen in many houses:
OFTEN = 2  # words of the document that show its own does
DEEPEST = 8  # levels that a list is indented
TYPES: dict[str, BlockType] = {"heading": "heading", "list": "list", "table": "table", "code": "code"}


@dataclass(slots=True)
class _WrittenBlock:
    type: BlockType
    text: str
    ranges: list[Range]
    role: Role
    level: int = 0
    cells: tuple[Cell, ...] = ()
    piece: Piece | None = None  # what it was made of


@dataclass(slots=True)
class RecordWriter:
    """`put` the pieces in order, then take `record`, `blocks` and `packing`.

    `hyphenated` are words that the document writes with a hyphen inside a line: those keep it.
    """

    hyphenated: frozenset[str]
    packing: LayoutBuilder = field(default_factory=LayoutBuilder)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _written: list[_WrittenBlock] = field(default_factory=list)
    _boxes: list[Range] = field(default_factory=list)  # of the block that is being written

    def record(self) -> str:
        return "".join(self._parts)

    def blocks(self, record: str) -> Iterator[Block]:
        """The blocks in order, with lines counted in the finished record."""
        lines = LineIndex(record)
        said = {id(block.piece): block.text for block in self._written if block.piece and block.piece.names}
        for block in self._written:
            rows = [{"rows": (n, n)} if block.type == "table" else {} for n in range(1, len(block.ranges) + 1)]
            spans = tuple(
                lines.span(a, b, page=page, bbox=round_box(box), **row)
                for (a, b, page, box), row in zip(block.ranges, rows, strict=True)
            )
            made = Block(block.type, block.text, spans, block.role, block.level, block.cells)
            yield _add_caption(made, block.piece, said) if block.piece else made

    def write_piece(self, piece: Piece) -> None:
        """Write one piece with its parts on other pages."""
        if piece.table:
            self._write_table(piece)
            return
        kind = TYPES.get(piece.kind, "paragraph")
        tight = kind == "list" and bool(self._written) and self._written[-1].type == "list"
        self._separate(tight=tight)
        start = self._length
        mark = self._write_mark(piece)
        first = len(self._parts)
        self._write_lines([(line, part) for part in (piece, *piece.parts) for line in part.lines], piece)
        last = len(self._parts)
        if kind == "code":
            self._append(f"\n{mark}")
        places = merge_ranges(self._boxes, start, self._length)
        self._boxes = []
        if not places:
            return
        plain = "".join(self._parts[first:last])
        said = mark + plain if kind == "list" else plain
        self._written.append(
            _WrittenBlock(kind, said, places, piece.role, piece.level, (), piece if piece.names else None)
        )

    def _write_mark(self, piece: Piece) -> str:
        """Write what Markdown puts before a piece; gives a list item's mark, and the fence of code."""
        if piece.kind == "code":
            longest = max((len(run) for line in piece.lines for run in re.findall("`+", line.text)), default=0)
            fence = "`" * max(3, 1 + longest)
            self._append(f"{fence}\n")
            return fence
        if piece.kind == "heading":
            self._append("#" * max(1, piece.level) + " ")
        elif piece.kind == "list":
            self._append("  " * min(DEEPEST, max(0, piece.level - 1)))
            text = piece.lines[0].text[: piece.marker]
            if len(text) <= 1 and not text.isalnum():
                self._append(BULLET)
                return BULLET
        return ""

    def _write_lines(self, lines: Sequence[tuple[Line, Piece]], piece: Piece) -> None:
        """Write lines as running text; a hyphen at a line's end goes where the word goes on below."""
        skip = 0
        step = usual_step([line for line, _ in lines]) if piece.kind == "code" else 0.0
        if piece.kind == "list":
            mark = lines[0][0].text[: piece.marker]
            if len(mark) <= 1 and not mark.isalnum():
                skip = piece.marker + 1
        apart = "\n" if piece.kind in ("entries", "code") else " "
        for number, (line, part) in enumerate(lines):
            text = line.text
            end = len(text)
            glue = apart
            if number + 1 == len(lines):
                glue = ""
            elif piece.kind == "code":
                glue = apart * count_breaks(line, lines[number + 1][0], step)
            elif apart == " " and self._splits_word(text, lines[number + 1][0].text):
                glue = ""
                end -= 1
                if self._keeps_hyphen(text, lines[number + 1][0].text):
                    end += 1
            if end > skip:
                self._write_part(line, skip, end, part.page, part.turn)
            self._append(glue)
            skip = 0

    @staticmethod
    def _splits_word(text: str, below: str) -> bool:
        """Whether a word is parted at a line's end."""
        return len(text) > 2 and text[-1] == "-" and text[-2].isalpha() and below[:1].isalpha()

    def _keeps_hyphen(self, text: str, below: str) -> bool:
        """Whether the hyphen belongs to the word: the document writes it so elsewhere, or a name follows."""
        if not below[:1].islower():
            return True
        head = text.rsplit(None, 1)[-1].lower()
        tail = below.split(None, 1)[0].lower().rstrip(".,;:!?)\"'”’")
        if head + tail in self.hyphenated:
            return True
        return head in PREFIXES and sum(word.startswith(head) for word in self.hyphenated) >= OFTEN

    def _write_part(self, line: Line, start: int, end: int, page: int, turn: int) -> None:
        """Write characters [start, end) of a line and keep their strip."""
        at = self._length
        self._append(line.text[start:end])
        self._add_strips(line, start, end, at, page, turn)

    def _add_strips(self, line: Line, start: int, end: int, at: int, page: int, turn: int) -> None:
        if line.edges is not None and turn == 0:
            edges = line.edges[start : end + 1].tolist()
            box = (min(edges), line.y0, max(edges), line.y1)
            self.packing.add(Strip(at, at + end - start, page, box, edges))
            self._boxes.append((at, at + end - start, page, box))
            return
        for first, last, own in word_boxes(line, start, end):
            box = to_page_box(own, turn)
            place = (at + first - start, at + last - start, page, box)
            self.packing.add(Strip(*place))
            self._boxes.append(place)

    def _separate(self, *, tight: bool = False) -> None:
        if self._length:
            self._append("\n" if tight else "\n\n")

    def _append(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)

    def _write_table(self, piece: Piece) -> None:
        assert piece.table is not None
        cols = piece.table.cols
        if not piece.table.text_squares:
            return
        self._separate()
        places: list[Range] = []
        cells: list[Cell] = []
        for number, row in enumerate(collect_rows(piece.table)):
            if number:
                self._append("\n")
            start = self._length
            cells += self._write_row(row, cols)
            if not number:
                self._append("\n" + "|---" * cols + "|")
            boxes = [square.box for square in row if square.box] or [piece.table.box]
            box = to_page_box(bounding_box(boxes), row[0].turn)
            places.append((start, self._length, row[0].page or piece.page, box))
        self._boxes = []
        owner = piece if piece.captions else None
        self._written.append(_WrittenBlock("table", format_rows(cells), places, piece.role, 0, tuple(cells), owner))

    def _write_row(self, row: Sequence[CellBox], columns: int) -> Iterator[Cell]:
        """Write one row; a column that a cell above or to the left covers stays empty."""
        col = 0
        for square in row:
            self._append("| " * (min(GAP, square.col - col) + 1))
            start = self._length
            text = self._write_cell(square)
            box = round_box(to_page_box(square.box, square.turn)) if square.box else None
            end = self._length
            chars = (start, end) if end > start else (None, None)
            place = (square.row, square.col, text, square.rowspan, square.colspan, square.header)
            yield Cell(*place, char_start=chars[0], char_end=chars[1], page=square.page, bbox=box)
            self._append(" ")
            col = square.col + 1
        self._append("| " * min(GAP, columns - col) + "|")

    def _write_cell(self, square: CellBox) -> str:
        """Write a cell's lines as one, bars in them escaped; gives the text without the escapes."""
        if len(square.lines) == 1 and (text := square.lines[0].text) and "|" not in text:
            self._write_part(square.lines[0], 0, len(text), square.page, square.turn)
            return text
        said: list[str] = []
        for number, line in enumerate(square.lines):
            glue, end = " ", len(line.text)
            below = square.lines[number + 1].text if number + 1 < len(square.lines) else ""
            if not below:
                glue = ""
            elif self._splits_word(line.text, below):
                glue, end = "", end if self._keeps_hyphen(line.text, below) else end - 1
            start = 0
            for part in split_at_bars(line.text[:end]):
                if part == "|":
                    self._append("\\")
                self._write_part(line, start, start + len(part), square.page, square.turn)
                start += len(part)
            self._append(glue)
            said.append(line.text[:end] + glue)
        return "".join(said)


def _add_caption(block: Block, piece: Piece, said: Mapping[int, str]) -> Block:
    """A table with what its caption says, a caption with what it is of."""
    caption = " ".join(said[id(one)] for one in piece.captions if id(one) in said)
    return replace(
        block, caption=caption, caption_of=piece.names, figure=round_box(piece.figure) if piece.figure else None
    )
