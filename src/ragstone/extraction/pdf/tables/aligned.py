"""Tables without lines in both directions: text that stands in columns over several rows."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ragstone.core.page_layout import Box, bounding_box
from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.lines import lowercase_share
from ragstone.extraction.pdf.characters.rows import Phrase, Row, is_number
from ragstone.extraction.pdf.characters.table import CellBox, Table, build_cell_lines
from ragstone.extraction.pdf.tables.cell_rules import CellRules, find_cell_columns, split_row
from ragstone.extraction.pdf.tables.close_figures import part_close_figures
from ragstone.extraction.pdf.tables.columns import (
    column_extent,
    column_reaches,
    drop_unsupported,
    find_separators,
    settle_columns,
    split_at_separators,
)
from ragstone.extraction.pdf.tables.drawn_signs import read_signs
from ragstone.extraction.pdf.tables.regions import find_regions
from ragstone.extraction.pdf.tables.row_runs import find_next_run, skip_caption, trim_run
from ragstone.extraction.pdf.tables.row_stacking import stack_rows
from ragstone.extraction.pdf.tables.spanning_headers import widen_headers
from ragstone.extraction.record.caption_and_list_markers import is_marker

# From looking at pages, in letter heights unless said otherwise.
FEW = 3  # rows of numbers that are enough to tell the columns
PROSE_WORDS = 9  # words of a phrase: what is longer on the average is text in columns, no table
GOES_ON = 0.3  # of the lines of running text begin with a small letter, at the least
NARROW = 10  # lines of a column of running text that holds few words a line
NOTES, LONG_NOTES = 0.25, 0.4  # of the rows hold a note beside running text; the second from LONG rows on
LONG = 20
PARTED, EACH, RAGGED = 1.25, 0.8, 0.4  # times the smallest step; shares of the paragraphs
STROKES = 3  # slanted lines with two ends, as the curves of a chart: a crossed-out cell has one or two
PAGE = re.compile(r"(?:[A-Z]{1,3}-)?\d{1,4}|[ivxlc]{1,7}")
RISING = 0.9  # of the page numbers in a table of contents
DRAWING_SHARE = 0.25  # of a table's box under drawings


def find_aligned_tables(
    rows: Sequence[Row], across: Sequence[Rule], figures: Sequence[Box] = (), strokes: Sequence[Box] = ()
) -> list[tuple[int, int, Table]]:
    """Tables among rows of one column of the page: first row, row behind the last, table.

    Text on a drawing, or crossed by `strokes`, is the lettering of a chart.
    """
    read = read_signs(rows)
    found = _find_tables(read.rows, sorted([*across, *read.rules]), figures, strokes)
    return (
        [(read.first_place(first), read.behind_place(behind, len(rows)), table) for first, behind, table in found]
        if read.rules or read.rows is not rows
        else found
    )


def _find_tables(
    rows: Sequence[Row], across: Sequence[Rule], figures: Sequence[Box], strokes: Sequence[Box]
) -> list[tuple[int, int, Table]]:
    part_close_figures(rows)
    bounded = {region.first: region for region in find_regions(rows, across)}
    out: list[tuple[int, int, Table]] = []
    at = 0
    while at < len(rows):
        if region := bounded.get(at):
            first = skip_caption(rows, at, region.behind)
            made = build_aligned_table(rows[first : region.behind], across, sure=region.sure)
            if made and not _is_on_drawing(made.box, figures, strokes):
                out.append((first, region.behind, made))
                at = region.behind
                continue
        limit = min((first for first in bounded if first > at), default=len(rows))
        start, end = find_next_run(rows[:limit], at, across)
        best = _find_best_part(rows, start, end, across) if end - start >= 2 else None
        if best is None or _is_on_drawing(best[2].box, figures, strokes):
            at = min(max(at + 1, end), limit)
        else:
            out.append(best)
            at = best[1]
    return out


def _is_on_drawing(box: Box, figures: Sequence[Box], strokes: Sequence[Box]) -> bool:
    x0, y0, x1, y1 = box
    if sum(x0 <= (s[0] + s[2]) / 2 <= x1 and y0 <= (s[1] + s[3]) / 2 <= y1 for s in strokes) >= STROKES:
        return True
    covered = sum(
        max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, bottom) - max(y0, top))
        for left, top, right, bottom in figures
    )
    return covered > DRAWING_SHARE * (x1 - x0) * (y1 - y0)


def _find_best_part(rows: Sequence[Row], start: int, end: int, across: Sequence[Rule]) -> tuple[int, int, Table] | None:
    """The first part of a run that is a table, shortening the run from below and above where it is none."""
    start, end = trim_run(rows, start, end)
    for first, last in ((start, end), (start + 1, end), (start, end - 1), (start + 2, end)):
        if last - first >= 2:
            made = build_aligned_table(rows[first:last], across)
            if made is not None:
                return first, last, made
    return None


def build_aligned_table(rows: Sequence[Row], across: Sequence[Rule], *, sure: bool = False) -> Table | None:
    """The table that rows make, or None: too few columns, too much prose, too many holes.

    Where rules make it `sure`, a single column will do, if its lines are short.
    """
    least = 1 if sure else 2
    celled = CellRules(rows, across)
    parts = drop_unsupported(rows, find_separators(rows, least=least), least)
    drawn = bool(celled.parts) and len(celled.parts) >= len(parts)  # else rules were put together for another reason
    parts = celled.parts if drawn else parts
    if not (_is_short_list(rows) if sure and not parts else bool(parts) and (sure or _is_plausible(rows, parts))):
        return None
    if _has_margin_notes(rows) or _is_contents(rows):
        return None
    grid = _assign_cells(rows, celled) if drawn else _assign_columns(rows, parts)
    reach = column_reaches(rows, parts)
    box = bounding_box([(row.x0, row.y0, row.x1, row.y1) for row in rows])
    groups = stack_rows(rows, grid, _find_bands(across, box), len(parts) + 1)
    squares: list[CellBox] = []
    for number, group in enumerate(groups):
        squares += build_squares(number, group, rows, grid)
    squares = widen_headers(squares, reach, across, box)
    return Table(box, squares, len(groups), len(parts) + 1)


def _assign_cells(rows: Sequence[Row], celled: CellRules) -> list[list[tuple[int, int]]]:
    """The columns of each phrase of rows under rules that were drawn cell by cell."""
    grid: list[list[tuple[int, int]]] = []
    for row in rows:
        own = celled.parts_of_row(row, celled.parts)
        row.phrases = split_row(row, own)
        grid.append([find_cell_columns(phrase, own, celled.parts) for phrase in row.phrases])
    return grid


def _assign_columns(rows: Sequence[Row], parts: Sequence[float]) -> list[list[tuple[int, int]]]:
    """The columns of each phrase; phrases that stand over a separator are cut there."""
    lefts = [left for left, _ in column_reaches(rows, parts)]
    for row in rows:
        alone = len(row.phrases) == 1
        row.phrases = [
            part for phrase in row.phrases for part in split_at_separators(phrase, parts, lefts, alone=alone)
        ]
    reach = column_reaches(rows, parts)
    return [[settle_columns(phrase, parts, reach) for phrase in row.phrases] for row in rows]


def _is_contents(rows: Sequence[Row]) -> bool:
    """Whether leaders lead to pages: one number at the end of each row, and none is below the one before."""
    led = [row for row in rows if row.dotted]
    ends = [row.phrases[-1].text.strip() for row in led if len(row.phrases) > 1]
    numbers = [int(end) for end in ends if end.isdecimal()]
    if not led or len(ends) < 0.5 * len(rows) or not all(PAGE.fullmatch(end) for end in ends):
        return False
    alone = all(not any(is_number(phrase.text) for phrase in row.phrases[1:-1]) for row in led)
    return alone and sum(a <= b for a, b in pairwise(numbers)) >= RISING * (len(numbers) - 1)


def _is_short_list(rows: Sequence[Row]) -> bool:
    """Whether rows may be a single column between drawn rules; dashes part the sections of any typewritten text."""
    if 2 * sum(row.is_typed for row in rows) >= len(rows):  # boxes of code with a line of text between them
        return False
    words = sum(len(line.words) for row in rows for line in row.lines)
    return len(rows) >= FEW and words <= PROSE_WORDS * len(rows)


def _is_plausible(rows: Sequence[Row], parts: Sequence[float]) -> bool:
    several = [row for row in rows if len(row.phrases) >= 2]
    if len(several) < 2 or (len(several) < 3 and len(parts) < 2):
        return False
    phrases = [phrase for row in rows for phrase in row.phrases]
    lengths = [len(phrase.words) for phrase in phrases]
    numbers = sum(is_number(phrase.text) for phrase in phrases)
    if sum(lengths) / len(lengths) > PROSE_WORDS and numbers < 0.2 * len(phrases):
        return False
    if numbers < 0.15 * len(phrases) and _is_prose(rows, parts) and not _begins_together(rows, len(parts) + 1):
        return False
    if len(parts) == 1 and _is_list([row.phrases[0].text for row in several]):
        return False
    if sum(phrase.words[0].style.mono for phrase in phrases) > 0.7 * len(phrases) and numbers < 0.3 * len(phrases):
        return False
    columns = len(parts) + 1
    filled = sum(min(columns, len(row.phrases)) for row in several)
    return filled >= 0.4 * columns * len(several)


def _is_list(firsts: Sequence[str]) -> bool:
    """Whether rows begin with the marks of a list, or with one sign again and again, as fonts of signs spell them."""
    signs = [text for text in firsts if len(text) == 1 and not text.isdigit()]
    usual = max((signs.count(sign) for sign in signs), default=0)
    return max(sum(map(is_marker, firsts)), usual * (usual > 1)) > 0.5 * len(firsts)


def _has_margin_notes(rows: Sequence[Row]) -> bool:
    """Whether most rows are a line of running text: what stands beside it are notes in the margin."""
    width = max(row.x1 for row in rows) - min(row.x0 for row in rows)
    counted = sum(any(is_number(phrase.text) for phrase in row.phrases) for row in rows)
    running = sum(any(len(p.words) >= PROSE_WORDS and p.x1 - p.x0 > 0.6 * width for p in row.phrases) for row in rows)
    several = sum(len(row.phrases) > 1 for row in rows)  # a list of terms has one for two or three lines
    few = several < (LONG_NOTES if len(rows) >= LONG else NOTES) * len(rows)
    return running > 0.5 * len(rows) and counted < 0.3 * len(rows) and few


def _is_prose(rows: Sequence[Row], parts: Sequence[float]) -> bool:
    """Whether at least two columns are running text: most of their phrases are long and fill the column."""
    running = 0
    for column in range(len(parts) + 1):
        own = [p for row in rows for p in row.phrases if column_extent(p, parts) == (column, column)]
        if len(own) >= 3:
            width = max(p.x1 for p in own) - min(p.x0 for p in own)
            full = sum(p.x1 - p.x0 >= 0.7 * width for p in own)
            words = sum(len(p.words) for p in own) / len(own)
            share = lowercase_share(p.text for p in own)
            narrow = len(parts) == 1 and len(own) >= NARROW and share >= 0.6
            running += ((words >= 4.5 and share >= GOES_ON) or narrow) and full >= 0.5 * len(own)
    return running >= 2


def _begins_together(rows: Sequence[Row], columns: int) -> bool:
    """Whether the paragraphs of all columns begin at the same heights and end at others: cells of text, no columns."""
    steps = [below.base - above.base for above, below in pairwise(rows)]
    starts = [0, *(n for n, step in enumerate(steps, 1) if step > PARTED * min(steps)), len(rows)]
    groups = [rows[a:b] for a, b in pairwise(starts)]
    whole = sum(len(group[0].phrases) >= columns for group in groups)
    ragged = sum(len(group[-1].phrases) < len(group[0].phrases) for group in groups)
    return columns > 2 and len(groups) > FEW and whole >= EACH * len(groups) and ragged >= RAGGED * len(groups)


def _find_bands(across: Sequence[Rule], box: Box) -> list[float]:
    """The y of rules that run over most of a box."""
    x0, y0, x1, y1 = box
    return sorted(
        {
            round(rule.at, 1)
            for rule in across
            if y0 - 2 <= rule.at <= y1 + 2 and min(rule.end, x1) - max(rule.start, x0) >= 0.8 * (x1 - x0)
        }
    )


def build_squares(
    number: int,
    group: Sequence[int],
    rows: Sequence[Row],
    grid: Sequence[Sequence[tuple[int, int]]],
) -> list[CellBox]:
    """The cells of one row of the table, which may take several rows of text."""
    cells: dict[tuple[int, int], list[Phrase]] = {}
    for r in group:
        for phrase, place in zip(rows[r].phrases, grid[r], strict=True):
            met = [k for k in cells if k[0] <= place[1] and place[0] <= k[1]]
            own = [p for k in met for p in cells.pop(k)]
            key = min([place[0], *(k[0] for k in met)]), max([place[1], *(k[1] for k in met)])
            cells[key] = [*own, phrase]
    squares: list[CellBox] = []
    for (first, last), phrases in sorted(cells.items()):
        lines = build_cell_lines([word for phrase in phrases for word in phrase.words])
        squares.append(CellBox(number, first, 1, last - first + 1, lines, bounding_box([line.box for line in lines])))
    return squares
