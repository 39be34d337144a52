"""Stretches of a page between rules of the same length: tables that are drawn with horizontal lines only."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.rows import Row
from ragstone.extraction.pdf.tables.cell_rules import has_alike_joints

REACH = 6.0  # points: rules that begin and end so near each other belong together
SHORTEST = 60.0  # points: shorter rules bound no table
WIDE = 0.85  # of the rules' length: a line so long is running text …
PROSE = 12  # … if it has so many words
HEAD = 4  # rows between the first two rules of a table with a head
FEW = 12  # rows of one phrase that may stand between two rules: a column alone
NEAREST = 3  # rules above that are asked whether they are of the same table
PARAGRAPH = 1.35  # times the smallest step between lines: the next one is of another paragraph
ALMOST = 1.35  # steps between rules: a row so near them belongs to the table


class Region(NamedTuple):
    """First row, row behind the last, and whether the rules alone make it a table: a head, a body, an end."""

    first: int
    behind: int
    sure: bool


def find_regions(rows: Sequence[Row], across: Sequence[Rule]) -> list[Region]:
    """The stretches between the first and last of rules that belong together, from the top down."""
    out: list[Region] = []
    places = _RowPlaces(rows)
    for group in _group_alike(across):
        at = 0
        while at < len(group) - 1:
            end = at
            while end + 1 < len(group) and _is_tabular(places.rows_between(group[end], group[end + 1]), group[at]):
                end += 1
            if end > at:
                own = places.rows_between(group[at], group[end])
                if own:
                    first = places.number_of(own[0])
                    sure = end - at >= 2 and 0 < len(places.rows_between(group[at], group[at + 1])) <= HEAD
                    out.append(Region(*_extend_region(rows, first, first + len(own), group[at : end + 1]), sure))
            at = max(end, at + 1)
    out = sorted(region for region in out if region.behind - region.first >= 2)
    kept: list[Region] = []
    furthest = 0  # row behind all regions so far, those left out too
    for region in out:
        if region.first >= furthest:
            kept.append(region)
        furthest = max(furthest, region.behind)
    return kept


def _extend_region(rows: Sequence[Row], first: int, behind: int, rules: Sequence[Rule]) -> tuple[int, int]:
    """The stretch with the row above the first rule or below the last, where rules follow row by row."""
    if len(rules) < 3:
        return first, behind
    step = median(b.at - a.at for a, b in pairwise(rules))
    if first and _is_next_to(rows[first - 1], rules[0]) and rules[0].at - rows[first - 1].y0 <= ALMOST * step:
        first -= 1
    if behind < len(rows) and _is_next_to(rows[behind], rules[-1]) and rows[behind].y1 - rules[-1].at <= ALMOST * step:
        behind += 1
    return first, behind


def _is_next_to(row: Row, rule: Rule) -> bool:
    """Whether a row stands close to a rule and within its ends, and is no running text."""
    near = min(abs(row.y0 - rule.at), abs(row.y1 - rule.at)) < 0.7 * row.size
    inside = row.x0 >= rule.start - REACH and row.x1 <= rule.end + REACH
    return near and inside and max(len(phrase.words) for phrase in row.phrases) < PROSE


def _group_alike(across: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that begin and end at the same x and were not put together at other places, from the top down."""
    groups: list[list[Rule]] = []
    for rule in sorted(across):
        if rule.end - rule.start < SHORTEST:
            continue
        for group in groups:
            near = abs(group[0].start - rule.start) <= REACH and abs(group[0].end - rule.end) <= REACH
            if near and all(has_alike_joints(rule.joints, other.joints) for other in group[-NEAREST:]):
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) > 1]


class _RowPlaces:
    """Rows by their height on the page."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._numbers = {id(row): number for number, row in enumerate(rows)}
        self._order = sorted(range(len(rows)), key=lambda number: _middle(rows[number]))
        self._middles = [_middle(rows[number]) for number in self._order]

    def number_of(self, row: Row) -> int:
        return self._numbers[id(row)]

    def rows_between(self, top: Rule, bottom: Rule) -> list[Row]:
        """The rows between two rules, if they lie within their ends."""
        first, behind = bisect_left(self._middles, top.at - 2), bisect_right(self._middles, bottom.at + 2)
        own = [self._rows[number] for number in sorted(self._order[first:behind])]
        inside = all(row.x0 >= top.start - REACH and row.x1 <= top.end + REACH for row in own)
        return own if inside else []


def _middle(row: Row) -> float:
    return (row.y0 + row.y1) / 2


def _is_tabular(rows: Sequence[Row], rule: Rule) -> bool:
    """Whether what stands between two rules may be rows of a table."""
    if not rows:
        return False
    several = sum(len(row.phrases) >= 2 for row in rows)
    if not several and _is_text(rows):
        return False
    prose = sum(
        len(row.phrases) == 1
        and row.x1 - row.x0 > WIDE * (rule.end - rule.start)
        and len(row.phrases[0].words) >= PROSE
        for row in rows
    )
    return prose <= 0.2 * len(rows) and (several >= 0.05 * len(rows) or len(rows) <= FEW)


def _is_text(rows: Sequence[Row]) -> bool:
    """Whether rows without cells are of several paragraphs: what stands between two tables."""
    steps = [below.base - above.base for above, below in pairwise(rows)]
    return len(steps) > 1 and max(steps) > PARAGRAPH * min(steps)
