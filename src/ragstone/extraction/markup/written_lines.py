"""The text of record of markup with tables: rows between bars in place of their lines, so that lines keep their
numbers."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.types import Block, Cell
from ragstone.extraction.markup.lines import Line, MarkupPiece
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.tables import format_rows


def write_tables(lines: Sequence[Line], pieces: Sequence[MarkupPiece]) -> list[str]:
    """The lines of the text of record."""
    out = [line.text for line in lines]
    for piece in pieces:
        if piece.is_caption:
            out[piece.first : piece.behind] = [piece.text or "", *[""] * (piece.behind - piece.first - 1)]
        if piece.rows:
            out[piece.first : piece.behind] = [""] * (piece.behind - piece.first)
        for row in piece.rows:
            out[row.line] = f"{out[row.line]} {row.text}".lstrip()
            if row.rule:
                out[row.line + 1] = row.rule
    ends = ("\r" if line.text.endswith("\r") else "" for line in lines)
    return [text.removesuffix("\r") + end for text, end in zip(out, ends, strict=True)]


def build_table(piece: MarkupPiece, lines: Sequence[Line], index: LineIndex) -> Block:
    """A table with a span for each row; `lines` are those of the text of record."""
    spans, cells = [], list[Cell]()
    line, at = -1, 0
    for row in piece.rows:
        start = at + 1 if row.line == line else lines[row.line].start
        line, at = row.line, start + len(row.text)
        end = lines[row.line + 1].end if row.rule else at
        spans.append(index.span(start, end))
        for cell in row.cells:
            places = (cell.char_start, cell.char_end)
            cells.append(replace(cell, char_start=_shift(places[0], start), char_end=_shift(places[1], start)))
    return Block("table", format_rows(cells), tuple(spans), cells=tuple(cells), caption=piece.caption)


def _shift(place: int | None, start: int) -> int | None:
    return None if place is None else place + start
