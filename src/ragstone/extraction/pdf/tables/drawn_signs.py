"""Characters that draw: leaders from label to figure, rules of dashes, bars between columns."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.rows import Row, usual_space
from ragstone.extraction.pdf.characters.words import Word

LEADER = re.compile(r"\.(?: ?\.){3,}|…(?: ?…)+|·(?: ?·){3,}")
SHORT_LEADER = re.compile(LEADER.pattern + r"|(?<=\S )\.(?: ?\.){0,2}(?= |$)")
RULE = re.compile(r"[-=_‐-―─━═~]+")
CROSSED = re.compile(r"[-=_‐-―─━═~+|:¦│┼┬┴├┤┌┐└┘]+")  # a rule with the joints of columns in it
LEAST = 6  # signs of a row that is a rule: a dash may say that there is no figure
BARS = frozenset(":|¦│")
CORNER = re.compile(r"[+|]?[-=_]{2,}[+|]|[+|][-=_]{2}")
CORNERS = frozenset(dash + corner for dash in "-=_" for corner in "+|")  # in which a rule ends
COLUMN = 4  # bars below each other are a line between columns
BARRED = 2  # bars of a row that belongs to a table, whatever else stands in it
SAME = 0.3  # letter heights that these may be off each other
LED = 2  # leaders beside which shorter ones are told


@dataclass(frozen=True, slots=True)
class SignReading:
    """Rows as they read without such characters, where each stood among all rows, and the rules."""

    rows: Sequence[Row]
    places: Sequence[int]
    rules: Sequence[Rule]

    def first_place(self, first: int) -> int:
        """The first of all rows that a table from row `first` on takes: rules of dashes above it are its own."""
        return self.places[first - 1] + 1 if first else 0

    def behind_place(self, behind: int, total: int) -> int:
        """The row, of all rows, behind a table that ends before `behind`."""
        return self.places[behind] if behind < len(self.places) else total


class _Bars(NamedTuple):
    """The x at which bars stand below each other, and those at which they cross rules of dashes, both in order."""

    stacked: Sequence[float]
    crossing: Sequence[float]


def read_signs(rows: Sequence[Row]) -> SignReading:
    """Rows for the search of tables; the same objects where nothing is drawn by characters."""
    if not any(_may_draw(word.text) for row in rows for line in row.lines for word in line.words):
        return SignReading(rows, range(len(rows)), ())
    bars = _find_bars(rows)
    space = usual_space([line for row in rows for line in row.lines])
    led = sum(bool(LEADER.search(row.text)) for row in rows)
    leader = SHORT_LEADER if led >= LED else LEADER
    kept: list[Row] = []
    places: list[int] = []
    rules: list[Rule] = []
    for place, row in enumerate(rows):
        words = sorted((word for line in row.lines for word in line.words), key=lambda word: word.x0)
        if rule := _read_rule(row, words):
            # In print a row of them underlines a heading or a page's head: it bounds no table.
            rules += [rule] if row.is_typed or rule.joints else []
            continue
        bare = _drop_signs(row, leader, bars, space)
        if bare.lines:
            kept.append(bare)
            places.append(place)
    return SignReading(kept, places, rules)


def drop_leaders(lines: Sequence[Line]) -> list[Line]:
    """Lines without leaders, parted where these stood; a single one may be anything else."""
    if sum(bool(LEADER.search(line.text)) for line in lines) < LED:
        return list(lines)
    out: list[Line] = []
    for line in lines:
        parts = _split_at_leaders(line, SHORT_LEADER)
        out += [line] if parts and parts[0] is line.words else [Line(part) for part in parts]
    return out


def _may_draw(text: str) -> bool:
    return text in BARS or (text[-1] in "….·-=_─━═~" and text[-2:-1] in ("", text[-1])) or text[-2:] in CORNERS


def _read_rule(row: Row, words: Sequence[Word]) -> Rule | None:
    """The rule that a row of dashes draws; its gaps are the joints between columns."""
    drawn = [word for word in words if CROSSED.fullmatch(word.text) and RULE.search(word.text)]
    signs = sum(len(run) for word in drawn for run in RULE.findall(word.text))
    if signs < LEAST or len(drawn) + sum(word.text in BARS for word in words) < len(words):
        return None
    gaps = [(a.x1 + b.x0) / 2 for a, b in pairwise(drawn) if len(a.text) > 1 and b.x0 - a.x1 > 0.4 * row.size]
    gaps += [
        joint for word in drawn for joint in _find_crossings(word) if word.x0 + row.size < joint < word.x1 - row.size
    ]
    return Rule((row.y0 + row.y1) / 2, drawn[0].x0, max(word.x1 for word in drawn), tuple(sorted(gaps)))


def _find_crossings(word: Word) -> list[float]:
    """Where the signs of a rule stand that cross it."""
    if len(word.edges) != len(word.text) + 1 or not CROSSED.fullmatch(word.text):
        return []
    return [(word.edges[k] + word.edges[k + 1]) / 2 for k, sign in enumerate(word.text) if not RULE.fullmatch(sign)]


def _find_bars(rows: Sequence[Row]) -> _Bars:
    drawn = [word for row in rows for line in row.lines for word in line.words if CORNER.match(word.text)]
    crossings = sorted({round(at, 1) for word in drawn for at in _find_crossings(word)})
    found = [
        ((word.x0 + word.x1) / 2, row.size)
        for row in rows
        for line in row.lines
        for word in line.words
        if word.text in BARS and not word.glued
    ]
    if len(found) < COLUMN:
        return _Bars((), crossings)
    counted = Counter(round(at, 1) for at, _ in found)
    limit = SAME * max(size for _, size in found)
    stacked = [at for at in counted if sum(n for other, n in counted.items() if abs(at - other) <= limit) >= COLUMN]
    return _Bars(sorted(stacked), crossings)


def _drop_signs(row: Row, leader: re.Pattern[str], bars: _Bars, space: float) -> Row:
    """The row without leaders and bars, its lines parted where these stood; the row itself where it has none."""
    lines: list[Line] = []
    dotted = False
    for line in row.lines:
        parts = _split_at_leaders(line, leader)
        dotted |= len(parts) != 1 or parts[0] is not line.words
        for part in parts:
            lines += (
                _split_at_bars(part, bars, SAME * row.size)
                if any(bars)
                else [Line(part)]
                if part is not line.words
                else [line]
            )
    if not dotted and not any(bars):
        return row
    own = Row(lines, base=row.base, size=row.size, dotted=dotted, barred=any(bars) and _count_bars(row, bars) >= BARRED)
    return own.settle(space) if lines else own


def _count_bars(row: Row, bars: _Bars) -> int:
    words = (word for line in row.lines for word in line.words)
    return sum(len(_find_bars_within(word, bars, SAME * row.size)) for word in words)


def _split_at_leaders(line: Line, leader: re.Pattern[str]) -> list[list[Word]]:
    """The words between leaders; the line's own list where it has none."""
    spans = [match.span() for match in leader.finditer(line.text)]
    if not spans:
        return [line.words]
    parts: list[list[Word]] = [[]]
    at = 0
    for number, word in enumerate(line.words):
        at += bool(number) and not word.glued
        for start, end in _stretches_outside(at, at + len(word.text), spans):
            if start > at and parts[-1]:
                parts.append([])
            parts[-1].append(_cut_word(word, start - at, end - at))
        at += len(word.text)
        if parts[-1] and any(start < at <= end for start, end in spans):
            parts.append([])
    return [part for part in parts if part]


