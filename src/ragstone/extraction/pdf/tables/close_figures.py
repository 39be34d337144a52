"""Parts figures that stand in narrow columns: set as near as words, but below each other in several rows."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from ragstone.extraction.pdf.characters.rows import CURRENCY, Phrase, Row
from ragstone.extraction.record.figures import is_figure

FEWEST = 3  # rows with figures on both sides of a gap
AROUND = 12  # rows above and below that are looked at
SPACE = 0.45  # letter heights: a gap so narrow in front of three digits may part thousands …
FEW_THOUSANDS = 0.6  # … where no more of the rows have one
WHITE = 0.15  # letter heights that the rows leave free together
FIRST_DIGITS, DIGITS = re.compile(r"[-+−–(]?\d{1,3}"), re.compile(r"\d{3}(?:[.,]\d+)?[)%*]*")


class _Gap(NamedTuple):
    row: int
    phrase: int  # that of the figure behind the gap
    word: int  # the first behind the gap; 0 where the figures are parted already
    left: float
    right: float
    thousands: bool  # may be a space within one figure


class _RowGaps:
    """The gaps of one row by their place, so that those above or below another gap are found without the others."""

    def __init__(self, gaps: Sequence[_Gap]) -> None:
        self._gaps = sorted(gaps, key=lambda gap: gap.left)
        self._lefts = [gap.left for gap in self._gaps]
        self._furthest = list(accumulate((gap.right for gap in self._gaps), max))

    def list_over(self, left: float, right: float) -> list[_Gap]:
        """Those that share white with a stretch, from left to right."""
        first, behind = bisect_left(self._furthest, left), bisect_right(self._lefts, right)
        return [gap for gap in self._gaps[first:behind] if gap.right >= left]


def part_close_figures(rows: Sequence[Row]) -> None:
    """Cut phrases between figures where at least two rows nearby leave the same gap between figures."""
    gaps = [gap for number, row in enumerate(rows) for gap in _find_gaps(number, row)]
    by_row = {number: _RowGaps(list(own)) for number, own in groupby(gaps, key=lambda gap: gap.row)}
    cuts: dict[int, dict[int, list[int]]] = {}
    for gap in gaps:
        if gap.word and _is_shared(by_row, gap, rows[gap.row].size):
            cuts.setdefault(gap.row, {}).setdefault(gap.phrase, []).append(gap.word)
    for number, own in cuts.items():
        rows[number].phrases = [
            part for n, phrase in enumerate(rows[number].phrases) for part in _cut_phrase(phrase, own.get(n, ()))
        ]


def _find_gaps(number: int, row: Row) -> Iterator[_Gap]:
    """The gaps between neighbouring figures of a row."""
    words = [(word, n, k) for n, phrase in enumerate(row.phrases) for k, word in enumerate(phrase.words)]
    for (a, _, _), (b, n, k) in pairwise(words):
        if a.text in CURRENCY or b.glued or b.x0 <= a.x1 or not (is_figure(a.text) and is_figure(b.text)):
            continue
        narrow = b.x0 - a.x1 <= SPACE * row.size
        digits = DIGITS.fullmatch(b.text) is not None and FIRST_DIGITS.fullmatch(a.text) is not None
        yield _Gap(number, n, k, a.x1, b.x0, narrow and digits)


def _is_shared(by_row: Mapping[int, _RowGaps], own: _Gap, size: float) -> bool:
    """Whether rows nearby have gaps that share white with this one and with each other."""
    left, right = own.left, own.right
    found = {own.row: own.thousands}
    for step in (-1, 1):
        for number in range(own.row + step, own.row + step * (AROUND + 1), step):
            for gap in by_row[number].list_over(left, right)[::step] if number in by_row else ():
                low, high = max(left, gap.left), min(right, gap.right)
                if high - low >= WHITE * size:
                    left, right = low, high
                    found[number] = gap.thousands
    return len(found) >= FEWEST and sum(found.values()) <= FEW_THOUSANDS * len(found)


def _cut_phrase(phrase: Phrase, words: Sequence[int]) -> Iterator[Phrase]:
    for a, b in pairwise([0, *words, len(phrase.words)]):
        own = phrase.words[a:b]
        yield Phrase(own, own[0].x0, max(word.x1 for word in own))
