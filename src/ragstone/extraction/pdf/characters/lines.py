"""Lines: words that stand side by side without a wide gap; a row of a table gives several."""

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.glyphs import Glyphs
from ragstone.extraction.pdf.characters.letters import is_right_to_left
from ragstone.extraction.pdf.characters.words import Word, build_words

SLANT_SLACK = 0.3  # of the size: letters whose boxes are so near stand in one word
WIDE = 1.0  # letter heights: justified text stays below it, the columns of most tables do not
BASE = 0.3  # letter heights: words whose baselines differ less stand on one line
SMALL = 0.85  # of the size: a word below it can be a superscript
TINY = 6  # letters of a superscript that is drawn apart
RAISED = 0.65  # letter heights that a superscript may be off the baseline


@dataclass(slots=True)
class Line:
    """Words from left to right (right to left for such scripts) and the box around them."""

    words: list[Word]
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    base: float = 0.0
    size: float = 0.0
    bold: bool = False
    edges: "array[float] | None" = None  # boundaries of the characters of `text`, once frozen
    chunks: Sequence[tuple[int, int, Box]] = ()  # of words, where there are no edges
    _text: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Take box, baseline and size from the words; the longest run of a size speaks for the line."""
        words = self.words
        self._text = None
        if len(words) == 1:  # half of all lines, before they are joined
            chief = words[0]
            self.x0, self.y0, self.x1, self.y1 = chief.x0, chief.y0, chief.x1, chief.y1
            self.base, self.size, self.bold = chief.base, chief.style.size, chief.style.bold
            return
        self.x0 = min([w.x0 for w in words])
        self.x1 = max([w.x1 for w in words])
        self.y0 = min([w.y0 for w in words])
        self.y1 = max([w.y1 for w in words])
        letters, styles = [len(w.text) for w in words], [w.style for w in words]
        if styles.count(styles[0]) == len(words):  # most lines are of one style
            weights: list[float] = [*letters] if styles[0].size else [0] * len(words)
            self.bold = styles[0].bold and any(letters)
        else:
            weights = [n * style.size for n, style in zip(letters, styles, strict=True)]
            self.bold = 2 * sum([n for n, style in zip(letters, styles, strict=True) if style.bold]) > sum(letters)
        chief = _choose_heaviest_word(words, weights)
        self.base, self.size = chief.base, chief.style.size

    def freeze(self, *, apart: bool = False) -> None:
        """Keep text and boundaries, drop the words: what stays of a long document's pages.

        `apart` keeps a box a word instead, for words that do not stand on one level.
        """
        text = self.text
        if apart or is_right_to_left(text):
            at = 0
            chunks: list[tuple[int, int, Box]] = []
            for i, word in enumerate(self.words):
                start = at + (1 if i and not word.glued else 0)
                at = start + len(word.text)
                chunks.append((start, at, (word.x0, word.y0, word.x1, word.y1)))
            self.chunks = chunks
        else:
            self.edges = array("f", _join_edges(self.words))
        self.words = []

    @property
    def box(self) -> Box:
        return self.x0, self.y0, self.x1, self.y1

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = join_words(self.words)
        return self._text

    @property
    def width(self) -> float:
        return self.x1 - self.x0


def _choose_heaviest_word(words: Sequence[Word], weights: Sequence[float]) -> Word:
    """The word that weighs most; of equals the one furthest left."""
    most = max(weights)
    if weights.count(most) == 1:
        return words[weights.index(most)]
    return min([word for word, weight in zip(words, weights, strict=True) if weight == most], key=_word_left)


def _word_left(word: Word) -> float:
    return word.x0


def _join_edges(words: Sequence[Word]) -> list[float]:
    """The boundaries of the characters of `join_words`: a space reaches from word to word."""
    edges: list[float] = []
    for word in words:
        if edges and word.glued:
            edges[-1] = (edges[-1] + word.edges[0]) / 2
            edges += word.edges[1:]
        else:
            edges += word.edges
    return edges


def join_words(words: Sequence[Word]) -> str:
    """Words as text: a space between them, none where they are glued."""
    if len(words) == 1:
        return words[0].text
    if True not in [word.glued for word in words[1:]]:
        return " ".join([word.text for word in words])
    return "".join([word.text if word.glued or not i else " " + word.text for i, word in enumerate(words)])


def lowercase_share(texts: Iterable[str]) -> float:
    """The share of lines that begin with a small letter: running text goes on from line to line."""
    firsts = [text[:1] for text in texts]
    return sum(first.islower() for first in firsts) / len(firsts) if firsts else 0.0


def build_lines(words: Iterable[Word]) -> list[Line]:
    """The lines of a page from its words in the order of the file, from the top down."""
    run: list[Word] = []
    runs: list[list[Word]] = []
    before: Word | None = None
    for word in words:
        if before is not None and _continues_line(before, word):
            run.append(word)
        else:
            word.glued = False
            run = [word]
            runs.append(run)
        before = word
    made = sorted([Line(run) for run in runs], key=lambda line: (round(line.base, 1), line.x0))
    return _merge_lines(made)


def _continues_line(before: Word, word: Word) -> bool:
    last, own = before.style.size, word.style.size
    small, size = (last, own) if last < own else (own, last)
    gap = word.x0 - before.x1
    if word.base == before.base and not word.glued and word.text.isascii():
        return -0.3 * size < gap <= WIDE * size  # most words; what follows says the same at more length
    lift = abs(word.base - before.base)
    if word.glued:
        return lift <= RAISED * size and -0.5 * size < gap < 0.3 * size
    if lift > RAISED * size:
        return False
    level = lift <= BASE * small or (small < SMALL * size and gap < 0.4 * size)
    if is_right_to_left(word.text):
        gap = before.x0 - word.x1 if word.x1 <= before.x0 + 0.3 * size else gap
    return level and -0.3 * size < gap <= WIDE * size


def _merge_lines(found: list[Line]) -> list[Line]:
    """Join lines that the file draws apart although they stand side by side."""
    open_: list[Line] = []  # in order of baseline
    bases: list[float] = []
    for line in found:
        at = bisect_left(bases, line.base - RAISED * 1.5 * max(line.size, 6.0))
        best: Line | None = None
        x0, x1, size = line.x0, line.x1, line.size
        for other in open_[at:]:
            # Most lines are ruled out by what is cheap to ask; `_is_beside` says the same at more length.
            gap = x0 - other.x1 if x0 > other.x1 else other.x0 - x1
            if gap > size * WIDE and gap > other.size * WIDE:
                continue
            if _is_beside(other, line) and (best is None or abs(other.base - line.base) < abs(best.base - line.base)):
                best = other
        if best is None:
            place = bisect_left(bases, line.base)
            open_.insert(place, line)
            insort(bases, line.base)
        else:
            place = next(i for i, other in enumerate(open_) if other is best)
            del open_[place], bases[place]
            _join_line(best, line)
            again = bisect_left(bases, best.base)
            open_.insert(again, best)
            bases.insert(again, best.base)
    return _merge_late_lines(open_)


def _merge_late_lines(found: list[Line]) -> list[Line]:
    """A line that came late may close the gap between two others."""
    out: list[Line] = []
    for line in sorted(found, key=lambda line: (line.base, line.x0)):
        base, x0, x1, size = line.base, line.x0, line.x1, line.size
        for other in reversed(out[-12:]):
            # Most are ruled out by what is cheap to ask; `_is_beside` says the same at more length.
            most = size if size > other.size else other.size
            if x0 - other.x1 > WIDE * most or other.x0 - x1 > WIDE * most or abs(other.base - base) > RAISED * most:
                continue
            if _is_beside(other, line):
                _join_line(other, line)
                break
        else:
            out.append(line)
    return out


def _is_beside(a: Line, b: Line) -> bool:
    low, size = (a.size, b.size) if a.size < b.size else (b.size, a.size)
    lift = abs(a.base - b.base)
    if lift > RAISED * size:
        return False
    left, right = (a, b) if a.x0 <= b.x0 else (b, a)
    gap = right.x0 - left.x1
    if lift <= BASE * low:
        return -0.3 * size <= gap <= WIDE * size
    small = low < SMALL * size and len((a if a.size < b.size else b).text) <= TINY
    return small and (-0.2 * size <= gap <= 0.45 * size or _is_tucked_in(a, b))


def _is_tucked_in(a: Line, b: Line) -> bool:
    """Whether a raised sign stands close behind a word inside a line."""
    sign, line = (a, b) if a.size < b.size else (b, a)
    return any(-0.2 * line.size <= sign.x0 - word.x1 <= 0.3 * line.size for word in line.words)


def _join_line(into: Line, line: Line) -> None:
    left, right = (into, line) if into.x0 <= line.x0 else (line, into)
    words = [*left.words, *right.words]
    if is_right_to_left("".join(w.text for w in words)):
        into.words = [*right.words, *left.words]
        into.settle()
        return
    size = max(into.size, line.size)
    inside = right.x0 < left.x1 - 0.3 * size
    before = max((w.x1 for w in left.words if w.x0 < right.x0), default=left.x1) if inside else left.x1
    right.words[0].glued = right.x0 - before < 0.12 * size
    into.words = sorted(words, key=lambda w: w.x0) if inside else words
    into.settle()


def build_slanted_lines(g: Glyphs, keep: npt.NDArray[np.bool_]) -> list[Line]:
    """The words of one text, and what goes on right where it ends; `keep` are characters on a slant."""
    out: list[list[Word]] = []
    for word in build_words(g, keep, 0):
        if out and (out[-1][-1].base == word.base or (word.glued and _is_touching(out[-1][-1], word))):
            out[-1].append(word)
        else:
            word.glued = False
            out.append([word])
    return [Line(own) for own in out]


def _is_touching(a: Word, b: Word) -> bool:
    return max(b.x0 - a.x1, a.x0 - b.x1, b.y0 - a.y1, a.y0 - b.y1) <= SLANT_SLACK * min(a.size, b.size)
