"""The columns of a table without vertical lines: where rows leave white, and what stands in which."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ragstone.extraction.pdf.characters.rows import CURRENCY, Phrase, Row, is_number
from ragstone.extraction.record.figures import is_year

# From looking at pages, in letter heights unless said otherwise.
VALLEY = 0.45  # a column of white between cells, where at least six rows show it
FEW_VALLEY = 0.9  # the same where fewer rows do
NARROW_VALLEY = 0.15  # the same between figures
CROSSING = 0.1  # of the rows may cross a valley: headings over several columns, long labels
FEW = 3  # rows of numbers that are enough to tell the columns
SPACES = 1.5  # of a typewriter part two columns: one alone parts words
LABEL, EVEN = 3, 1.3  # words of letters in the name of a group, whose gaps are hardly wider than the others
APART = 0.4  # a gap so wide in a heading lies between two columns' words


def find_separators(rows: Sequence[Row], *, least: int = 2) -> list[float]:
    """The x between columns: where all but a few rows leave a gap between phrases, and at least `least` rows show
    it."""
    telling = [row for row in rows if len(row.phrases) >= 2]
    counted = [row for row in telling if any(is_number(phrase.text) for phrase in row.phrases[1:])]
    if len(counted) >= FEW:
        telling = counted
    if not telling:
        return []
    size = median(row.size for row in telling)
    events: list[tuple[float, int]] = []
    for row in telling:
        for phrase in row.phrases:
            start = phrase.words[1].x0 if phrase.words[0].text in CURRENCY and len(phrase.words) > 1 else phrase.x0
            events += ((start, 1), (phrase.x1, -1))
    events.sort(key=lambda event: (event[0], -event[1]))
    crossing = max(int(len(telling) >= 4), int(CROSSING * len(telling)))
    valleys: list[list[float]] = []
    depth, since = 0, None
    for at, change in events:
        before = depth
        depth += change
        if before > crossing >= depth:
            since = at
        elif before <= crossing < depth and since is not None:
            valleys.append([since, at])
            since = None
    needed = (VALLEY if len(telling) >= 6 or telling is counted else FEW_VALLEY) * size
    return [
        (a + b) / 2
        for a, b in valleys
        if (b - a >= needed or (b - a >= NARROW_VALLEY * size and _parts_figures(telling, (a + b) / 2)))
        and _is_separator(telling, (a + b) / 2, least)
    ]


def _parts_figures(rows: Sequence[Row], at: float) -> bool:
    """Whether figures stand on both sides of a place in several rows, and in most of those with text there."""
    pairs = [
        (left.text, right.text) for row in rows for left, right in pairwise(row.phrases) if left.x1 <= at <= right.x0
    ]
    figures = sum(is_number(left) and is_number(right) for left, right in pairs)
    return figures >= FEW and 2 * figures > len(pairs)


def _is_separator(rows: Sequence[Row], at: float, least: int) -> bool:
    """Whether phrases stand on both sides of a place in at least so many rows."""
    return sum(row.phrases[0].x1 <= at <= row.phrases[-1].x0 for row in rows) >= least


def drop_unsupported(rows: Sequence[Row], parts: list[float], least: int) -> list[float]:
    """Separators without those whose column to the right has text in too few rows."""
    kept = list(parts)
    for at in parts:
        bounds = [float("-inf"), *kept, float("inf")]
        number = bounds.index(at)
        right = sum(any(at < (p.x0 + p.x1) / 2 < bounds[number + 1] for p in row.phrases) for row in rows)
        if right < least:
            kept.remove(at)
    return kept


def split_at_separators(phrase: Phrase, parts: Sequence[float], lefts: Sequence[float], *, alone: bool) -> list[Phrase]:
    """A phrase cut at separators that lie between its words: the headings of narrow columns.

    The gap must be wider than a space, or the word behind it must begin where its column does. Words that stand evenly
    and `alone` in their row are the name of a group; as many without a figure are text.
    """
    if len(phrase.words) == 1:
        return [phrase]
    out: list[Phrase] = []
    many = _spans_columns(phrase, parts)
    letters = sum(_is_of_letters(word.text) for word in phrase.words)
    said = letters >= LABEL if alone else LABEL < len(phrase.words) == letters
    usual = EVEN * median(b.x0 - a.x1 for a, b in pairwise(phrase.words)) if said else 0.0
    for word in phrase.words:
        size = word.style.size
        signed = bool(out) and out[-1].words[-1].text in CURRENCY
        apart = bool(out) and not signed and (many or word.x0 - out[-1].x1 > usual)
        if apart and _is_split_point(out[-1].x1, word.x0, size, word.style.step, parts, lefts, sure=many):
            out.append(Phrase([word], word.x0, word.x1))
        elif out:
            out[-1].words.append(word)
            out[-1].x1 = max(out[-1].x1, word.x1)
        else:
            out.append(Phrase([word], word.x0, word.x1))
    return out


def _is_of_letters(text: str) -> bool:
    return len(text) > 1 and any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _spans_columns(phrase: Phrase, parts: Sequence[float]) -> bool:
    """Whether a phrase lies over at least three columns and none of its words over a separator."""
    inner = [at for at in parts if phrase.x0 < at < phrase.x1]
    return len(inner) >= 2 and not any(w.x0 + 1 < at < w.x1 - 1 for w in phrase.words for at in inner)


def _is_split_point(
    end: float, start: float, size: float, step: float, parts: Sequence[float], lefts: Sequence[float], *, sure: bool
) -> bool:
    column = bisect_left(parts, start + 0.1 * size)
    if column == bisect_left(parts, end - 0.1 * size):
        return False
    if step:
        return sure or start - end >= SPACES * step * size
    return sure or start - end >= APART * size or abs(start - lefts[column]) <= 1.2


def column_extent(phrase: Phrase, parts: Sequence[float]) -> tuple[int, int]:
    """First and last column that a phrase stands in; an amount stands where it ends."""
    margin = 0.35 * phrase.words[0].style.size
    first = bisect_left(parts, phrase.x0 + margin)
    last = bisect_left(parts, phrase.x1 - margin)
    if last > first and is_number(phrase.text) and not _are_years(phrase):
        first = last
    return first, max(first, last)


def _are_years(phrase: Phrase) -> bool:
    """Whether a phrase is several years, the headings of several columns."""
    return len(phrase.words) > 1 and all(is_year(word.text) for word in phrase.words)


def column_reaches(rows: Sequence[Row], parts: Sequence[float]) -> list[tuple[float, float]]:
    """Where the text of each column begins and ends, as far as phrases of one column show it."""
    out = [(float("inf"), float("-inf"))] * (len(parts) + 1)
    for row in rows:
        for phrase in row.phrases:
            first, last = column_extent(phrase, parts)
            if first == last:
                out[first] = min(out[first][0], phrase.x0), max(out[first][1], phrase.x1)
    return out


def settle_columns(phrase: Phrase, parts: Sequence[float], reach: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """The columns of a phrase: one that stretches over a separator but not as far as the next text covers one."""
    first, last = column_extent(phrase, parts)
    while last > first and phrase.x1 <= reach[last][0] + 1.0:
        last -= 1
    while first < last and phrase.x0 >= reach[first][1] - 1.0:
        first += 1
    return first, last
