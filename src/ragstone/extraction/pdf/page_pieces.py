"""The pieces of one writing direction of a page: its tables, and the text around them, in reading order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.extraction.optional_steps import FailedStep, attempt_step
from ragstone.extraction.pdf.characters.annotations import BoxText
from ragstone.extraction.pdf.characters.box_words import place_box_words
from ragstone.extraction.pdf.characters.code_blocks import build_code_piece, monospace_share, split_code_runs
from ragstone.extraction.pdf.characters.glyphs import Glyphs
from ragstone.extraction.pdf.characters.graphics import Graphics, Rule
from ragstone.extraction.pdf.characters.lines import Line, build_lines
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import Row, group_rows
from ragstone.extraction.pdf.characters.table import Table
from ragstone.extraction.pdf.characters.words import build_words
from ragstone.extraction.pdf.layout.paragraphs import build_paragraphs
from ragstone.extraction.pdf.layout.side_by_side import split_side_by_side
from ragstone.extraction.pdf.layout.zones import Item, Zone, split_zones
from ragstone.extraction.pdf.tables import aligned, ruled

T = TypeVar("T")

Drawings = tuple[Sequence[Box], Sequence[Box]]  # drawings, and lines in them that run along no axis
FIGURE = 30.0  # points: smaller drawings are signs
TABLES = "tables drawn with lines were not looked for"
ALIGNED = "tables without lines were not looked for"
ORDER = "columns, lists and code were not told apart"


def turn_graphics(drawn: Graphics, turn: int) -> Graphics:
    """The rules as the frame of a writing direction has them."""
    if turn == 0:
        return drawn
    if turn == 2:
        across = [Rule(-r.at, -r.end, -r.start) for r in drawn.across]
        return Graphics(across, [Rule(-r.at, -r.end, -r.start) for r in drawn.down])
    if turn == 1:  # x of the frame is y of the page, y of the frame is -x
        return Graphics(
            [Rule(-r.at, r.start, r.end) for r in drawn.down], [Rule(r.at, -r.end, -r.start) for r in drawn.across]
        )
    return Graphics(
        [Rule(r.at, -r.end, -r.start) for r in drawn.down], [Rule(-r.at, r.start, r.end) for r in drawn.across]
    )


@dataclass(frozen=True, slots=True)
class PieceBuilder:
    """Builds pieces of page `number` in the frame of a `turn`; steps that fail are noted in `failed`."""

    number: int
    turn: int
    drawn: Graphics
    failed: list[FailedStep] = field(default_factory=list)

    def build(self, g: Glyphs, keep: npt.NDArray[np.bool_], added: Sequence[BoxText]) -> list[Piece]:
        """Tables and the text between them; text alone, line by line in the worst case, where what tells them fails."""
        said = build_words(g, keep, self.turn)
        found = build_lines([*said, *place_box_words(added, said)] if added else said)
        styled = any(style.step for style in g.style)
        typed = monospace_share([word for line in found for word in line.words]) if styled else 0.0
        tables, rest = self._attempt(TABLES, lambda: self._take_ruled_tables(found)) or ([], found)
        ordered = self._attempt(ORDER, lambda: self._order_pieces(rest, tables, typed))
        if ordered is not None:
            return ordered
        return [Piece("paragraph", [line], self.number, self.turn) for line in found]

    def _attempt(self, what: str, work: Callable[[], T]) -> T | None:
        return attempt_step(what, work, self.failed, page=self.number)

    def _take_ruled_tables(self, found: Sequence[Line]) -> tuple[list[Table], Sequence[Line]]:
        """The tables between drawn lines, and the lines of text that are in none."""
        tables: list[Table] = []
        for frame in ruled.find_frames(self.drawn):
            if made := ruled.build_ruled_table(frame, found):
                tables.append(made)
                found = _drop_table_lines(found, made)
        return tables, found

    def _order_pieces(self, found: Sequence[Line], tables: Sequence[Table], typed: float) -> list[Piece]:
        across = ruled.merge_rules(self.drawn.across)
        upright, drawn = self.turn == 0, self.drawn
        pictures = _find_blank_pictures([*drawn.images, *drawn.fills], found, tables) if upright else []
        drawings = [box for box in drawn.curves if min(box[2] - box[0], box[3] - box[1]) > FIGURE] if upright else []
        figures = (drawings, drawn.strokes if upright else ())
        out: list[Piece] = []
        for zone in split_zones(found, tables, pictures):
            out += self._build_zone(zone, across, figures, typed)
        return out

    def _build_zone(self, zone: Zone, across: Sequence[Rule], figures: Drawings, typed: float) -> list[Piece]:
        """The pieces of a zone: its text between its tables."""
        out: list[Piece] = []
        waiting: list[Item] = []
        for item in zone.items:
            if item.table:
                out += self._build_text([i.line for i in waiting if i.line], across, figures, typed)
                out.append(Piece("table", [], self.number, self.turn, table=item.table))
                waiting = []
            else:
                waiting.append(item)
        return out + self._build_text([i.line for i in waiting if i.line], across, figures, typed)

    def _build_text(
        self, found: Sequence[Line], across: Sequence[Rule], figures: Drawings, typed: float
    ) -> list[Piece]:
        rows = group_rows(found)
        out: list[Piece] = []
        at = 0
        tables = self._attempt(ALIGNED, lambda: aligned.find_aligned_tables(rows, across, *figures))
        for first, behind, table in tables or ():
            out += self._build_plain(rows[at:first], typed)
            out.append(Piece("table", [], self.number, self.turn, table=table))
            at = behind
        return out + self._build_plain(rows[at:], typed)

    def _build_plain(self, rows: Sequence[Row], typed: float) -> list[Piece]:
        """The text of rows without a table; what stands side by side over several rows is read one after the other."""
        out: list[Piece] = []
        for is_code, run in split_code_runs(rows, typed):
            if is_code:
                out.append(build_code_piece(run, self.number, self.turn))
                continue
            for columns in split_side_by_side(run):
                out += build_paragraphs(columns, self.number, self.turn)
        return out


def _find_blank_pictures(boxes: Sequence[Box], found: Sequence[Line], tables: Sequence[Table]) -> list[Box]:
    """Pictures that hold no text: they stand where text could."""
    large = [box for box in boxes if min(box[2] - box[0], box[3] - box[1]) > 2 * FIGURE]
    middles = [((line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2) for line in found]
    middles += [((t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2) for t in tables]
    return [
        (x0, y0, x1, y1) for x0, y0, x1, y1 in large[:50] if not any(x0 < x < x1 and y0 < y < y1 for x, y in middles)
    ]


def _drop_table_lines(found: Sequence[Line], table: Table) -> list[Line]:
    """The lines whose middle is not in a table."""
    x0, y0, x1, y1 = table.box
    return [line for line in found if not (x0 <= (line.x0 + line.x1) / 2 <= x1 and y0 <= (line.y0 + line.y1) / 2 <= y1)]
