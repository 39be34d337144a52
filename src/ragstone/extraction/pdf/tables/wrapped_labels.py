"""Labels over several lines beside figures in one of them, told by where lines break: the next word did not fit.

A line that had room for the first word of the next one is not broken. So each line without figures may go on below, or
with the line above, or do neither; a table sets all figures beside the last line of their label, or beside the first.
"""

from collections.abc import Sequence
from itertools import pairwise

from ragstone.extraction.pdf.characters.rows import Phrase, is_number
from ragstone.extraction.pdf.tables.text_groups import TextGroups

FEWEST = 2  # lines that show the habit
FIGURES = 0.5  # of the words of a line that is no label
SLACK = 0.5  # letter heights that a line may fall short of the widest


def stack_wrapped_labels(text: TextGroups) -> tuple[int, list[list[int]]] | None:
    """How many groups stand above the labels, and the text rows of each row from there on; None where lines do not
    tell."""
    anchors = [n for n in range(len(text.groups)) if text.has_value(n)]
    if len(anchors) < FEWEST:
        return None
    labels = [_find_label(text, n) for n in range(len(text.groups))]
    right = max((label.x1 for n, label in enumerate(labels) if label and n >= anchors[0]), default=0.0)
    broken = [
        text.close[n] and a is not None and b is not None and _is_broken(a, b, right)
        for n, (a, b) in enumerate(pairwise(labels), 1)
    ]
    valued = set(anchors)
    bare = [n for n in range(anchors[0] + 1, len(text.groups)) if n not in valued]
    if any(set(text.cells(n)) != {0} or _has_figures(labels[n]) for n in bare):
        return None
    down = {n for n in bare if n < len(broken) and broken[n]}
    up = {n for n in bare if broken[n - 1]}
    if len(down - up) >= FEWEST and not up - down:
        return _stack(text, anchors[0], down, above=False, broken=broken)
    if len(up - down) >= FEWEST and not down - up:
        return _stack(text, anchors[0], up, above=True, broken=broken)
    return None


def _find_label(text: TextGroups, group: int) -> Phrase | None:
    """The text of a group in the first column, if it is one line."""
    lines = [
        [phrase for phrase, place in zip(text.rows[r].phrases, text.grid[r], strict=True) if place == (0, 0)]
        for r in text.groups[group]
    ]
    found = [line for line in lines if line]
    if len(found) != 1:
        return None
    return Phrase([word for phrase in found[0] for word in phrase.words], found[0][0].x0, found[0][-1].x1)


def _has_figures(label: Phrase | None) -> bool:
    """Whether a label is rather a row of figures whose columns were not told."""
    return label is None or sum(is_number(word.text) for word in label.words) >= FIGURES * len(label.words)


def _is_broken(above: Phrase, below: Phrase, right: float) -> bool:
    """Whether the line below goes on with a small letter, or its first word did not fit behind the line above, which is
    no heading of it."""
    last, word = above.words[-1], below.words[0]
    if last.style.bold != word.style.bold or last.text.endswith(":"):
        return False
    if word.text[:1].islower():
        return True
    if abs(below.x0 - above.x0) > last.style.size * SLACK:
        return False
    return above.x1 + (word.x1 - word.x0) > right - SLACK * last.style.size


def _stack(
    text: TextGroups, first: int, joined: set[int], *, above: bool, broken: Sequence[bool]
) -> tuple[int, list[list[int]]]:
    """Rows of the table: groups in `joined` go with the group above, else with the one below."""
    start = first
    while not above and start and set(text.cells(start - 1)) == {0} and broken[start - 1]:
        start -= 1
    out: list[list[int]] = []
    for n in range(start, len(text.groups)):
        goes_on = n in joined if above else (n - 1 in joined or start < n <= first)
        if out and goes_on:
            out[-1].extend(text.groups[n])
        else:
            out.append(list(text.groups[n]))
    return start, out
