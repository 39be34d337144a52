"""Tables that are drawn with lines in both directions."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.extraction.pdf.characters.graphics import Graphics, Rule
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.table import CellBox, Table, build_cell_lines, compact_table
from ragstone.extraction.pdf.characters.words import Word
from ragstone.extraction.pdf.tables.cell_splitting import find_missing_lines, split_by_columns, split_by_rows
from ragstone.extraction.pdf.tables.drawn_signs import drop_leaders
from ragstone.extraction.pdf.tables.undrawn_headings import split_headings

TOUCH = 3.0  # points: lines that end so near each other meet
SAME = 2.5  # points: parallel lines so near are one
COVER = 0.6  # of a cell's side must be drawn to part two cells
SHORT = 6.0  # points: shorter lines part no cells
MEETS = 2.0  # points between the ends of two lines drawn cell by cell, which pdfium gives longer by their width
PART = 10.0  # points: shorter parts of a line are its dashes
MOST = 600  # rules of one group: more are a drawing's
CELLS = 20_000  # of one grid
FILL_SHARE = 0.3  # of the cells hold text: charts with grid lines do not


@dataclass(slots=True)
class Frame:
    """Rules that meet: the lines of one table."""

    across: list[Rule]
    down: list[Rule]


def merge_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Rules on the same line made one where they touch; where long ones meet is kept."""
    out: list[list[float]] = []
    joints: dict[int, list[float]] = {}
    for rule in sorted(rules):
        near = (kept for kept in reversed(out[-40:]) if rule.at - kept[0] <= SAME)
        kept = next((k for k in near if rule.start <= k[2] + TOUCH and rule.end >= k[1] - TOUCH), None)
        if kept is None:
            out.append([rule.at, rule.start, rule.end])
        else:
            if abs(rule.start - kept[2]) <= MEETS and min(rule.end - rule.start, kept[2] - kept[1]) >= PART:
                joints.setdefault(id(kept), []).append((rule.start + kept[2]) / 2)
            kept[1], kept[2] = min(kept[1], rule.start), max(kept[2], rule.end)
    return [Rule(k[0], k[1], k[2], tuple(joints.get(id(k), ()))) for k in out if k[2] - k[1] >= SHORT]


def find_frames(marks: Graphics) -> list[Frame]:
    """Groups of rules that meet, with at least two in each direction or one that parts the others."""
    across, down = merge_rules(merge_rules(marks.across)), merge_rules(merge_rules(marks.down))
    if len(across) > MOST * 4 or len(down) > MOST * 4:
        return []
    parent = list(range(len(across) + len(down)))

    def find_root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for i, h in enumerate(across):
        for j, v in enumerate(down):
            if h.start - TOUCH <= v.at <= h.end + TOUCH and v.start - TOUCH <= h.at <= v.end + TOUCH:
                parent[find_root(i)] = find_root(len(across) + j)
    groups: dict[int, Frame] = {}
    for i, h in enumerate(across):
        groups.setdefault(find_root(i), Frame([], [])).across.append(h)
    for j, v in enumerate(down):
        groups.setdefault(find_root(len(across) + j), Frame([], [])).down.append(v)
    found = [f for f in groups.values() if len(f.across) >= 2 and f.down and len(f.across) + len(f.down) <= MOST]
    return sorted(found, key=lambda f: (f.across[0].at, f.across[0].start))


def _merge_positions(positions: Sequence[float]) -> list[float]:
    """Positions with those that are nearly the same made one."""
    out: list[list[float]] = []
    for at in sorted(positions):
        if out and at - out[-1][-1] <= SAME:
            out[-1].append(at)
        else:
            out.append([at])
    return [sum(group) / len(group) for group in out]


def build_ruled_table(frame: Frame, lines: Sequence[Line]) -> Table | None:
    """The table that a frame's rules draw around text; None if they do not form a table."""
    xs = [rule.at for rule in frame.down] + _find_open_sides(frame.across, [rule.at for rule in frame.down])
    ys = [rule.at for rule in frame.across] + _find_open_sides(frame.down, [rule.at for rule in frame.across])
    xs, ys = _merge_positions(xs), _merge_positions(ys)
    rows, cols = len(ys) - 1, len(xs) - 1
    if cols < 2 or rows < 1 or rows * cols > CELLS:
        return None
    own = [
        line for line in lines if xs[0] <= (line.x0 + line.x1) / 2 <= xs[-1] and ys[0] <= _line_middle(line) <= ys[-1]
    ]
    own = drop_leaders(own)
    if not own:
        return None
    missing = find_missing_lines(own, xs)
    xs = sorted([*xs, *missing])
    cols = len(xs) - 1
    squares = _build_squares(frame, xs, ys)
    _fill_squares(squares, own, xs, ys)
    if sum(bool(s.lines) for s in squares) < FILL_SHARE * len(squares):
        return None
    squares = split_headings(squares, xs)
    squares = split_by_rows(split_by_columns(squares, xs, missing), cols)
    rows = max(s.row + s.rowspan for s in squares)
    made = compact_table(Table((xs[0], ys[0], xs[-1], ys[-1]), squares, rows, cols, ruled=True))
    return made if _is_table(made) else None


