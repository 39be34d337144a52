"""Bytes of a text file without a mark to text: UTF-8, then the old encoding that fits best, with a warning."""

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from ragstone.core.errors import Refused
from ragstone.extraction.mixed_encodings import decode_mixed

SAMPLE = 1 << 16  # bytes that are judged
LEAST = 0.3  # of the best score of 1: below this it is no text
ACCENTED = 0.6  # of the letters of a Latin word at most
# Lead bytes of the characters of everyday use (the first level of each national standard, kana, hangul), and
# the least second byte of these. At a tie the first: kana give Japanese away, hangul have the fewest leads.
USUAL: dict[str, tuple[tuple[range, ...], int]] = {
    "cp932": ((range(0x82, 0x84), range(0x88, 0x98)), 0x40),
    "euc_jp": ((range(0xA4, 0xA6), range(0xB0, 0xD0)), 0xA1),
    "cp949": ((range(0xB0, 0xC9),), 0xA1),
    "gb18030": ((range(0xB0, 0xD8),), 0xA1),
    "big5": ((range(0xA4, 0xC7),), 0x40),
}
KANA = range(0xA4, 0xA6)  # lead bytes in EUC-JP
WITHOUT_KANA = 0.6
PAIR = {
    "cp932": re.compile(rb"([\x81-\x9f\xe0-\xfc])([\x40-\x7e\x80-\xfc])|[\xa1-\xdf]|[\0-\x7f]+"),
    **dict.fromkeys(
        ("euc_jp", "cp949", "gb18030", "big5"), re.compile(rb"([\x81-\xfe])([\x30-\x7e\x80-\xfe])|[\0-\x7f]+")
    ),
}
CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
WORD = re.compile(r"[^\W\d_]+|[^\x00-\x7f]")
PUNCTUATION = frozenset("€£§°–—’‘“”„«»…·•\u00a0²³½™®©×±")
# Marks in their places: quotes around words, an apostrophe within one, dashes between words, numbers or blanks.
PLACED = re.compile(
    r"(?<![^\W_])[“‘„«](?=[^\W_])|(?<=[^\W_]|[.,;:!?…])[”’»](?![^\W_])|(?<=[^\W\d_])[’—](?=[^\W\d_])"
    r"|(?<!\S)[–—•](?!\S)|(?<=\d)–(?=\d)|(?<=[^\W_])…(?![^\W_])"
)
LATE = ("mac_roman", "cp850")  # their letters are the quotes and dashes of Windows-1252, which is far more frequent
RARE = 0.75
SINGLE = ("cp1252", "cp1250", "cp1251", "koi8-r", "cp1253", *LATE)
NAMES = {
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "koi8-r": "KOI8-R",
    "cp1253": "Windows-1253",
    "mac_roman": "Mac Roman",
    "cp850": "DOS code page 850",
}


