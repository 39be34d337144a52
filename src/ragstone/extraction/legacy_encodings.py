"""Bytes of a text file without a mark to text: UTF-8, then the old encoding that fits best, with a warning."""

import codecs
import re
from collections.abc import Sequence
from typing import NamedTuple

from ragstone.core.errors import Refused
from ragstone.extraction.mixed_encodings import decode_mixed
from ragstone.extraction.unmarked_utf16 import find_utf16

SAMPLE = 4096  # bytes that are judged
LINES = 1 << 18  # bytes in which they are looked for
LONGER, BEST = 16, 4  # times of it, and encodings, between which that decides
# Bits of a character in words beyond ASCII: above this it is no text. Text costs 5 to 7, and 8 to 11 where letters are
# counted alone; arbitrary bytes cost 17.
MOST, MOST_SEVERAL = 10.5, 14.0
FEW = 20  # bytes beyond ASCII in a text that is read even then
ASCII = bytes(range(128))
WEST = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "is", "ca")
CENTRE = ("pl", "cs", "sk", "hu", "sl", "hr", "ro", "de")
EAST = ("ru", "uk", "bg", "sr", "be")
BALTIC = ("lt", "lv", "et")
LATIN = tuple(dict.fromkeys((*WEST, *CENTRE, *BALTIC, "tr")))
# Among ASCII words of Western Europe a foreign name is mostly in its charset: by these bits others are rarer.
WESTERN_WORDS, IN_WESTERN = 20, 5.0


class Charset(NamedTuple):
    """A charset under its name for readers, the languages that are written in it, and the bits by which it is rarer
    than the others."""

    label: str
    languages: tuple[str, ...]
    rarer: float = 0.0


class Fit(NamedTuple):
    """The bits that a sample costs in an encoding, those of a character in its words beyond ASCII, and the language."""

    total: float
    each: float
    language: str


