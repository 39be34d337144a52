"""How plausible a text is in a language: by how often its letters follow each other there, in bits.

The table is made of texts in 38 languages by `benchmarks/extraction/charset_letters.py`.
"""

import base64
import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.float32]
UNITS = 1 << 16
UNKNOWN = 16.0  # bits of a letter that a language does not have
UNKNOWN_ASCII = 9.0
MIXED = 8.0  # of a letter of another script within a word
RAISED = 6.0  # of a capital letter behind a small one
PLACED_SIGN, USUAL_SIGN, OTHER_SIGN, NO_SIGN = 5.0, 10.0, 15.0, 24.0
SWITCH = 1.0  # of a word in English among others
# Of letters that the texts for the table lack, in the first level of the national standards and beyond.
COMMON, RARE = 13.0, 17.0
LEVELS = {"zh": ("gb2312", 0xB0, 0xD8), "zh-tw": ("big5", 0xA4, 0xC7), "ja": ("cp932", 0x81, 0x98)}
LEVELS |= {"ko": ("euc_kr", 0xB0, 0xC9)}
ASCII_LETTER = 5.0  # bits of one where letters are counted alone
ASTRAL = re.compile("[\U00010000-\U0010ffff]")
CONTROLS = np.array([code < 0x20 and chr(code) not in "\t\n\r\f" for code in range(0x80)])
SIGNS = "µªº"  # which Unicode counts as letters
WITHIN = "µ\u00a0\u00ad"
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
USUAL = frozenset(
    "¿¡µªº€£§°–—’‘“”„«»…·•\u00a0\u00ad²³¼½¾™®©№×÷±¢‹›†‡‰。、，．：；？！「」『』（）【】《》〈〉・ー～\u3000"
)
# Marks in their places: quotes around words, an apostrophe within one, dashes between words, numbers or blanks,
# fractions and signs of arithmetic among numbers, exponents and marks of brands behind words.
PLACED = re.compile(
    r"(?<![^\W_])[“‘„«](?=[^\W_])|(?<=[^\W_]|[.,;:!?…])[”’»](?![^\W_])|(?<=[^\W\d_])[’—](?=[^\W\d_])"
    r"|(?<!\S)[–—•](?!\S)|(?<=\d)–(?=\d)|(?<=[^\W_])…(?![^\W_])|(?<=\d)€(?![^\W_])"
    r"|(?<=\d)[°ªº]|(?<=\d )[°µ]|[¿¡](?=[^\W\d_])"
    r"|(?<![^\W_])[€£§±](?=\s?\d)|(?<=\d\s)[×÷±](?=\s\d)|(?<=\d)[×¢‰](?![^\W\d_])"
    r"|(?<![^\W\d_])[¼½¾](?![^\W_])|(?<=\b[mxr])[²³](?![^\W_])|(?<=\b[cdkm]m)[²³](?![^\W_])|(?<=[A-Za-z])[®™](?![^\W_])"
    r"|(?<!\S)©(?=\s?[\dA-Z])|(?<!\S)№(?=\s?\d)|(?<=l)·(?=l)"
    r"|(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])[。、，：；？！「」『』（）《》・ー]"
)


@dataclass(frozen=True, slots=True)
class _Language:
    places: npt.NDArray[np.uint8]  # [UNITS]: of a letter its row and column
    bits: Bits  # [n, n] of pairs; of single letters [UNITS]


