"""Writes sheets as a text of record: a heading each, tables as rows between bars, and where all of it came to stand."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragstone.core.types import Block, Cell, Span
from ragstone.extraction.record.tables import GAP
from ragstone.extraction.spreadsheet.headers import TITLES, count_headers, count_notes, count_titles
from ragstone.extraction.spreadsheet.rows import Line
from ragstone.extraction.spreadsheet.values import TEXT

SHEET, TITLE = 2, 3  # levels of headings
LONGEST_TITLE = 100  # characters
ONE = (1, 1)
PROSE = 80  # characters a cell, on average: a column of such is text, no table
SPECIAL = re.compile(r"[|\n\r\t\v\f\x1c-\x1f\x85\u2028\u2029]")
LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class SheetWriter:
    """`sheet` and `region` what there is, then take `text` and `blocks`."""

    blocks: list[Block] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _line: int = 1

    def text(self) -> str:
        return "".join(self._parts)

    def begin_sheet(self, name: str) -> None:
        """Begin a sheet."""
        self._write_heading(" ".join(name.split()) or "Sheet", SHEET, sheet=name)

    def write_region(self, lines: list[Line], sheet: str, *, above_table: bool = False) -> None:
        """Write one table with the titles above it; a lone cell, or a column of prose, as paragraphs.

        `above_table`: a table follows, which a short lone cell is the title of. Takes the lines out of the list.
        """
        titles = above_table and is_title_block(lines)
        if titles or is_prose(lines):
            for i, line in enumerate(lines):
                self._write_line(line, sheet, title=above_table and i == 0 and (titles or len(lines) == 1))
            return
        above, below = count_titles(lines), len(lines) - count_notes(lines)
        for i, line in enumerate(lines[:above]):
            self._write_line(line, sheet, title=i == 0)
        self._write_table(lines[above:below], sheet)
        for line in lines[below:]:
            self._write_line(line, sheet, title=False)
        lines.clear()

    def write_note(self, text: str, sheet: str, row: int, col: int) -> None:
        """Write what hangs on a cell as a paragraph with that cell's place."""
        self._write_text(text, {"sheet": sheet, "rows": (row, row), "cols": (col, col)}, title=False)

    def _write_line(self, line: Line, sheet: str, *, title: bool) -> None:
        """Write the first cell of a row as a heading or a paragraph."""
        place = {"sheet": sheet, "rows": (line.number,) * 2, "cols": (line.cols[0], line.last_column)}
        self._write_text(line.texts[0], place, title=title)

    def _write_text(self, text: str, place: dict[str, Any], *, title: bool) -> None:
        if title and is_title(text):
            self._write_heading(text, TITLE, **place)
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._separate()
        start, line = self._length, self._line
        self._append(text)
        self.blocks.append(Block("paragraph", text, (Span(start, self._length, line, self._line, **place),)))

    def _write_heading(self, text: str, level: int, **place: Any) -> None:
        self._separate()
        start = self._length
        self._append(f"{'#' * level} {text}")
        self.blocks.append(
            Block("heading", text, (Span(start, self._length, self._line, self._line, **place),), level=level)
        )

    def _write_table(self, lines: Sequence[Line], sheet: str) -> None:
        self._separate()
        head = count_headers(lines)
        columns = sorted(set().union(*(line.cols for line in lines)))
        at = {col: i for i, col in enumerate(columns)}
        bounds = (columns[0], max(columns[-1], *(line.last_column for line in lines if line.merged), columns[-1]))
        numbers = [line.number for line in lines] if any(line.merged for line in lines) else []
        cells: list[Cell] = []
        spans: list[Span] = []
        begun = len(self._parts)
        for i, line in enumerate(lines):
            if i:
                self._append("\n")
            start, number = self._length, self._line
            covered = {col: _merge_size(line, col, i, numbers, columns) for col in line.merged or ()}
            cells.extend(self._write_row(i, line, at, covered, header=i < head))
            if i == 0:
                self._append("\n" + "|---" * min(len(columns), len(line.cols) + GAP) + "|")
            spans.append(
                Span(start, self._length, number, self._line, sheet=sheet, rows=(line.number,) * 2, cols=bounds)
            )
        self.blocks.append(Block("table", "".join(self._parts[begun:]), tuple(spans), cells=tuple(cells)))

    def _write_row(
        self, row: int, line: Line, at: dict[int, int], covered: dict[int, tuple[int, int]], *, header: bool
    ) -> list[Cell]:
        """Write one row. What a merged cell above says is said again; columns that one covers stay empty."""
        special = bool(covered or line.repeated)
        first = at[line.cols[0]]
        if not (special or first or at[line.cols[-1]] >= len(line.cols) or SPECIAL.search("\0".join(line.texts))):
            return self._write_plain_row(row, line.texts, header=header)
        cells: list[Cell] = []
        parts = ["|"]
        length, following = self._length + 1, 0
        for col, text in zip(line.cols, line.texts, strict=True):
            place = at[col]
            if place != following:
                gap = min(GAP, place - following)
                parts.append(" |" * gap)
                length += 2 * gap
            shown = escape_bars(text) if SPECIAL.search(text) else text
            parts.append(f" {shown} |")
            start, following = length + 1, place + 1
            length = start + len(shown) + 2
            down, across = covered.get(col, ONE) if special else ONE
            if not special or col not in line.repeated:
                cells.append(Cell(row, place, text, down, across, header, start, length - 2))
        self._append("".join(parts))
        return cells

    def _write_plain_row(self, row: int, texts: Sequence[str], *, header: bool) -> list[Cell]:
        """Write a row without gaps or texts to escape, as nearly all rows are."""
        cells: list[Cell] = []
        start = self._length + 2
        for place, text in enumerate(texts):
            end = start + len(text)
            cells.append(Cell(row, place, text, 1, 1, header, start, end))
            start = end + 3
        self._parts.append(f"| {' | '.join(texts)} |")
        self._length = start - 1
        return cells

    def _separate(self) -> None:
        if self._length:
            self._append("\n\n")

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        self._line += text.count("\n")


def escape_bars(text: str) -> str:
    """A text as it stands between bars: on one line, its own bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")


def is_title(text: str) -> bool:
    """Whether a cell above a table reads as its title: short, with letters, on one line, no sentence.

    >>> is_title("Sales of May"), is_title("All figures are net."), is_title("2024")
    (True, False, False)
    """
    short = 0 < len(text) <= LONGEST_TITLE and "\n" not in text
    return short and LETTER.search(text) is not None and text[-1] not in ".:;!?,"


def is_title_block(lines: Sequence[Line]) -> bool:
    """Whether rows of one text each are a title and what belongs to it: it has several words, or is over columns."""
    alone = len(lines) <= TITLES and all(len(line.cols) == 1 and line.kinds == TEXT for line in lines)
    return alone and is_title(lines[0].texts[0]) and (" " in lines[0].texts[0] or bool(lines[0].merged))


def is_prose(lines: Sequence[Line]) -> bool:
    """Whether this is one cell, or one column of long texts."""
    if len({col for line in lines[:PROSE] for col in line.cols}) > 1 or any(len(line.cols) > 1 for line in lines):
        return False
    return len(lines) == 1 or sum(len(line.texts[0]) for line in lines) > PROSE * len(lines)


def _merge_size(line: Line, col: int, row: int, numbers: Sequence[int], columns: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of the table that a merged cell covers, of those that are written."""
    down, across = (line.merged or {}).get(col, ONE)
    rows = bisect_left(numbers, line.number + down) - row
    return max(1, rows), max(1, bisect_left(columns, col + across) - bisect_left(columns, col))
