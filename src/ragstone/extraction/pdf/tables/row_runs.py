"""Stretches of rows that may be a table: several phrases a row, close to each other."""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.rows import LEADER, Row, is_number
from ragstone.extraction.record.caption_and_list_markers import LABEL, is_marker

# From looking at pages, in letter heights unless said otherwise.
STEP = 2.6  # rows further apart belong to two tables
LONELY = 2  # rows of one phrase in a row, between rows of several
LONG_STEP = 4.6  # rows so far apart may still be one table where their numbers stand below each other
AHEAD, TYPED_AHEAD = 3, 6  # rows below a gap among which one has numbers; typewritten labels take more lines
NEAR = 3.0  # points: ends of numbers in one column
STEPS = 6  # rows above and below that show how far apart rows are
ALIKE, EDGE = 0.08, 2.0  # of a step; points between edges of one column
SENTENCE = 9  # words of a row with few phrases and numbers
FEW, BEYOND = 2, 2.0  # rows of a table; letter heights that a sentence is wider than they are
NOTES = 4  # rows at the end among which a note may begin
NOTE = re.compile(r"(?i:sources?|notes?|quelle|anmerkung|n\.?b\.?)\s*[:.]|\*{1,3}\s?[A-Za-z]|†")
REACH = 6.0  # points: rules that begin and end so near each other belong together


def trim_run(rows: Sequence[Row], start: int, end: int) -> tuple[int, int]:
    """A run without the sentence or the caption above it and the note below it."""
    start = skip_caption(rows, start, end)
    usual = median(len(row.phrases) for row in rows[start:end]) if end > start else 0
    while end - start > 2 and len(rows[start].phrases) < usual and _is_sentence(rows[start]):
        start += 1
    for at in range(max(start + 2, end - NOTES), end):
        if NOTE.match(rows[at].text):
            return start, at
    return start, end


def skip_caption(rows: Sequence[Row], start: int, end: int) -> int:
    """The row behind a caption that stands first, over one line or two."""
    if end - start <= 2 or not LABEL.match(rows[start].text) or len(rows[start].phrases) > 2:
        return start
    if any(is_number(phrase.text) for phrase in rows[start].phrases[1:]):
        return start
    start += 1
    row = rows[start]
    wrapped = len(row.phrases) == 1 and len(rows[start + 1].phrases) > 1 and row.text[:1].islower()
    return start + 1 if wrapped else start


def _is_sentence(row: Row) -> bool:
    words = [word for line in row.lines for word in line.words]
    values = sum(is_number(word.text) for word in words)
    return len(words) >= SENTENCE and values <= 0.3 * len(words) and len(row.phrases) <= len(words) / 3


def _has_cells(row: Row) -> bool:
    """Whether a row has cells: two phrases or more that are not just a list's mark and its text."""
    if LEADER.search(row.text):
        return False
    if row.barred:
        return True
    if len(row.lines) >= 2:
        return not (len(row.lines) == 2 and is_marker(row.lines[0].text))
    return len(row.phrases) >= 3 or (
        len(row.phrases) == 2 and not is_marker(row.phrases[0].text) and any(is_number(p.text) for p in row.phrases)
    )


def find_next_run(rows: Sequence[Row], at: int, across: Sequence[Rule]) -> tuple[int, int]:
    """The next stretch of rows that may be a table."""
    while at < len(rows) and not _has_cells(rows[at]):
        at += 1
    start = end = at
    lonely = 0
    left, right = float("inf"), float("-inf")
    while at < len(rows):
        row = rows[at]
        if at > start and len(row.phrases) == 1 and LABEL.match(row.text):
            break  # the caption of the next table
        if at > start:
            step = row.base - rows[at - 1].base
            size = max(row.size, rows[at - 1].size)
            if (
                step > STEP * size
                and not _is_inside_rules(rows[at - 1], row, across)
                and (
                    step > LONG_STEP * size
                    or not (_has_same_columns(rows, start, at) or _goes_on_evenly(rows, start, at))
                )
            ):
                break
        if _has_cells(row) or (at > start and _continues_column(rows[start:at], row)):
            lonely = 0
            end = at + 1
        else:
            lonely += 1
            wide = row.x1 - row.x0 > 0.75 * (right - left)
            if at - start >= FEW and _is_text_below(row, left, right):
                break
            if lonely > LONELY + 2 or (lonely > LONELY and wide) or (wide and len(row.text) > 90):
                break
        left, right = min(left, row.x0), max(right, row.x1)
        at += 1
    while end < len(rows) and _is_hanging(rows, start, end):
        end += 1
    return start, end