class Letters:
    """A text ready to be measured in languages: words, of which those beyond ASCII count."""

    def __init__(self, text: str) -> None:
        kinds, small = _load_units()
        text = ASTRAL.sub("\ufffd", text)
        units = np.frombuffer(text.encode("utf-16-le", "replace"), np.uint16)
        self._low = small[units]
        letters = kinds[units] > 0
        before = np.concatenate(([False], letters[:-1]))
        self._letters, self._before = letters, np.concatenate(([0], self._low[:-1])) * before
        # A word and the blank behind it.
        self._words = np.cumsum(letters & ~before)
        beyond = np.bincount(self._words, weights=letters & (units > 0x7F)) > 0
        self._foreign = beyond
        self.count = int(np.count_nonzero(units > 0x7F))
        signs = int(np.count_nonzero(~letters & (units > 0x7F)))
        self._judged = signs + int(np.count_nonzero(letters & beyond[self._words]))
        last = np.concatenate(([0], kinds[units][:-1]))
        mixed = letters & before & (kinds[units] // 2 != last // 2)
        raised = letters & before & (last % 2 == 0) & (kinds[units] % 2 == 1) & (self._low != units)
        self._fixed = MIXED * np.count_nonzero(mixed) + RAISED * np.count_nonzero(raised)
        self._fixed += _measure_signs(
            text, np.flatnonzero(~letters & ((units > 0x7E) | CONTROLS[np.minimum(units, 0x7F)]))
        )

    def measure(self, languages: Sequence[str]) -> tuple[float, float, str]:
        """The bits that the text costs in the language that fits best, where words in ASCII may be English; those of a
        character in what is not ASCII; that language."""
        english = self._measure_words("en") + SWITCH
        best = (math.inf, math.inf, "")
        for language in languages:
            costs = self._measure_words(language)
            beyond = costs[self._foreign].sum() + self._fixed
            others = english if language in LEVELS else np.minimum(costs, english)
            total = beyond + others[~self._foreign].sum()
            best = min(best, (float(total), float(beyond) / max(1, self._judged), language))
        return best

    def measure_ascii(self, language: str) -> float:
        """The bits that the words in ASCII cost in a language."""
        return float(self._measure_words(language)[~self._foreign].sum())

    def _measure_words(self, language: str) -> Bits:
        known = _load_language(language)
        if known.bits.ndim == 1:
            bits = known.bits[self._low] * self._letters
        else:
            one, two = known.places[self._before], known.places[self._low] * self._letters
            bits = known.bits[one, two]
            unknown = self._letters & (two == 1)
            bits = np.where(unknown, np.where(self._low > 0x7F, UNKNOWN, UNKNOWN_ASCII), bits)
        return np.bincount(self._words, weights=bits).astype(np.float32)


def _measure_signs(text: str, places: npt.NDArray[np.intp]) -> float:
    """The bits of what stands at these places, which is no letter."""
    total = 0.0
    for at in places.tolist():
        sign = text[at]
        if sign in USUAL and PLACED.match(text, at):
            total += PLACED_SIGN
        elif sign in USUAL and (sign in WITHIN or not LATIN.match(text, at + 1)):
            total += USUAL_SIGN
        else:
            total += OTHER_SIGN if sign.isprintable() and sign != "\ufffd" else NO_SIGN
    return total


@cache
def _load_units() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
    """For each unit of UTF-16 twice its script, plus one for a capital letter (0: no letter), and its small letter."""
    kinds, small = np.zeros(UNITS, np.uint8), np.arange(UNITS, dtype=np.uint16)
    scripts: dict[str, int] = {}
    for unit in range(0x41, UNITS):
        sign = chr(unit)
        category = unicodedata.category(sign)
        if category[0] not in "LM" or sign in SIGNS:
            continue
        script = unicodedata.name(sign, "").partition(" ")[0]
        script = "CJK" if script in ("HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC") else script
        number = scripts.setdefault(script, min(len(scripts) + 1, 120))
        lower = sign.lower()
        kinds[unit] = 2 * number + (len(lower) == 1 and lower != sign)
        small[unit] = ord(lower[0]) if lower != sign else unit
    return kinds, small


@cache
def _load_table() -> dict[str, dict[str, str]]:
    table = json.loads(resources.files("ragstone.extraction").joinpath("letter_pairs.json").read_text("utf-8"))
    languages: dict[str, dict[str, str]] = table["languages"]
    return languages


@cache
def _load_language(language: str) -> _Language:
    said = _load_table()[language]
    raw: Bits = np.frombuffer(base64.b85decode(said["bits"]), np.uint8).astype(np.float32) / np.float32(8)
    letters = np.array([ord(letter) for letter in said["letters"]])
    if language in LEVELS:
        bits = _measure_levels(language)
        bits[letters] = raw
        return _Language(np.zeros(0, np.uint8), bits)
    places = np.zeros(UNITS, np.uint8)
    places[_load_units()[0] > 0] = 1
    places[letters] = np.arange(2, 2 + len(letters), dtype=np.uint8)
    pairs: Bits = raw.reshape(len(letters) + 2, -1)
    return _Language(places, pairs)


def _measure_levels(language: str) -> Bits:
    """The bits of each letter where only the level of the national standard is known."""
    charset, first, last = LEVELS[language]
    bits = np.full(UNITS, UNKNOWN + RARE - COMMON, np.float32)
    bits[:0x80] = ASCII_LETTER
    for unit in (*range(0x3040, 0x3100), *range(0x4E00, 0xA000), *range(0xAC00, 0xD7A4)):
        code = chr(unit).encode(charset, "ignore")
        bits[unit] = RARE if not code or not first <= code[0] < last else COMMON
    return bits
