"""Parts the cells of a ruled table where lines are missing but its text stands in rows and columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from ragstone.core.page_layout import bounding_box
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.rows import Phrase, Row, group_rows, is_number, split_phrases
from ragstone.extraction.pdf.characters.table import CellBox, build_cell_lines
from ragstone.extraction.pdf.characters.words import Word
from ragstone.extraction.pdf.tables.columns import find_separators
from ragstone.extraction.pdf.tables.row_stacking import stack_rows

MOST = 0.5  # of the cells over several columns part by their text: then all do whose text lets them
FEWEST = 3  # lines of a cell that may be rows of their own
NUMBERS = 0.7  # of a column's lines are numbers where each line is a row
SEVERAL = 0.6  # of the rows between two lines hold more than one phrase where a column line is missing
MANY = 0.6  # of these phrases are numbers
WORDED, NEARLY = 4, 0.9  # rows, and share of them with several phrases, that show columns of words
APART = 0.9  # letter heights of white between these
SIGNS = 0.1  # of the phrases between numbers may be signs in place of a number, such as (X)
SHORT = 4.0  # words of a phrase where rows without numbers are told apart


def find_missing_lines(lines: Sequence[Line], xs: Sequence[float]) -> list[float]:
    """The x of column lines that are missing: between two that are drawn, numbers stand below each other several times,
    or words in all rows.

    Tables with one line behind their first column are such.
    """
    held: dict[int, list[Word]] = {}
    for line in lines:
        for word in line.words:
            held.setdefault(sum(at < (word.x0 + word.x1) / 2 for at in xs[1:-1]), []).append(word)
    out: list[float] = []
    for _, words in sorted(held.items()):
        rows = group_rows(build_cell_lines(words))
        several = [row for row in rows if len(row.phrases) > 1]
        said = [phrase for row in several for phrase in row.phrases]
        numbers = sum(is_number(phrase.text) for phrase in said)
        if len(several) >= max(FEWEST, SEVERAL * len(rows)) and numbers >= MANY * len(said):
            out += find_separators(rows, least=FEWEST)
        elif len(rows) >= WORDED and len(several) >= NEARLY * len(rows):
            out += [at for at in find_separators(rows, least=len(several)) if _is_wide(rows, at)]
    return out


def _is_wide(rows: Sequence[Row], at: float) -> bool:
    """Whether all rows leave more white at a place than between words."""
    for row in rows:
        left = max((p.x1 for p in row.phrases if p.x0 < at), default=float("-inf"))
        right = min((p.x0 for p in row.phrases if p.x1 > at), default=float("inf"))
        if right - left < APART * row.size:
            return False
    return True


def split_by_columns(squares: Sequence[CellBox], xs: Sequence[float], missing: Sequence[float]) -> list[CellBox]:
    """Cells over several columns parted at the column lines of other rows, where their text leaves these free.

    At lines that are `missing` everywhere a cell is parted if it has text of several columns: headings reach over such
    lines, and go to the column that they are above.
    """
    wide = [s for s in squares if s.colspan > 1 and s.rowspan == 1 and s.lines]
    if not wide:
        return list(squares)
    fitting = {id(s): own for s in wide if (own := _assign_columns(s, xs)) is not None}
    several = [s for s in wide if len({c for c, _ in fitting.get(id(s), [])}) > 1]
    if several and len(several) >= MOST * len(wide):
        full = {id(s) for s in wide if id(s) in fitting}
    else:
        full = {id(s) for s in several if _is_all_numbers(fitting[id(s)])}
    undrawn = [s for s in wide if set(xs[s.col + 1 : s.col + s.colspan]) <= set(missing)]
    if undrawn:
        reaches = _measure_columns([fitting[id(s)] for s in undrawn if id(s) in full])
        fitting |= {id(s): own for s in undrawn if id(s) not in full and (own := _place_headings(s, reaches))}
        full = full - {id(s) for s in undrawn} | _find_parted(undrawn, fitting)
    out: list[CellBox] = []
    for square in squares:
        out += _split_square(square, fitting[id(square)], xs) if id(square) in full else [square]
    return out


def _find_parted(undrawn: Sequence[CellBox], fitting: Mapping[int, Sequence[tuple[int, Phrase]]]) -> set[int]:
    """The cells to be parted: those with text of several columns, and a heading right above such cells of figures."""
    several = {id(s) for s in undrawn if len({c for c, _ in fitting.get(id(s), [])}) > 1}
    below: dict[int, CellBox] = {}
    out = set(several)
    for square in sorted(undrawn, key=lambda s: s.row, reverse=True):
        under = below.get(square.col)
        if id(square) in fitting and under is not None and id(under) in several and len(under.lines) >= FEWEST:
            out.add(id(square))
        below[square.col] = square
    return out


def _measure_columns(found: Sequence[Sequence[tuple[int, Phrase]]]) -> dict[int, tuple[float, float]]:
    """Where the text of each column begins and ends."""
    out: dict[int, tuple[float, float]] = {}
    for column, phrase in (one for own in found for one in own):
        x0, x1 = out.get(column, (phrase.x0, phrase.x1))
        out[column] = min(x0, phrase.x0), max(x1, phrase.x1)
    return out


def _place_headings(square: CellBox, reaches: Mapping[int, tuple[float, float]]) -> list[tuple[int, Phrase]] | None:
    """The column that each phrase stands above; None where one stands above none, or above two alike."""
    out: list[tuple[int, Phrase]] = []
    columns = [column for column in range(square.col, square.col + square.colspan) if column in reaches]
    for phrase in (phrase for line in square.lines for phrase in split_phrases(line)):
        shared = {c: min(phrase.x1, reaches[c][1]) - max(phrase.x0, reaches[c][0]) for c in columns}
        first, second = [*sorted(columns, key=shared.__getitem__, reverse=True), None, None][:2]
        if first is None or shared[first] <= 0 or (second is not None and 2 * shared[second] > shared[first]):
            return None
        out.append((first, phrase))
    return out


def _assign_columns(square: CellBox, xs: Sequence[float]) -> list[tuple[int, Phrase]] | None:
    """The column of each phrase; None where one stands over a column line."""
    out: list[tuple[int, Phrase]] = []
    inner = xs[square.col + 1 : square.col + square.colspan]
    for line in square.lines:
        for phrase in split_phrases(line):
            margin = 0.15 * line.size
            if any(phrase.x0 + margin < at < phrase.x1 - margin for at in inner):
                return None
            out.append((square.col + sum(at < (phrase.x0 + phrase.x1) / 2 for at in inner), phrase))
    return out


def _is_all_numbers(own: Sequence[tuple[int, Phrase]]) -> bool:
    return sum(not is_number(phrase.text) for _, phrase in own[1:]) <= SIGNS * len(own)


def _split_square(square: CellBox, own: Sequence[tuple[int, Phrase]], xs: Sequence[float]) -> list[CellBox]:
    y0, y1 = (square.box[1], square.box[3]) if square.box else (0.0, 0.0)
    out: list[CellBox] = []
    for col in range(square.col, square.col + square.colspan):
        words = [word for c, phrase in own if c == col for word in phrase.words]
        out.append(
            CellBox(square.row, col, 1, 1, build_cell_lines(words) if words else [], (xs[col], y0, xs[col + 1], y1))
        )
    return out


def split_by_rows(squares: Sequence[CellBox], columns: int) -> list[CellBox]:
    """Cells of one row parted where their lines are rows of their own: numbers below each other."""
    out: list[CellBox] = []
    shift = 0
    spanned = {r for s in squares if s.rowspan > 1 for r in range(s.row, s.row + s.rowspan)}
    by_number: dict[int, list[CellBox]] = {}
    for square in squares:
        by_number.setdefault(square.row, []).append(square)
    for number, own in sorted(by_number.items()):
        groups = _find_row_groups(own, columns) if number not in spanned else None
        if groups is None:
            out += [replace(s, row=number + shift) for s in own] if shift else own
            continue
        for k, (rows, group) in enumerate(groups):
            out += _build_row(own, rows, group, number + shift + k)
        shift += len(groups) - 1
    return out


def _find_row_groups(own: Sequence[CellBox], columns: int) -> list[tuple[list[Row], list[int]]] | None:
    """The text rows that make each row of the table; None where the cells are better left whole."""
    filled = [s for s in own if s.lines]
    if len(filled) < 2 or sum(len(s.lines) >= FEWEST for s in filled) < 2:
        return None
    if not any(_is_list_of_numbers(s) for s in filled) and not _has_short_rows(filled):
        return None
    rows = group_rows([line for s in filled for line in s.lines])
    place = {id(word): s.col for s in filled for line in s.lines for word in line.words}
    grid = [[(place[id(p.words[0])], place[id(p.words[-1])]) for p in row.phrases] for row in rows]
    groups = stack_rows(rows, grid, [], columns)
    return [(rows, group) for group in groups] if len(groups) > 1 else None


def _is_list_of_numbers(square: CellBox) -> bool:
    lines = square.lines
    return len(lines) >= FEWEST and sum(is_number(line.text) for line in lines) >= NUMBERS * len(lines)


def _has_short_rows(filled: Sequence[CellBox]) -> bool:
    """Whether all cells hold the same number of short lines at the same heights."""
    counts = {len(s.lines) for s in filled}
    if len(counts) != 1 or counts.pop() < 4:
        return False
    words = [len(line.words) for s in filled for line in s.lines]
    bases = [[round(line.base) for line in s.lines] for s in filled]
    return median(words) <= SHORT and all(b == bases[0] for b in bases)


def _build_row(own: Sequence[CellBox], rows: Sequence[Row], group: Sequence[int], number: int) -> list[CellBox]:
    out: list[CellBox] = []
    taken = {id(word) for r in group for line in rows[r].lines for word in line.words}
    for square in own:
        words = [word for line in square.lines for word in line.words if id(word) in taken]
        lines = build_cell_lines(words) if words else []
        x0, x1 = (square.box[0], square.box[2]) if square.box else (0.0, 0.0)
        top, bottom = min(rows[r].y0 for r in group), max(rows[r].y1 for r in group)
        box = bounding_box([(x0, top, x1, bottom), *(line.box for line in lines)])
        out.append(CellBox(number, square.col, 1, square.colspan, lines, box))
    return out
