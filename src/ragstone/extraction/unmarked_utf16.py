"""UTF-16 without a byte order mark: known by its letters, which must be those of a language."""

import re
import unicodedata

SAMPLE = 4096  # bytes that are judged
LOOKED_AT = 1 << 16  # bytes in which zeros are counted
MOST = 12.0  # bits of a character: Chinese has about 10, arbitrary bytes 16
CONTROLS = 0.1  # of all characters, at most: a log has codes for colours
CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
LANGUAGES = ("en", "ru", "uk", "bg", "el", "he", "ar", "th", "pl", "tr", "zh", "zh-tw", "ja", "ko")
NAMES = ("utf-16-le", "utf-16-be")


def find_utf16(data: bytes) -> str | None:
    """The codec of UTF-16 without a mark; None for anything else.

    Western text has a zero in every second byte, and in no other. Of other text the characters are looked at.
    """
    even, odd = data[:LOOKED_AT:2].count(0), data[1:LOOKED_AT:2].count(0)
    if not min(even, odd) and max(even, odd) * 5 >= min(len(data), LOOKED_AT) and max(even, odd) > 1:
        name = "utf-16-be" if even else "utf-16-le"
        text = data[: len(data[:SAMPLE]) // 2 * 2].decode(name, "replace")
        return name if len(CONTROL.findall(text)) <= CONTROLS * len(text) else None
    costs = {name: bits for name in NAMES if (bits := _measure(data, name)) is not None}
    best = min(costs, key=lambda name: costs[name], default=None)
    return best if best is not None and costs[best] <= MOST else None


def _measure(data: bytes, name: str) -> float | None:
    """The bits that a character costs in the language that fits best; None for what is no text in this codec."""
    from ragstone.extraction.letter_pairs import Letters

    try:
        text = data[: min(SAMPLE, len(data)) // 2 * 2].decode(name)
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        text = data[: error.start].decode(name)
    if len(text) < 2 or CONTROL.search(text) or any(unicodedata.category(sign) in ("Cn", "Co") for sign in set(text)):
        return None
    letters = Letters(text)
    return letters.measure(LANGUAGES)[1] if letters.count else None