def decode_unmarked(data: bytes, *, path: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file without a byte order mark, and a warning where the encoding was judged by the bytes.

    Raises `Refused` ("encoding") when nothing fits.
    """
    try:
        return data.decode(_detect_utf16(data) or "utf-8"), ()
    except UnicodeDecodeError:
        pass
    if mixed := decode_mixed(data, _rank_single):
        return mixed[0], (_describe_mixed(*mixed[1:]),)
    for name in _rank_encodings(_take_sample(data)):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        return text, (f"read as {NAMES[name]}, which its bytes fit best; save it as UTF-8 to be sure",)
    raise Refused("encoding", f"{path} is neither UTF-8 nor in an encoding that its bytes give away; save it as UTF-8")


def _describe_mixed(lines: int, name: str) -> str:
    if not lines:
        return "the file ends within a character: it was cut short"
    said = "1 line is" if lines == 1 else f"{lines:,} lines are"
    return f"{said} not UTF-8 as the others are, and read as {NAMES[name]}; save the file as UTF-8 to be sure"


def _rank_single(sample: bytes) -> list[str]:
    """The encodings of one byte a character that fit, the best first."""
    return [name for name in _rank_encodings(sample) if name in SINGLE]


def _detect_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: a zero in every second byte of Western text, and in no other."""
    even, odd = data[:SAMPLE:2].count(0), data[1:SAMPLE:2].count(0)
    if min(even, odd) or max(even, odd) * 5 < min(len(data), SAMPLE):
        return None
    return "utf-16-be" if even else "utf-16-le"


def _take_sample(data: bytes) -> bytes:
    """Whole lines around the first bytes that are not ASCII."""
    first = re.search(rb"[\x80-\xff]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    start = max(start, (first.start() if first else 0) - SAMPLE // 2)
    sample = data[start : start + SAMPLE]
    end = sample.rfind(b"\n")
    return sample[: end + 1] if end > 0 else sample


def _rank_encodings(sample: bytes) -> list[str]:
    """The encodings that fit, the best first; at a tie the one named first."""
    judges: list[tuple[str, Callable[[bytes], float]]] = [(name, partial(_score_pairs, name)) for name in USUAL]
    # Control characters are half of letters in UTF-16, which nearly any byte is one of the late encodings for.
    single = [name for name in SINGLE if name not in LATE or not CONTROL.search(sample)]
    judges += [(name, partial(_score_letters, name)) for name in single]
    scores = {name: judge(sample) for name, judge in judges}
    return [name for name in sorted(scores, key=lambda name: -scores[name]) if scores[name] >= LEAST]


def _score_pairs(name: str, sample: bytes) -> float:
    """The share of characters of two bytes that are of everyday use; 0 where a byte fits nothing."""
    try:
        # A line end is no half of a character in any of these, so the sample ends between characters.
        sample.decode(name)
    except UnicodeDecodeError:
        return 0.0
    leads, least = USUAL[name]
    usual = others = kana = 0
    behind_letter = False
    for match in PAIR[name].finditer(sample):
        if match[1] is not None:
            lead = match[1][0]
            found = match[2][0] >= least and any(lead in some for some in leads)
            # Between two Latin letters it is rather an accented letter of another encoding.
            after = sample[match.end() : match.end() + 1] if match[2][0] > 0x7F else match[2]
            found = found and not (behind_letter and after.isalpha())
            usual, others, kana = usual + found, others + (not found), kana + (lead in KANA)
        elif match[0][0] > 0x7F:
            others += 1
        behind_letter = match[0][-1] < 0x80 and match[1] is None and match[0][-1:].isalpha()
    share = usual / (usual + others) if usual else 0.0
    return share * WITHOUT_KANA if name == "euc_jp" and not kana else share


def _score_letters(name: str, sample: bytes) -> float:
    """How much the characters beyond ASCII look like letters inside words of one script, from -1 to 1."""
    text = sample.decode(name, errors="replace")
    total = score = 0.0
    for match in WORD.finditer(text):
        word = match[0]
        foreign = sum(c > "\x7f" for c in word)
        if foreign:
            total += foreign
            is_placed = not word[0].isalpha() and PLACED.match(text, match.start())
            score += foreign * (0.9 if is_placed else _score_word(word))
    return (RARE if name in LATE else 1.0) * score / total if total else 0.0


def _score_word(word: str) -> float:
    """
    >>> (_score_word("café"), _score_word("Привет"), _score_word("Ïðèâåò"), _score_word("оЛЬГА"),
    ...  _score_word("…"), _score_word("¤"), _score_word("à"))
    (0.9, 0.95, -0.5, -0.5, 0.35, -0.5, 0.32)
    """
    if not word[0].isalpha():
        return 0.35 if word in PUNCTUATION else -0.5 if word.isprintable() and word != "\ufffd" else -1.0
    if len(word) == 1:  # it may be a sign of another encoding
        return 0.32
    latin = [c < "\x7f" or "LATIN" in unicodedata.name(c, "") for c in word]
    if (any(latin) and not all(latin)) or any(a.islower() and b.isupper() for a, b in pairwise(word)):
        return -0.5
    if not all(latin):
        return 0.95
    return 0.9 if sum(c > "\x7f" for c in word) <= max(1, ACCENTED * len(word)) else -0.5
