"""Parts of mails and saved pages: headers, charsets and names, as their senders meant them."""

import base64
import binascii
import codecs
import email
import quopri
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.message import Message
from email.policy import Compat32

from ragstone.extraction.decoding import LABELS, MEANT

FAULTS = (MessageError, RecursionError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What Python's email package raises on files that are none of its kind."""
# Charsets that only mails have, beside those of the web.
OF_MAIL = re.compile(
    r"utf-?7|iso-2022-kr|hz-gb-2312|iso_8859-\d{1,2}|tis-620|cp(?:437|85[0-9]|866|874|932|936|949|950)"
)
ONE_BYTE = re.compile(r"iso8859-|cp125|cp437|cp85|cp866|cp874|koi8|mac|ascii|tis")  # in Python's own names
# RFC 2047. The text within holds no question mark: what does not end costs no second look.
WORD = re.compile(r"=\?([\w.:-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?]{0,4000})\?=", re.IGNORECASE)
FOLDED = re.compile(r"\s+")
HALF = re.compile("[\ud800-\udfff]")  # of a character of two: UTF-7 may hold one alone, which no text can
# The line before a part that names its type.
DIVIDER = re.compile(r'^--([^\s"\\](?:[^"\\\r\n]{0,68}[^\s"\\])?)[ \t]*\r?\n(?=[A-Za-z-]{2,40}:)', re.MULTILINE)


class _AsSent(Compat32):
    """Headers as they were sent: bytes beyond ASCII stay what they are (as surrogates), for `decode_header` to
    decode."""

    def header_fetch_parse(self, name: str, value: str) -> str:  # noqa: ARG002 - as the base class calls it
        return value


AS_SENT = _AsSent()


def parse_message(data: bytes) -> tuple[Message, tuple[str, ...]]:
    """The message, with a warning where its parts had to be found by what divides them. Raises as `FAULTS` says."""
    message = email.message_from_bytes(data, policy=AS_SENT)
    text = message.get_payload()
    if message.get_content_maintype() != "multipart" or not isinstance(text, str):
        return message, ()
    divider = DIVIDER.search(text)
    if divider is not None:
        head = f'Content-Type: multipart/mixed; boundary="{divider[1]}"\n\n'
        parts = email.message_from_bytes((head + text).encode("ascii", "surrogateescape"), policy=AS_SENT)
        message.set_payload(parts.get_payload())
    return message, ("the message marks its parts wrongly; they were read as they are",)


def subparts(part: Message) -> list[Message] | None:
    """The parts of a multipart in order; None for one that is read or left out as a whole."""
    parts = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(parts, list):
        return None
    return [one for one in parts if isinstance(one, Message)]


def iterate_leaves(message: Message) -> Iterator[Message]:
    """The parts that hold something, in order; a mail within the mail is one."""
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop()
        parts = subparts(part)
        if parts is None:
            yield part
        else:
            waiting.extend(reversed(parts))


def part_type(part: Message) -> str:
    """The media type of a leaf; plain text for a multipart whose parts were not found."""
    return "text/plain" if part.get_content_maintype() == "multipart" else part.get_content_type()


def decode_payload(part: Message) -> bytes:
    """The content of a leaf, with its transfer encoding decoded."""
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def decode_part_text(part: Message) -> tuple[str, tuple[str, ...]]:
    """The text of a leaf, with a warning if its charset does not fit."""
    found = decode_bytes(decode_payload(part), part.get_content_charset())
    warnings = ("some bytes are not in the charset of their part",) if "\ufffd" in found else ()
    return found.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""), warnings


def decode_bytes(data: bytes, label: str | None) -> str:
    """Bytes in the charset that they are labelled with, else in UTF-8, else in Windows-1252.

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
    return HALF.sub("\ufffd", data.decode(codec or "cp1252", errors="replace"))


def _find_codec(label: str | None) -> str | None:
    """Python's name of a charset; None for what is none, as `unicode_escape` or `zlib`."""
    name = (label or "").strip().lower()
    if not LABELS.fullmatch(name) and not OF_MAIL.fullmatch(name):
        return None
    try:
        return codecs.lookup(MEANT.get(name, name)).name
    except LookupError:
        return None


def decode_header(raw: str) -> str:
    """A header on one line, its encoded words and bytes decoded."""
    raw = FOLDED.sub(" ", raw)
    out: list[str] = []
    data, charset, at = b"", "", 0
    for word in WORD.finditer(raw):
        between = raw[at : word.start()]
        # A letter may be parted between two words: they are decoded together, and the space between is none.
        if between.strip() or word[1].lower() != charset:
            out += (decode_bytes(data, charset), _decode_plain(between if between.strip() or not at else ""))
            data, charset = b"", word[1].lower()
        data, at = data + _decode_word(word), word.end()
    return FOLDED.sub(
        " ", "".join((*out, decode_bytes(data, charset), _decode_plain(raw[at:]))).replace("\0", "")
    ).strip()


def _decode_plain(raw: str) -> str:
    """What stands outside of encoded words; other mailers put bytes there."""
    return decode_bytes(raw.encode("utf-8", "surrogateescape"), None)


def _decode_word(word: re.Match[str]) -> bytes:
    """What an encoded word stands for; the word itself where it is damaged."""
    inner = word[3].encode("utf-8", "surrogateescape")
    if word[2] in "qQ":
        return quopri.decodestring(inner, header=True)
    try:
        return base64.b64decode(inner + b"=" * (-len(inner) % 4))
    except binascii.Error:
        return word[0].encode("utf-8", "surrogateescape")


def part_filename(part: Message) -> str:
    """The name that a part would be saved under, "" for none."""
    for parameter, name in (("filename", "content-disposition"), ("name", "content-type")):
        found = part.get_param(parameter, None, name)
        if isinstance(found, tuple):
            charset, _, raw = found
            found = decode_bytes(raw.encode("raw_unicode_escape", "surrogateescape"), charset)
        if found:
            return decode_header(found)
    return ""