# At a tie the one named first.
SINGLE: dict[str, Charset] = {
    "cp1252": Charset("Windows-1252", WEST),
    "cp1250": Charset("Windows-1250", CENTRE, 3.5),
    "cp1251": Charset("Windows-1251", EAST, 5),
    "koi8-r": Charset("KOI8-R", ("ru",), 6),
    "koi8-u": Charset("KOI8-U", ("uk",), 7),
    "cp1253": Charset("Windows-1253", ("el",), 6),
    "cp1254": Charset("Windows-1254", ("tr",), 3),
    "cp1255": Charset("Windows-1255", ("he",), 3),
    "cp1256": Charset("Windows-1256", ("ar", "fa"), 3),
    "cp1257": Charset("Windows-1257", BALTIC, 5),
    "cp874": Charset("Windows-874", ("th",), 5),
    "iso8859-15": Charset("ISO-8859-15", WEST, 6),
    "iso8859-2": Charset("ISO-8859-2", CENTRE, 5),
    "iso8859-5": Charset("ISO-8859-5", EAST, 6),
    "iso8859-7": Charset("ISO-8859-7", ("el",), 6),
    "iso8859-8": Charset("ISO-8859-8", ("he",), 6),
    "iso8859-6": Charset("ISO-8859-6", ("ar",), 6),
    "mac_roman": Charset("Mac Roman", WEST, 9),
    "cp850": Charset("DOS code page 850", WEST, 8.5),
    "cp437": Charset("DOS code page 437", WEST, 9.5),
    "cp852": Charset("DOS code page 852", CENTRE, 9.5),
    "cp866": Charset("DOS code page 866", EAST, 9),
    "mac_cyrillic": Charset("Mac Cyrillic", EAST, 10),
    "mac_latin2": Charset("Mac Central European", CENTRE, 11),
}
SEVERAL: dict[str, Charset] = {
    "cp932": Charset("Shift-JIS", ("ja",), 8),
    "euc_jp": Charset("EUC-JP", ("ja",), 10),
    "gb18030": Charset("GB 18030", ("zh",), 7),
    "big5": Charset("Big5", ("zh-tw",), 8),
    "cp950": Charset("Big5", ("zh-tw",), 8.5),
    "cp949": Charset("EUC-KR", ("ko",), 8),
}
CHARSETS = SINGLE | SEVERAL
ASCII_WORD = re.compile(rb"(?<![\x80-\xffA-Za-z])[A-Za-z]{2,}(?![\x80-\xffA-Za-z])")
CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def decode_unmarked(data: bytes, *, path: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file without a byte order mark, and a warning where the encoding was judged by the bytes.

    Raises `Refused` ("encoding") when nothing fits.
    """
    try:
        text = data.decode()
        if not CONTROL.search(data):
            return text, ()
    except UnicodeDecodeError:
        text = ""
    if wide := find_utf16(data):
        try:
            return data.decode(wide), ()
        except UnicodeDecodeError:
            pass
    if text:
        return text, ()
    if mixed := decode_mixed(data, _rank_single):
        return mixed[0], (_describe_mixed(*mixed[1:]),)
    for name in rank_charsets(data):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        return text, (f"read as {CHARSETS[name].label}, which its bytes fit best; save it as UTF-8 to be sure",)
    raise Refused("encoding", f"{path} is neither UTF-8 nor in an encoding that its bytes give away; save it as UTF-8")


def _describe_mixed(lines: int, name: str) -> str:
    if not lines:
        return "the file ends within a character: it was cut short"
    said = "1 line is" if lines == 1 else f"{lines:,} lines are"
    return f"{said} not UTF-8 as the others are, and read as {CHARSETS[name].label}; save the file as UTF-8 to be sure"


def _rank_single(sample: bytes) -> list[str]:
    """The encodings of one byte a character that fit, the best first."""
    return [name for name in rank_charsets(sample) if name in SINGLE]


def rank_charsets(data: bytes) -> list[str]:
    """Python's names of the encodings that bytes beyond ASCII fit, the best first: those in which the text is the most
    plausible in one of the encoding's languages."""
    sample = _take_sample(data, SAMPLE)
    measured = {name: fit for name in CHARSETS if (fit := _measure(name, sample, CHARSETS[name].languages)) is not None}
    found = {name: fit for name, fit in measured.items() if fit.each <= (MOST if name in SINGLE else MOST_SEVERAL)}
    if not found and len(sample.translate(None, ASCII)) <= FEW:  # a name may be rare in each language
        found = measured
    ranked = sorted(found, key=lambda name: found[name].total)
    if len(ranked) < 2:
        return ranked
    if len(sample) < SAMPLE:
        if ranked[0] in SINGLE and CHARSETS[ranked[0]].languages != WEST and _is_western(data[:SAMPLE]):
            ranked.sort(key=lambda name: found[name].total + _measure_in_western(name))
        return ranked
    # The best differ by single letters, which a longer sample holds.
    longer = _take_sample(data, SAMPLE * LONGER)
    again = {name: _measure(name, longer, (found[name].language,)) for name in ranked[:BEST]}
    best = sorted((fit.total, at) for at, name in enumerate(ranked[:BEST]) if (fit := again[name]) is not None)
    named = [ranked[at] for _, at in best]
    return [*named, *(name for name in ranked if name not in named)]


def _measure_in_western(name: str) -> float:
    """The bits by which an encoding is rarer among words of Western Europe."""
    return IN_WESTERN if name in SINGLE and CHARSETS[name].languages != WEST else 0.0


def _is_western(data: bytes) -> bool:
    """Whether the words in ASCII fit a language of Western Europe best of those in Latin letters."""
    from ragstone.extraction.letter_pairs import Letters

    words = ASCII_WORD.findall(data)
    if len(words) < WESTERN_WORDS:
        return False
    letters = Letters(b" ".join(words).decode("ascii"))
    costs = {language: letters.measure_ascii(language) for language in LATIN}
    return min(costs, key=lambda language: costs[language]) in WEST


def _take_sample(data: bytes, size: int) -> bytes:
    """Lines that are not ASCII, of which the first and the last may be cut."""
    first = re.search(rb"[\x80-\xff]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    if first and first.start() - start > SAMPLE // 8:
        start = first.start()
    taken = bytearray()
    for line in data[start : start + LINES].split(b"\n"):
        if not line.isascii():
            taken += line + b"\n"
            if len(taken) >= size:
                break
    return bytes(taken[:size])


def _measure(name: str, sample: bytes, languages: Sequence[str]) -> Fit | None:
    """How well the sample fits an encoding, in the one of these languages that fits best; None where it cannot be in
    the encoding."""
    from ragstone.extraction.letter_pairs import Letters  # its numbers are of no use to other files

    try:
        text = _decode_start(name, sample)
    except UnicodeDecodeError:
        return None
    total, each, language = Letters(text).measure(languages)
    return Fit(total + CHARSETS[name].rarer, each, language)


def _decode_start(name: str, sample: bytes) -> str:
    """The sample, which may end within a character."""
    return codecs.getincrementaldecoder(name)("replace" if name in SINGLE else "strict").decode(sample)