def _is_text_below(row: Row, left: float, right: float) -> bool:
    """Whether a row is a sentence that reaches further than the rows above it: the text goes on below a table."""
    beyond = BEYOND * row.size
    return len(row.phrases) == 1 and (row.x0 < left - beyond or row.x1 > right + beyond) and _is_sentence(row)


def _continues_column(above: Sequence[Row], row: Row) -> bool:
    """Whether a row of one phrase goes on in a column that is not the first."""
    last = above[-1]
    if len(row.phrases) != 1 or row.base - last.base > 1.4 * row.size or row.x0 < above[0].x0 + 2 * row.size:
        return False
    starts = [phrase.x0 for other in above[-12:] if len(other.phrases) > 1 for phrase in other.phrases[1:]]
    return any(abs(row.x0 - start) <= 2.0 for start in starts)


def _has_same_columns(rows: Sequence[Row], start: int, at: int) -> bool:
    """Whether the numbers of the next rows stand below those of the last ones."""
    ahead = TYPED_AHEAD if rows[at].is_typed else AHEAD
    below = next((row for row in rows[at : at + ahead] if sum(is_number(p.text) for p in row.phrases) >= 1), None)
    if below is None:
        return False
    ends = [p.x1 for p in below.phrases if is_number(p.text)]
    above = [p.x1 for row in rows[max(start, at - 6) : at] for p in row.phrases if is_number(p.text)]
    return sum(any(abs(end - other) <= NEAR for other in above) for end in ends) > 0.6 * len(ends)


def _goes_on_evenly(rows: Sequence[Row], start: int, at: int) -> bool:
    """Whether rows go on as far apart as they were, with cells that begin or end where those above do."""
    steps = [below.base - above.base for above, below in pairwise(rows[max(start, at - STEPS) : at + STEPS])]
    own = rows[at].base - rows[at - 1].base
    if sum(abs(step - own) <= ALIKE * own for step in steps) < 2:  # it, and one more
        return False
    above = [(p.x0, p.x1) for row in rows[max(start, at - STEPS) : at] for p in row.phrases]
    below = next((row.phrases for row in rows[at : at + AHEAD] if len(row.phrases) >= 2), [])
    same = sum(any(abs(p.x0 - x0) <= EDGE or abs(p.x1 - x1) <= EDGE for x0, x1 in above) for p in below)
    return same >= 2 and same > 0.6 * len(below)


def _is_inside_rules(above: Row, below: Row, across: Sequence[Rule]) -> bool:
    """Whether rows with a wide gap lie between rules that belong together."""
    tops = [r for r in across if r.at <= above.y1 and r.start <= above.x0 + REACH and r.end >= above.x1 - REACH]
    return any(
        abs(r.start - t.start) <= REACH and abs(r.end - t.end) <= REACH and r.end >= below.x1 - REACH
        for t in tops
        for r in across
        if r.at >= below.y0
    )


def _is_hanging(rows: Sequence[Row], start: int, end: int) -> bool:
    """Whether the row below a run is the rest of a cell of its last row: close, and below a cell but the first."""
    row, last = rows[end], rows[end - 1]
    if len(row.phrases) != 1 or row.base - last.base > 1.35 * row.size or len(last.phrases) < 2:
        return False
    return any(abs(row.x0 - phrase.x0) < 2.0 for phrase in last.phrases[1:]) and row.x0 > rows[start].x0 + 2 * row.size
