"""Tables of reStructuredText drawn as grids: `+---+` rules and bars, cells over several rows and columns."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ragstone.extraction.markup.lines import Line
from ragstone.extraction.markup.tables import MarkupRow, join_words, mark_header
from ragstone.extraction.record.tables import COLUMNS, RawCell

RULE = re.compile(r"\s*\+(?:-+\+)+\s*")
HEAD_RULE = re.compile(r"\s*\+(?:=+\+)+\s*")
# Crossings: possessive, or a long rule without an end would be read again from each of its signs.
DRAWN = re.compile(r"\+(?:-++|=++)(?=\+)|(?<=[-=])\+")
WIDE = "\0"  # behind a character that takes two columns; no text has any


@dataclass(slots=True)
class _DrawnCell:
    """A cell while it is read: its edges by number [left, right), its first and last row, its lines."""

    left: int
    right: int
    top: int
    bottom: int
    words: list[str] = field(default_factory=list)


def read_grid(lines: Sequence[Line], at: int) -> tuple[int, list[MarkupRow]] | None:
    """The line behind the grid that begins here, and its rows; None where there is none, or one without an end."""
    if not RULE.fullmatch(lines[at].text):
        return None
    behind, closed, head = at + 1, at, 0
    while behind < len(lines) and lines[behind].text.lstrip()[:1] in ("+", "|"):
        is_head = HEAD_RULE.fullmatch(lines[behind].text) is not None
        head = behind if is_head and not head else head
        closed = behind if is_head or RULE.fullmatch(lines[behind].text) else closed
        behind += 1
    indent = lines[at].indent
    drawing = [pad_wide(line.text[indent:].rstrip()) for line in lines[at : closed + 1]]
    edges = sorted({match.start() for text in drawing for match in DRAWN.finditer(text)})
    if closed <= at + 1 or len(edges) > COLUMNS:
        return None
    starts, cells = _Grid(edges).read(drawing)
    raw: list[list[RawCell]] = [[] for _ in starts]
    for cell in cells:
        said = join_words(" ".join(cell.words).replace(WIDE, ""))
        raw[cell.top].append(RawCell(said, cell.bottom - cell.top + 1, cell.right - cell.left))
    rows = [MarkupRow(at + start, own) for start, own in zip(starts, raw, strict=True)]
    return closed + 1, mark_header(rows, sum(row.line < head for row in rows))


def pad_wide(text: str) -> str:
    """The text with a sign behind each character that takes two columns on a screen."""
    if text.isascii():
        return text
    return "".join(c + WIDE if unicodedata.east_asian_width(c) in ("W", "F") else c for c in text)


class _Grid:
    """Reads a drawing line by line; a line costs as much as it is long."""

    def __init__(self, edges: Sequence[int]) -> None:
        self._edges = edges
        self._owners: list[_DrawnCell | None] = [None] * len(edges)  # the cell that is open in each column

    def read(self, drawing: Sequence[str]) -> tuple[list[int], list[_DrawnCell]]:
        """The line that each row begins on, from the first rule on, and the cells."""
        starts: list[int] = []
        cells: list[_DrawnCell] = []
        at, free = 1, self._find_closed(drawing[0])
        while at < len(drawing):
            behind, closed = at, self._find_closed(drawing[at])
            while not closed and behind + 1 < len(drawing):
                behind += 1
                closed = self._find_closed(drawing[behind])
            if behind > at:
                cells += self._open_cells(drawing[at:behind], free, len(starts))
                starts.append(at)
                free = []
            for text in drawing[at:behind]:
                self._read_words(text, frozenset(), len(starts) - 1)
            # A rule beside a cell that goes on further down may have words of it.
            self._read_words(drawing[behind], frozenset(closed), len(starts) - 1)
            for column in closed:
                self._owners[column] = None
            at, free = behind + 1, sorted({*free, *closed})
        return starts, cells

    def _find_closed(self, text: str) -> list[int]:
        """The columns, by the numbers of their left edges, that a line has a rule in."""
        if "+" not in text:
            return []
        places = self._edges[: bisect_left(self._edges, len(text))]
        inner = [text[left + 1 : right] for left, right in pairwise(places)]
        ruled = [not piece.strip("-") or not piece.strip("=") for piece in inner]
        is_rule = any(one and piece for one, piece in zip(ruled, inner, strict=True))
        return [n for n, one in enumerate(ruled) if one] if is_rule else []

    def _open_cells(self, band: Sequence[str], free: Sequence[int], row: int) -> Iterator[_DrawnCell]:
        """A cell for each run of columns that no bar parts in all lines of a band."""
        open_edges: set[int] = set()
        for text in band:
            reached = bisect_left(self._edges, len(text))
            open_edges.update(n for n in range(reached) if text[self._edges[n]] not in "|+")
        cell: _DrawnCell | None = None
        for column in free:
            if cell is None or cell.right != column or column not in open_edges:
                cell = _DrawnCell(column, column + 1, row, row)
                yield cell
            cell.right = column + 1
            self._owners[column] = cell

    def _read_words(self, text: str, closed: frozenset[int], row: int) -> None:
        column, reached = 0, min(bisect_left(self._edges, len(text)), len(self._edges) - 1)
        while column < reached:
            cell = self._owners[column]
            right = column + 1 if cell is None else max(cell.right, column + 1)
            if cell is not None and column not in closed:
                cell.words.append(text[self._edges[column] + 1 : self._edges[right]])
                cell.bottom = max(cell.bottom, row)
            column = right
