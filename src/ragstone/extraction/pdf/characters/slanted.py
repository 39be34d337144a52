"""Lines on a slant, which share no level with anything."""

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters.glyphs import Glyphs
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.words import Word, build_words

SLANT_SLACK = 0.3  # of the size: letters whose boxes are so near stand in one word


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
