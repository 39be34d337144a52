"""Rows: lines at the same height, and phrases: the words of a line between wide gaps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, zip_longest
from statistics import median

from ragstone.extraction.pdf.characters.lines import Line, join_words
from ragstone.extraction.pdf.characters.words import Word
from ragstone.extraction.record.figures import FIGURE, is_year

LEVEL = 0.45  # letter heights: lines whose baselines differ less are one row
NARROW, WIDE = 0.45, 0.8  # letter heights: a gap between these may part two cells, if it is
TWICE = 2.0  # times the usual space
CURRENCY = frozenset("$€£¥")
LEADER = re.compile(r"\.(?: ?\.){3}|……|_(?: ?_){4}")


@dataclass(slots=True)
class Phrase:
    """Words of one line that belong to one cell."""

    words: list[Word]
    x0: float
    x1: float

    @property
    def text(self) -> str:
        return join_words(self.words)


@dataclass(slots=True)
class Row:
    """Lines from left to right at one height."""

    lines: list[Line]
    y0: float = 0.0
    y1: float = 0.0
    base: float = 0.0
    size: float = 0.0
    phrases: list[Phrase] = field(default_factory=list)
    dotted: bool = False  # a leader led from one line to the next
    barred: bool = False  # bars stood between its columns

    def settle(self, space: float) -> "Row":
        """Take height and phrases from the lines."""
        if len(self.lines) == 1:
            line = self.lines[0]
            self.y0, self.y1, self.base, self.size = line.y0, line.y1, line.base, line.size
            self.phrases = split_phrases(line, space)
            return self
        self.lines.sort(key=lambda line: line.x0)
        self.y0, self.y1 = min(line.y0 for line in self.lines), max(line.y1 for line in self.lines)
        chief = max(self.lines, key=lambda line: line.width)
        self.base, self.size = chief.base, chief.size
        self.phrases = _join_currency([phrase for line in self.lines for phrase in split_phrases(line, space)])
        return self

    @property
    def is_typed(self) -> bool:
        """Whether its lines begin in a font of fixed width."""
        return all([line.words[0].style.step for line in self.lines])  # noqa: C419  # a list is faster

    @property
    def x0(self) -> float:
        return self.lines[0].x0

    @property
    def x1(self) -> float:
        return max(line.x1 for line in self.lines)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


def usual_space(lines: Sequence[Line]) -> float:
    """The gap between words that most lines have, in letter heights."""
    gaps = [
        (b.x0 - a.x1) / size
        for line in lines
        if len(line.words) >= 4
        for size in (max(line.size, 1.0),)
        for a, b in pairwise(line.words)
        if not b.glued
    ]
    return min(max(median(gaps), 0.15), 0.6) if gaps else 0.28


def _phrase_order(word: Word) -> float:
    return word.x0


def split_phrases(line: Line, space: float = 0.28) -> list[Phrase]:
    """The words of a line, parted where the gap is about twice the usual `space` or wider.

    Spaces of the same line are the measure where they are wide: justified text. A sign for a
    currency goes with its amount.
    """
    if len(line.words) == 1:
        return [Phrase([line.words[0]], line.words[0].x0, line.words[0].x1)]
    words = sorted(line.words, key=_phrase_order)
    gaps = [b.x0 - a.x1 for a, b in pairwise(words)]
    wide = min(max(TWICE * space, NARROW), WIDE) * line.size
    if len(gaps) >= 4:
        wide = max(wide, min(1.8 * median(gaps), 1.0 * line.size))
    starts = [0]
    starts += [i for i, gap in enumerate(gaps, 1) if not gap < wide or words[i].text in CURRENCY]
    parts = [words[a:b] for a, b in zip_longest(starts, starts[1:])]
    out = [Phrase(part, part[0].x0, max([word.x1 for word in part])) for part in parts]
    return _join_currency(out)


def _join_currency(found: list[Phrase]) -> list[Phrase]:
    """Phrases with each lone sign in front of an amount made one with it."""
    if not any([phrase.words[0].text in CURRENCY for phrase in found]):  # noqa: C419  # a list is faster
        return found
    out: list[Phrase] = []
    for phrase in found:
        if (
            out
            and len(out[-1].words) == 1
            and out[-1].words[0].text in CURRENCY
            and phrase.text[:1] in "0123456789(—–-."
        ):
            sign = out.pop()
            out.append(Phrase([*sign.words, *phrase.words], sign.x0, phrase.x1))
        else:
            out.append(phrase)
    return out


def group_rows(lines: Sequence[Line]) -> list[Row]:
    """Rows from the top down."""
    out: list[Row] = []
    for line in sorted(lines, key=lambda line: (line.base, line.x0)):
        last = out[-1] if out else None
        if (
            last
            and abs(line.base - last.base) < LEVEL * min(max(line.size, 4.0), max(last.size, 4.0))
            and not any(line.x0 < other.x1 - 1 and other.x0 < line.x1 - 1 for other in last.lines)
        ):
            last.lines.append(line)
        else:
            out.append(Row([line], base=line.base, size=line.size))
    space = usual_space(lines)
    return [row.settle(space) for row in out]


def is_number(text: str) -> bool:
    """A number, a share, an amount or a sign for none."""
    return len(text) <= 40 and _is_number_text(text.strip())


@lru_cache(maxsize=4096)
def _is_number_text(text: str) -> bool:
    """Asked again and again of the same cells."""
    return FIGURE.fullmatch(text) is not None


def is_value(text: str) -> bool:
    """Whether a phrase is a number but not a year, as in the body of a table."""
    return is_number(text) and not is_year(text)
