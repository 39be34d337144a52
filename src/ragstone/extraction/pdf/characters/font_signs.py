"""Signs of mathematics and dingbats whose meaning only the name of their font tells."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from ragstone.extraction.symbol_fonts import decode_symbol

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NOTHING = "\0"  # an accent or a part of a sign, which says nothing alone
SLASH = "\u0338"  # crosses out the sign behind it
# Signs in the encodings of TeX's fonts (The TeXbook, appendix F) whose glyphs have names that only TeX uses: files give
# them no meaning, and readers letters: `P` for a sum, `h` and `i` for angle brackets. Blanks stand for signs whose
# names all know: where one of those has no meaning either, the codes of the file are not those of TeX.
SYMBOLS = (
    "     ⋄ ∓ ⊖ ⊘⊙" + NOTHING + "∘ ≍     ⪯⪰    ≪≫≺≻     ↗↘≃     ↖↙ ′   △▽" + SLASH + NOTHING + "      ⊤ "
    + 29 * " " + "⊎  ⊢⊣⌊⌋⌈⌉  ⟨⟩ ∥↕⇕\\≀ ⨿  ⊔⊓⊑⊒"
)  # fmt: skip
ITALIC = 15 * " " + "ϵ" + 24 * " " + "↼↽⇀⇁" + 2 * NOTHING + "▷◁" + 15 * " " + "⋆" + 27 * " " + "♭♮♯⌣⌢ℓ"
LARGE = (
    "()[]⌊⌋⌈⌉{}⟨⟩|∥/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩⊔⊔∮∮⊙⊙⊕⊕⊗⊗∑∏∫⋃⋂⊎⋀⋁∑∏∫⋃⋂⊎⋀⋁∐∐"
    + 6 * NOTHING
    + "[]⌊⌋⌈⌉{}√√√√√"
)
TEX: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"(?:cmb?sy|lmmathsymbols)\d", re.IGNORECASE), SYMBOLS),
    (re.compile(r"(?:cmmib?|lmmathitalic)\d", re.IGNORECASE), ITALIC),
    (re.compile(r"(?:cmex|lmmathextension)\d", re.IGNORECASE), LARGE),
)
LIGATURES = dict(enumerate(range(0xFB00, 0xFB05)))  # ff, fi, fl, ffi, ffl
# The letters that TeX's text fonts have where others have controls, in its first encoding (OT1) and its second (T1).
FIRST = {0x0B + n: sign for n, sign in LIGATURES.items()} | {
    0x10: ord("ı"),
    **{0x19 + n: ord(letter) for n, letter in enumerate("ßæœøÆŒØ")},
}
SECOND = {0x1B + n: sign for n, sign in LIGATURES.items()} | {0x10 + n: ord(mark) for n, mark in enumerate("“”„«»–—")}
SPACE = 0x20
SIGNS = re.compile(r"(symbol|wingdings ?2?|webdings)(?:mt|std|-?regular)?(?:[,-](?:bold|italic)+)?", re.IGNORECASE)
PRIVATE = 0xF000


@cache
def may_lack_meanings(font: str) -> bool:
    """Whether signs of a font may have no meaning in the file though others of it have one."""
    return any(pattern.match(font) for pattern, _ in TEX)


def name_signs(code: Ints, said: Ints, own: Ints, unmapped: Bools, fonts: Sequence[str]) -> None:
    """Replace codes by what the glyphs show, in place.

    `said` are the codes before any of them was interpreted, `own` is the index of each one's font in `fonts`, -1 for
    none. A code of TeX's fonts is replaced where it is `unmapped`, which then no longer holds; one of a font of signs
    where it is a Latin letter or for private use: such a font has no Latin letters.
    """
    math: list[tuple[npt.NDArray[np.intp], str]] = []
    for number, name in enumerate(fonts):
        table = next((table for pattern, table in TEX if pattern.match(name)), None)
        signs = SIGNS.fullmatch(name)
        if table is not None:
            at = np.flatnonzero((own == number) & unmapped & (code != 0) & (said != SPACE))
            math.append((at, "".join(table[one] if one < len(table) else " " for one in said[at].tolist())))
        elif signs is not None:
            _name_font_signs(code, own == number, signs[1].lower())
    bitmaps = [number for number, name in enumerate(fonts) if not name]  # as TeX made them before 2000
    if bitmaps:
        _name_bitmaps(code, said, np.flatnonzero(np.isin(own, bitmaps) & unmapped & (said < SPACE)))
    if any(" " in texts for _, texts in math):
        return
    for at, texts in math:
        code[at] = list(map(ord, texts))
        unmapped[at] = False
        _cross_out(code, at[code[at] == ord(SLASH)].tolist())


def _name_bitmaps(code: Ints, said: Ints, at: npt.NDArray[np.intp]) -> None:
    """Letters of TeX's bitmaps by the encoding whose ligatures, dashes or pairs of quotation marks are among them."""
    there = frozenset(said[at].tolist())
    is_first = any(0x0B <= one <= 0x0F for one in there)
    is_second = any(one in (0x15, 0x16) or 0x1B <= one <= 0x1F for one in there) or {0x10, 0x11} <= there
    table = FIRST if is_first else SECOND if is_second else {}
    code[at] = [table.get(one, old) for one, old in zip(said[at].tolist(), code[at].tolist(), strict=True)]


def _name_font_signs(code: Ints, own: Bools, family: str) -> None:
    family = family if family[-1] != "2" else "wingdings 2"
    low = np.where((code >= PRIVATE) & (code < PRIVATE + 0x100), code - PRIVATE, code)
    letter = (low >= 0x41) & (low <= 0x5A) | (low >= 0x61) & (low <= 0x7A) | (low != code) & (low > 0x20)
    meanings: Mapping[int, str] = {one: decode_symbol(one, family) for one in np.unique(low[own & letter]).tolist()}
    for one, text in meanings.items():
        if len(text) == 1:
            code[own & letter & (low == one)] = ord(text)


def _cross_out(code: Ints, places: Sequence[int]) -> None:
    """Make one sign of a slash and the sign behind it, where there is one."""
    for at in places:
        behind = unicodedata.normalize("NFC", chr(int(code[at + 1])) + SLASH) if at + 1 < len(code) else ""
        if len(behind) == 1:
            code[at], code[at + 1] = 0, ord(behind)
