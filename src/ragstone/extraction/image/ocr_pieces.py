"""From lines that were read in pixels to pieces of a page, by the same steps as for the letters of a PDF."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragstone.core.page_layout import Box
from ragstone.extraction.image.ocr_result import OcrLine
from ragstone.extraction.pdf.characters.glyphs import Style
from ragstone.extraction.pdf.characters.graphics import Graphics, Rule
from ragstone.extraction.pdf.characters.lines import Line, build_lines
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import Row, group_rows
from ragstone.extraction.pdf.characters.table import Table
from ragstone.extraction.pdf.characters.words import ASCENT, Word
from ragstone.extraction.pdf.layout.paragraphs import build_paragraphs
from ragstone.extraction.pdf.layout.side_by_side import split_side_by_side
from ragstone.extraction.pdf.layout.zones import Zone, split_zones
from ragstone.extraction.pdf.tables import aligned, ruled

TEXT = 10.0  # points: the steps that find structure know distances in points for text of about this size
ALIKE = 1.12  # sizes over one another that may be one: nine in ten are told to 8 % (benchmarks/extraction/ocr.md)
FILL_SHARE = 0.6  # of the cells of a table that no lines show must hold text: drawings with lettering do not
SKEW = 0.0035  # 0.2 degrees; a page that lies less askew is straight
WIDE = 5.0  # letter heights: shorter lines tell no slope
STEEP = 0.2  # slopes beyond this are no page that was put down carelessly
NARROW = frozenset("iljtfrI.,;:!'|()[]{}`-°")
BROAD = frozenset("mwMW@%")
WIDTHS = (0.55, 1.0, 1.5)  # of the usual letter: narrow, others, broad


@dataclass(frozen=True, slots=True)
class Straightening:
    """From a page to one on which lines lie level and the text has 10 points, and back."""

    angle: float
    scale: float

    def map_point(self, x: float, y: float) -> tuple[float, float]:
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        return (x * cos + y * sin) * self.scale, (y * cos - x * sin) * self.scale

    def map_back(self, x: float, y: float) -> tuple[float, float]:
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        x, y = x / self.scale, y / self.scale
        return x * cos - y * sin, y * cos + x * sin

    def map_box(self, box: Box) -> Box:
        """A box around its own middle, which alone is moved."""
        return _map_middle(box, self.map_point, self.scale)

    def map_box_back(self, box: Box) -> Box:
        return _map_middle(box, self.map_back, 1 / self.scale)


def _map_middle(box: Box, point: object, scale: float) -> Box:
    x, y = point((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)  # type: ignore[operator]  # a method of Straight
    w, h = (box[2] - box[0]) * scale / 2, (box[3] - box[1]) * scale / 2
    return x - w, y - h, x + w, y + h


def build_pieces(
    found: Iterable[OcrLine], *, page: int, rules: tuple[Sequence[Box], Sequence[Box]] = ((), ())
) -> list[Piece]:
    """The pieces of one page in reading order, upright text first; boxes in points of the page.

    `rules` are lines across and down that are drawn there, for tables.
    """
    out: list[Piece] = []
    found = list(found)
    # The way that most text runs comes first.
    turns = Counter[int]()
    for line in found:
        turns[line.turn] += len(line.text)
    for turn in sorted(turns, key=lambda turn: (-turns[turn], turn)):
        own = [line for line in found if line.turn == turn]
        out += _build_turn_pieces(own, page, turn, rules)
    return out


def _build_turn_pieces(
    found: Sequence[OcrLine], page: int, turn: int, rules: tuple[Sequence[Box], Sequence[Box]]
) -> list[Piece]:
    straight = _find_straightening(found)
    words = build_text_layer(found, straight)
    across, down = (rules if turn % 2 == 0 else rules[::-1]) if len(found) > 1 else ((), ())
    drawn = Graphics(
        [_to_rule(straight.map_box(_to_turn_frame(box, turn)), 1) for box in across],
        [_to_rule(straight.map_box(_to_turn_frame(box, turn)), 0) for box in down],
    )
    made = _find_structure(build_lines(words), drawn, page, turn)
    _move_back(made, words, straight)
    for piece in made:
        piece.freeze()
    return made


def build_text_layer(found: Sequence[OcrLine], straight: Straightening = Straightening(0.0, 1.0)) -> list[Word]:
    """The words as `pdf.lines.lines` takes them: in the frame of their turn, all lines of one turn."""
    sizes = _unify_sizes(found)
    out: list[Word] = []
    for line, size in zip(found, sizes, strict=True):
        style = Style("", size * straight.scale, False, False, False)
        for word in line.words:
            x0, y0, x1, y1 = straight.map_box(_to_turn_frame(word.box, line.turn))
            middle = (y0 + y1) / 2
            base = middle + (ASCENT - 0.5) * style.size
            top = base - ASCENT * style.size
            out.append(Word(word.text, _estimate_edges(word.text, x0, x1), x0, top, x1, top + style.size, base, style))
    return out


def _to_turn_frame(box: Box, turn: int) -> Box:
    """A box of the page in the frame of a turn: `pdf.words.framed` the other way round."""
    x0, y0, x1, y1 = box
    return {1: (y0, -x1, y1, -x0), 2: (-x1, -y1, -x0, -y0), 3: (-y1, x0, -y0, x1)}.get(turn, box)


def _unify_sizes(found: Sequence[OcrLine]) -> list[float]:
    """The size of each line's letters: those that may be one made one, from what most letters have downwards."""
    order = np.argsort([line.size for line in found], kind="stable")
    sizes = np.array([max(found[k].size, 0.01) for k in order])
    letters = np.array([len(found[k].text) for k in order], dtype=np.float64)
    out = np.zeros(len(found))
    free = np.ones(len(found), dtype=np.bool_)
    first, behind = np.searchsorted(sizes, sizes / ALIKE), np.searchsorted(sizes, sizes * ALIKE, "right")
    while free.any():
        sums = np.concatenate(([0.0], np.cumsum(letters * free)))
        at = int(np.argmax(np.where(free, sums[behind] - sums[first], -1.0)))
        own = np.flatnonzero(free[first[at] : behind[at]]) + first[at]
        out[order[own]] = _median_by_weight(list(zip(sizes[own].tolist(), letters[own].tolist(), strict=True)))
        free[own] = False
    return [float(size) for size in out]


