"""Bytes with the label of a charset, as parts of mails and values of cards have them, to text."""

import codecs
import re

from ragstone.extraction.decoding import LABELS, MEANT
from ragstone.extraction.legacy_encodings import rank_charsets

# Charsets that only mails have, beside those of the web.
OF_MAIL = re.compile(
    r"utf-?7|iso-2022-kr|hz-gb-2312|iso_8859-\d{1,2}|tis-620|cp(?:437|85[0-9]|866|874|932|936|949|950)"
)
ONE_BYTE = re.compile(r"iso8859-|cp125|cp437|cp85|cp866|cp874|koi8|mac|ascii|tis")  # in Python's own names
HALF = re.compile("[\ud800-\udfff]")  # of a character of two: UTF-7 may hold one alone, which no text can


def decode_bytes(data: bytes, label: str | None) -> str:
    """Bytes in the charset that they are labelled with, else in UTF-8, else in the one that their letters fit best.

    UTF-8 comes first where the label is of a charset with one byte a letter: in it everything is valid, and
    what happens to be valid UTF-8 is nearly always meant as it. Labels that name no charset are passed over.
    """
    codec = _find_codec(label)
    tried = ("utf-8", codec) if codec is None or ONE_BYTE.match(codec) else (codec, "utf-8")
    for name in tried:
        try:
            return HALF.sub("\ufffd", data.decode(name or "utf-8"))
        except ValueError:
            continue
    codec = codec or next(iter(rank_charsets(data)), "cp1252")
    return HALF.sub("\ufffd", data.decode(codec, errors="replace"))


def _find_codec(label: str | None) -> str | None:
    """Python's name of a charset; None for what is none, as `unicode_escape` or `zlib`."""
    name = (label or "").strip().lower()
    if not LABELS.fullmatch(name) and not OF_MAIL.fullmatch(name):
        return None
    try:
        return codecs.lookup(MEANT.get(name, name)).name
    except LookupError:
        return None