def _find_open_sides(rules: Sequence[Rule], crossing: Sequence[float]) -> list[float]:
    """The ends of rules that reach beyond the outermost of those that cross them: a table without a side line."""
    lowest, highest = min(rule.start for rule in rules), max(rule.end for rule in rules)
    sides: list[float] = []
    if sum(abs(rule.start - lowest) <= TOUCH for rule in rules) >= 2 and lowest < min(crossing) - 2 * TOUCH:
        sides.append(lowest)
    if sum(abs(rule.end - highest) <= TOUCH for rule in rules) >= 2 and highest > max(crossing) + 2 * TOUCH:
        sides.append(highest)
    return sides


def _line_middle(line: Line) -> float:
    return (line.y0 + line.y1) / 2


def _rules_at(rules: Sequence[Rule], places: Sequence[float]) -> list[list[Rule]]:
    """The rules at each place."""
    return [[rule for rule in rules if abs(rule.at - at) <= SAME + 0.5] for at in places]


def _is_drawn(rules: Sequence[Rule], start: float, end: float) -> bool:
    """Whether rules at one place cover most of a stretch."""
    covered = sum([max(0.0, min(end, rule.end) - max(start, rule.start)) for rule in rules])
    return covered >= COVER * (end - start)


def _build_squares(frame: Frame, xs: Sequence[float], ys: Sequence[float]) -> list[CellBox]:
    """Cells of the grid; neighbours without a line between them are one, where that is a rectangle."""
    rows, cols = len(ys) - 1, len(xs) - 1
    down, across = _rules_at(frame.down, xs), _rules_at(frame.across, ys)
    right = [[not _is_drawn(down[c + 1], ys[r], ys[r + 1]) for c in range(cols - 1)] + [False] for r in range(rows)]
    below = [[not _is_drawn(across[r + 1], xs[c], xs[c + 1]) for c in range(cols)] for r in range(rows - 1)]
    below.append([False] * cols)
    taken = [[False] * cols for _ in range(rows)]
    squares: list[CellBox] = []
    for r in range(rows):
        for c in range(cols):
            if taken[r][c]:
                continue
            wide = 1
            while c + wide < cols and right[r][c + wide - 1] and not taken[r][c + wide]:
                wide += 1
            high = 1
            while r + high < rows and all(below[r + high - 1][c : c + wide]) and all(right[r + high][c : c + wide - 1]):
                high += 1
            for i in range(r, r + high):
                taken[i][c : c + wide] = [True] * wide
            box = (xs[c], ys[r], xs[c + wide], ys[r + high])
            squares.append(CellBox(r, c, high, wide, box=box))
    return squares


def _fill_squares(squares: Sequence[CellBox], lines: Sequence[Line], xs: Sequence[float], ys: Sequence[float]) -> None:
    cell: dict[tuple[int, int], int] = {}
    for number, square in enumerate(squares):
        for r in range(square.row, square.row + square.rowspan):
            for c in range(square.col, square.col + square.colspan):
                cell[r, c] = number
    words: dict[int, list[Word]] = {}
    for line in lines:
        for word in line.words:
            r = _find_slot(ys, (word.y0 + word.y1) / 2)
            c = _find_slot(xs, (word.x0 + word.x1) / 2)
            words.setdefault(cell[r, c], []).append(word)
    for number, own in words.items():
        squares[number].lines = build_cell_lines(own)


def _find_slot(edges: Sequence[float], at: float) -> int:
    """The column or row of a place; what stands outside belongs to the first or the last."""
    return min(bisect_right(edges, at, 1) - 1, len(edges) - 2)


def _is_table(made: Table) -> bool:
    """Several cells with text, in more than one row and column; a frame around prose is none."""
    filled = made.text_squares
    if len(filled) < 3 or made.cols < 2 or made.rows < 2:
        return False
    return len({s.row for s in filled}) > 1 and len({s.col for s in filled}) > 1
