"""Characters whose meaning the file does not give, so that pdfium can only guess."""

from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters import pdfium

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PDFIUM_HYPHENS = (0x02, 0xFFFE)  # pdfium's hyphen at a line's end, and FFFE also for what has no meaning in the file
MEANINGLESS = 0xFFFD
# Guesses are right where the codes of a font are those of ASCII, as in the bitmaps of old TeX: then they read as a
# language that is written in Latin letters does. Codes that only number the glyphs of a font come out as capitals.
SMALL = 0.5  # of the letters
VOWELS = (0.2, 0.6)  # of the small ones


def resolve_hyphens(page: Any, code: Ints, box: tuple[Floats, Floats, Floats, Floats]) -> None:
    """Leave the signs of a hyphen at a line's end; the others are drawn letters without a meaning, or nothing."""
    x0, y0, x1, y1 = box
    for at in np.flatnonzero((code == PDFIUM_HYPHENS[0]) | (code == PDFIUM_HYPHENS[1])).tolist():
        if not pdfium.is_hyphen(page, at):
            code[at] = MEANINGLESS if x1[at] > x0[at] and y1[at] > y0[at] else 0


def find_unmapped(page: Any, run: Ints, starts: npt.NDArray[np.intp], mixed: Bools) -> Bools:
    """Which characters have no Unicode in the file; runs that begin with one, or are `mixed`, are asked further."""
    out = np.zeros(len(run), dtype=np.bool_)
    first = np.fromiter(
        pdfium.call_each(pdfium.has_unicode_error, repeat(page), starts.tolist()), np.bool_, len(starts)
    )
    asked = first | mixed
    if asked.any():
        at = np.flatnonzero((run >= 0) & asked[run])
        out[at] = np.fromiter(pdfium.call_each(pdfium.has_unicode_error, repeat(page), at.tolist()), np.bool_, len(at))
    return out


def is_text(code: Ints) -> bool:
    """Whether guessed characters read as words; these `code`s stand for all of a page."""
    small = (code >= ord("a")) & (code <= ord("z"))
    vowels = np.isin(code, [ord(letter) for letter in "aeiouy"])
    inked = int((code != 32).sum())
    return bool(small.sum() > SMALL * inked and VOWELS[0] * small.sum() <= vowels.sum() <= VOWELS[1] * small.sum())
