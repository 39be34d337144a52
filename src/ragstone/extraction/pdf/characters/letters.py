"""Characters of a PDF as plain text: ligatures split, odd code points normalised."""

import re
import unicodedata
from functools import lru_cache

SPACES = frozenset((9, 10, 13, 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
NOTHING = frozenset((0, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0x200E, 0x2010), *range(0x202A, 0x202F)))
HYPHENS = frozenset((0x02, 0xFFFE, 0xAD, 0x2010, 0x2011))  # pdfium marks a hyphen at a line's end by 2 or FFFE
LIGATURES = range(0xFB00, 0xFB07)
# Bullets and ticks of the Symbol and Wingdings fonts, which PDFs show by private code points.
PRIVATE = {
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0D8: "➢",
    0xF0FC: "✓",
    0xF076: "❖",
    0xF0A8: "□",
    0xF06F: "□",
    0xF0E0: "→",
    0xF02D: "-",
}
# Where Unicode keeps all letters that are written to the left, those to come included.
LEFTWARD = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")


@lru_cache(maxsize=8192)
def code_point_text(code: int) -> str:
    """The text of one code point: "" for what has none, one or more characters otherwise.

    A control code that is drawn stands for a letter whose meaning the file does not give.
    """
    if code in HYPHENS:
        return "-"
    if code in NOTHING or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return ""
    if code in PRIVATE:
        return PRIVATE[code]
    character = chr(code)
    if code in LIGATURES or 0xFF01 <= code <= 0xFF5E or 0x1D400 <= code <= 0x1D7FF:
        return unicodedata.normalize("NFKC", character)
    return "\ufffd" if unicodedata.category(character) == "Cc" else character


def is_right_to_left(text: str) -> bool:
    """Whether most letters are Hebrew or Arabic."""
    if text.isascii() or not LEFTWARD.search(text):
        return False
    kinds = [unicodedata.bidirectional(c) for c in text]
    return sum(k in ("R", "AL") for k in kinds) > sum(k == "L" for k in kinds)
