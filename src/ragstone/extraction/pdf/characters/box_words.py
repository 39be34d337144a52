"""Words of texts typed into boxes of a page, placed where a reader sees them."""

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.annotations import BoxText
from ragstone.extraction.pdf.characters.glyphs import SMALLEST, Style
from ragstone.extraction.pdf.characters.letters import SPACES, code_point_text, is_right_to_left
from ragstone.extraction.pdf.characters.words import ASCENT, DESCENT, Word

USUAL = 10.0  # points: letters of a field whose size the file leaves open
FULL = 0.8  # of a box's height: letters that fill it
LEADING = 1.2  # of the size: from line to line
WIDTH = 0.5  # of the size: a letter of Helvetica, on average
INSET = 2.0  # points from the border of a box to its text
LEVEL = 0.5  # of the size: a label whose baseline is so near stands on the same line
PLAIN = re.compile(r"[\W_]+")


def place_box_words(texts: Sequence[BoxText], own: Sequence[Word]) -> list[Word]:
    """The words of `texts`, without those that the page's `own` words already say at their place.

    How a viewer sets a text is not in the file, so a word's place in its box is an estimate.
    """
    out: list[Word] = []
    usual = sorted(word.size for word in own)[len(own) // 2] if own else USUAL
    for text in texts:
        x0, y0, x1, y1 = text.box
        inside = [w for w in own if x0 <= (w.x0 + w.x1) / 2 <= x1 and y0 <= (w.y0 + w.y1) / 2 <= y1]
        said = PLAIN.sub("", "".join(word.text for word in inside)).lower()
        plain = PLAIN.sub("", text.text).lower()
        if (plain and plain in said) or (inside and not plain):
            continue
        out += _set_words(text, own, usual)
    return out


def _set_words(text: BoxText, own: Sequence[Word], usual: float) -> Iterator[Word]:
    """The words of one text: as many lines as its box holds, each squeezed into its width.

    No letters are larger than those `usual` on the page: what was typed in is no heading of it.
    """
    x0, y0, x1, y1 = text.box
    height = y1 - y0
    size = max(SMALLEST, min(text.size or USUAL, usual, FULL * height))
    rows = [row for line in text.text.splitlines() if (row := _clean_line(line))]
    if height >= 2 * LEADING * size:
        room = max(1, int((x1 - x0 - 2 * INSET) / (WIDTH * size)))
        rows = [part for row in rows for part in wrap(row, room, break_long_words=False, break_on_hyphens=False)]
    step = min(LEADING * size, height / max(1, len(rows)))
    size = max(SMALLEST, round(min(size, step), 1))
    for number, row in enumerate(rows):
        base = y0 + (number + 1) * step if len(rows) > 1 else (y0 + y1) / 2 + (ASCENT - DESCENT) / 2 * size
        yield from _set_row(
            row, (x0, y0, x1, y1), _label_baseline(base, size, text.box, own) if len(rows) == 1 else base, size
        )


def _clean_line(line: str) -> str:
    said = "".join(" " if ord(c) in SPACES else code_point_text(ord(c)) for c in line)
    return " ".join(said.split())


def _label_baseline(base: float, size: float, box: Box, own: Sequence[Word]) -> float:
    """The baseline of the label to the left, if there is one on the same line."""
    near = [w for w in own if w.x1 <= box[0] + size and abs(w.base - base) <= LEVEL * size]
    return max(near, key=lambda word: (word.x1, word.base)).base if near else base


def _set_row(row: str, box: Box, base: float, size: float) -> Iterator[Word]:
    x0, _, x1, _ = box
    inset = min(INSET, (x1 - x0) / 4)
    step = min(WIDTH * size, (x1 - x0 - 2 * inset) / len(row))
    leftward = is_right_to_left(row)
    style = Style("", size, bold=False, italic=False, mono=False)
    at = 0
    for text in row.split(" "):
        places = range(at, at + len(text) + 1)
        edges = [x1 - inset - k * step for k in places] if leftward else [x0 + inset + k * step for k in places]
        top, bottom = base - ASCENT * size, base + DESCENT * size
        yield Word(text, edges, min(edges), top, max(edges), bottom, base, style)
        at += len(text) + 1
