"""Parts of mails and saved pages: headers, charsets and names, as their senders meant them."""

import base64
import binascii
import email
import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from email.errors import MessageError
from email.message import Message
from email.policy import Compat32

from ragstone.extraction.labelled_bytes import decode_bytes

FAULTS = (MessageError, RecursionError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What Python's email package raises on files that are none of its kind."""
# RFC 2047. The text within holds no question mark: what does not end costs no second look.
WORD = re.compile(r"=\?([\w.:-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?]{0,4000})\?=", re.IGNORECASE)
FOLDED = re.compile(r"\s+")
# The line before a part that names its type.
DIVIDER = re.compile(r'^--([^\s"\\](?:[^"\\\r\n]{0,68}[^\s"\\])?)[ \t]*\r?\n(?=[A-Za-z-]{2,40}:)', re.MULTILINE)


MAILS = ("message/rfc822", "message/global", "message/news")
FILES = ("application/octet-stream", "text/plain", "application/x-unknown")
CODED = ("base64", "quoted-printable")
LONGEST_NAME, LONGEST_ENDING = 200, 10  # characters


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


def find_forwarded(part: Message) -> Message | None:
    """The mail that a part holds, also where its sender packed it as a file; None for any other part, and for a file
    that is none."""
    with suppress(*FAULTS):
        return _unpack_forwarded(part)
    return None


def _unpack_forwarded(part: Message) -> Message | None:
    if part.get_content_type() in MAILS:
        parts = part.get_payload()
        inner = parts[0] if isinstance(parts, list) and parts else None
        if not isinstance(inner, Message):
            return None
        coded = str(part.get("Content-Transfer-Encoding") or "").strip().lower()
        if coded in CODED and not inner.keys() and isinstance(text := inner.get_payload(), str):
            packed = Message()
            packed["Content-Transfer-Encoding"] = coded
            packed.set_payload(text)
            return parse_message(decode_payload(packed))[0]
        return inner
    if part.get_content_type() in FILES and part_filename(part).lower().endswith(".eml"):
        return parse_message(decode_payload(part))[0]
    return None


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


def cut_name(name: str) -> str:
    """A name with at most 200 characters, among them its ending."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - LONGEST_ENDING] + name[-LONGEST_ENDING:]


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