def _stretches_outside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of a word no leader covers."""
    out: list[tuple[int, int]] = []
    for a, b in spans:
        if a < end and b > start:
            if a > start:
                out.append((start, a))
            start = b
    return [*out, (start, end)] if start < end else out


def _cut_word(word: Word, start: int, end: int) -> Word:
    if (start, end) == (0, len(word.text)) or len(word.edges) != len(word.text) + 1:
        return replace(word, glued=False)
    edges = word.edges[start : end + 1]
    return replace(word, text=word.text[start:end], edges=edges, x0=min(edges), x1=max(edges), glued=False)


def _split_at_bars(words: Sequence[Word], bars: _Bars, slack: float) -> list[Line]:
    """Lines of the words between bars, which may stand within a word."""
    parts: list[list[Word]] = [[]]
    for word in words:
        at = 0
        for k in _find_bars_within(word, bars, slack):
            if k > at:
                parts[-1].append(_cut_word(word, at, k))
            parts.append([])
            at = k + 1
        if at < len(word.text):
            parts[-1].append(_cut_word(word, at, len(word.text)) if at else word)
    return [Line(part) for part in parts if part]


def _find_bars_within(word: Word, bars: _Bars, slack: float) -> list[int]:
    """The places of the letters of a word that are a bar between columns: all that stand where bars cross rules, of
    others those at its ends."""
    if BARS.isdisjoint(word.text) or len(word.edges) != len(word.text) + 1:
        return []
    middles = [(a + b) / 2 for a, b in pairwise(word.edges)]
    return [
        k
        for k, sign in enumerate(word.text)
        if sign in BARS
        and (
            _is_near(middles[k], bars.crossing, slack)
            or (k in (0, len(middles) - 1) and _is_near(middles[k], bars.stacked, slack))
        )
    ]


def _is_near(at: float, places: Sequence[float], slack: float) -> bool:
    return bisect_left(places, at - slack) < bisect_right(places, at + slack)