def _find_straightening(found: Sequence[OcrLine]) -> Straightening:
    usual = _median_by_weight([(line.size, len(line.text)) for line in found]) or TEXT
    wide = [
        (line.slope, len(line.text))
        for line in found
        if len(line.words) > 1 and _line_length(line) > WIDE * line.size and abs(line.slope) < STEEP
    ]
    slope = _median_by_weight(wide)
    return Straightening(math.atan(slope) if abs(slope) > SKEW and len(wide) > 2 else 0.0, TEXT / usual)


def _line_length(line: OcrLine) -> float:
    x0, y0, x1, y1 = line.box
    return x1 - x0 if line.turn % 2 == 0 else y1 - y0


def _median_by_weight(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of values that count several times; 0 of none."""
    half = sum(count for _, count in pairs) / 2
    for value, count in sorted(pairs):
        half -= count
        if half <= 0:
            return value
    return 0.0


def _to_rule(box: Box, axis: int) -> Rule:
    """A thin box as a line; `axis` 1 runs across."""
    along = 1 - axis
    return Rule((box[axis] + box[axis + 2]) / 2, box[along], box[along + 2])


def _estimate_edges(text: str, x0: float, x1: float) -> list[float]:
    """Boundaries of characters in a word, by the usual widths of letters."""
    widths = [WIDTHS[0] if c in NARROW else WIDTHS[2] if c in BROAD else WIDTHS[1] for c in text]
    unit = (x1 - x0) / sum(widths)
    edges = [x0]
    for width in widths:
        edges.append(edges[-1] + width * unit)
    return edges


def _find_structure(found: list[Line], drawn: Graphics, page: int, turn: int) -> list[Piece]:
    tables: list[Table] = []
    boxed: set[Rule] = set()  # frames around text say nothing of its rows
    for frame in ruled.find_frames(drawn):
        boxed.update(frame.across)
        if made := ruled.build_ruled_table(frame, found):
            tables.append(made)
            x0, y0, x1, y1 = made.box
            found = [f for f in found if not (x0 <= (f.x0 + f.x1) / 2 <= x1 and y0 <= (f.y0 + f.y1) / 2 <= y1)]
    across = [rule for rule in ruled.merge_rules(ruled.merge_rules(drawn.across)) if rule not in boxed]
    return [piece for zone in split_zones(found, tables) for piece in _build_zone(zone, across, page, turn)]


def _build_zone(zone: Zone, across: Sequence[Rule], page: int, turn: int) -> list[Piece]:
    out: list[Piece] = []
    waiting: list[Line] = []
    for item in zone.items:
        if item.line:
            waiting.append(item.line)
        elif item.table:
            out += _build_text(waiting, across, page, turn)
            out.append(Piece("table", [], page, turn, table=item.table))
            waiting = []
    return out + _build_text(waiting, across, page, turn)


def _build_text(found: Sequence[Line], across: Sequence[Rule], page: int, turn: int) -> list[Piece]:
    """The text of rows and the tables whose columns show in white space, as `pdf.page` finds them."""
    rows = group_rows(found)
    out: list[Piece] = []
    at = 0
    for first, behind, table in _find_clear_tables(rows, across):
        out += [
            piece for columns in split_side_by_side(rows[at:first]) for piece in build_paragraphs(columns, page, turn)
        ]
        out.append(Piece("table", [], page, turn, table=table))
        at = behind
    return out + [piece for columns in split_side_by_side(rows[at:]) for piece in build_paragraphs(columns, page, turn)]


def _find_clear_tables(rows: Sequence[Row], across: Sequence[Rule]) -> Iterator[tuple[int, int, Table]]:
    """Tables that are clearly such; where lines suggest one that is not, the text decides alone."""
    for first, behind, table in aligned.find_aligned_tables(rows, across):
        if _is_clear(table):
            yield first, behind, table
        elif across:
            within = aligned.find_aligned_tables(rows[first:behind], ())
            yield from ((first + start, first + end, inner) for start, end, inner in within if _is_clear(inner))


def _is_clear(table: Table) -> bool:
    """Whether most of a table's grid holds text, and most of its rows several cells of it."""
    filled = table.text_squares
    covered = sum(square.rowspan * square.colspan for square in filled)
    cells = Counter(square.row for square in filled)
    several = sum(count > 1 for count in cells.values())
    return covered >= FILL_SHARE * table.rows * table.cols and several >= FILL_SHARE * len(cells)


def _move_back(made: Sequence[Piece], words: Sequence[Word], straight: Straightening) -> None:
    """Move what was found on the straight page to where it stands on the page."""
    for word in words:
        x0, y0, x1, y1 = straight.map_box_back((word.x0, word.y0, word.x1, word.y1))
        word.edges = [x0 + (edge - word.x0) / straight.scale for edge in word.edges]
        word.x0, word.y0, word.x1, word.y1 = x0, y0, x1, y1
        word.style = word.style._replace(size=round(word.style.size / straight.scale, 1))
        word.base = y0 + ASCENT * (y1 - y0)
    for piece in made:
        for line in piece.lines:
            line.settle()
        if piece.table:
            piece.table.box = straight.map_box_back(piece.table.box)
            for square in piece.table.squares:
                square.box = straight.map_box_back(square.box) if square.box else None
                for line in square.lines:
                    line.settle()
