"""Bytes to text: byte order marks first, then UTF-8, then a declared or fitting encoding; a guess is warned of."""

import codecs
import re

from ragstone.core.errors import Refused
from ragstone.extraction.encoded_runs import leave_out_encoded
from ragstone.extraction.legacy_encodings import decode_unmarked, rank_charsets

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the mark of UTF-16 does: it comes first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARED = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w:.-]{1,40})|^\s*<\?xml[^>]{0,200}encoding=[\"']([\w.-]{1,40})", re.I
)
LOOKED_AT = 4096  # bytes; browsers look at 1,024, and pages are found that declare later
# Encodings of the web by their labels; Python knows more codecs than should be named by a document.
LABELS = re.compile(
    r"utf-?8|us-ascii|ascii|latin-?1|iso-?8859-?\d{1,2}|windows-?(?:125[0-8]|874)|cp125[0-8]|koi8-?[ru]|gbk|gb2312|gb18030|big5"
    r"|euc-?jp|iso-2022-jp|shift[_-]?jis|sjis|euc-?kr|ks_c_5601-1987|macintosh"
)
# What browsers read these as.
MEANT = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"}
MEANT |= {"gb2312": "gb18030", "gbk": "gb18030", "ks_c_5601-1987": "cp949", "macintosh": "mac-roman"}
SEVEN_BIT = ("iso-2022-jp",)


def encoding_from_bom(data: bytes) -> tuple[str, int] | None:
    """The encoding that a byte order mark names, and the mark's length."""
    return next(((name, len(bom)) for bom, name in BOMS if data.startswith(bom)), None)


def decode_text(data: bytes, *, path: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file without its byte order mark: the marked encoding, then UTF-8, then the old one that fits
    best, with a warning that names it. Data in base64 is left out, with a warning.

    Raises `Refused` ("encoding") when nothing fits.
    """
    text, warnings = _decode_bytes(data, path)
    if holes := text.count("\0"):  # no store keeps them
        text = text.replace("\0", "")
        warnings = (*warnings, f"{holes:,} NUL bytes were left out; the file may be damaged")
    kept, left_out = leave_out_encoded(text)
    return kept, (*warnings, *left_out)


def _decode_bytes(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    marked = encoding_from_bom(data)
    if marked is None:
        return decode_unmarked(data, path=path)
    encoding, skip = marked
    if encoding == "utf-8":
        while data.startswith(codecs.BOM_UTF8, skip):  # as programs write it that join files
            skip += len(codecs.BOM_UTF8)
        return decode_unmarked(data[skip:], path=path)
    try:
        return data[skip:].decode(encoding), ()
    except UnicodeDecodeError as error:
        raise Refused(
            "encoding", f"{path}: its mark says {encoding.upper()}, its bytes are something else; save it as UTF-8"
        ) from error


def decode_page(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a web page: byte order mark, then UTF-8 where all bytes are, then the declared charset, then
    the one that its letters fit best, then Windows-1252.

    UTF-8 comes before the declaration, other than in browsers: valid UTF-8 is nearly always meant as UTF-8, even if an
    old template declares another encoding. Only charsets that write in seven bits (ISO-2022-JP) are believed first.
    Bytes that the charset has no character for become U+FFFD, with a warning.
    """
    if marked := encoding_from_bom(data):
        text = data[marked[1] :].decode(marked[0], errors="replace")
        return text, ("some bytes are not what the byte order mark says",) if "\ufffd" in text else ()
    declared = _find_declared_encoding(data)
    if declared not in SEVEN_BIT:
        try:
            return data.decode("utf-8"), ()
        except UnicodeDecodeError:
            pass
    encoding = declared or next(iter(rank_charsets(data)), "cp1252")
    text = data.decode(encoding, errors="replace")
    return text, (f"some bytes are not {encoding}, which the page is read as",) if "\ufffd" in text else ()


def _find_declared_encoding(data: bytes) -> str | None:
    match = DECLARED.search(data[:LOOKED_AT])
    if match is None:
        return None
    label = (match[1] or match[2]).decode("ascii", errors="ignore").lower()
    if not LABELS.fullmatch(label):
        return None
    name = MEANT.get(label, label)
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None
