"""Mails to a text of record: who, when and about what, then the message; attachments are named, not read."""

import email
import re
from collections.abc import Iterator
from contextlib import suppress
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from ragstone.errors import Refused
from ragstone.extract.docx.record import Draft, adopted, written
from ragstone.extract.html import Html
from ragstone.extract.text import Text
from ragstone.types import Extraction, Json

MEDIA_TYPE = "message/rfc822"
RECIPE = "eml-1"
SHOWN = ("From", "To", "Cc", "Date")
LONGEST = 2000  # characters of a header that are looked at
FAULTS = (MessageError, RecursionError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What Python's email package raises on mails that are none."""
FOLDED = re.compile(r"\s+")


def parse(data: bytes, *, path: str) -> Extraction:
    """The subject as heading, the other headers below it, then the plain text, else the page, of the message.

    Raises `Refused`: broken (no mail), empty (no text in it).
    """
    try:
        return _extraction(email.message_from_bytes(data), path)
    except FAULTS as error:
        raise Refused("broken", f"{path} is no mail that can be read: {error}") from error


def _extraction(message: Message, path: str) -> Extraction:
    parts = list(_leaves(message))
    headers = {name: text for name in ("Subject", *SHOWN) if (text := _header(message, name))}
    if not headers:
        raise Refused("broken", f"{path} is no mail: it has neither sender nor subject nor date")
    body, warnings = _body(parts, path)
    if not body and "Subject" not in headers:
        raise Refused("empty", f"{path} holds no text")
    attached = [name for part in parts if (name := _attached(part))]
    if attached:
        warnings = (*warnings, f"attachments were not read: {', '.join(attached[:20])}")
    about = "\n".join(f"{name}: {headers[name]}" for name in SHOWN if name in headers)
    record, blocks = written([Draft("heading", headers.get("Subject", ""), level=1), Draft("paragraph", about), *body])
    return Extraction(record, blocks, MEDIA_TYPE, headers.get("Subject"), _meta(message, headers, attached), warnings)


def _leaves(message: Message) -> Iterator[Message]:
    """The parts that hold something, in order; a mail within the mail counts as an attachment."""
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop()
        inside = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inside, list):
            waiting.extend(one for one in reversed(inside) if isinstance(one, Message))
        else:
            yield part


def _body(parts: list[Message], path: str) -> tuple[list[Draft], tuple[str, ...]]:
    """The blocks of the message: of its plain texts, of its pages where there are none."""
    for kind, read in (("text/plain", Text().extract), ("text/html", Html().extract)):
        drafts: list[Draft] = []
        warnings: list[str] = []
        for part in parts:
            if part.get_content_type() != kind or _attached(part):
                continue
            try:
                extraction = read(_text(part).encode(errors="replace"), path=path)
            except Refused:
                continue
            drafts += adopted(extraction)
            warnings += extraction.warnings
        if drafts:
            return drafts, tuple(dict.fromkeys(warnings))
    return [], ()


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    for encoding in (part.get_content_charset() or "utf-8", "utf-8"):
        try:
            return _clean(data.decode(encoding))
        except (ValueError, LookupError):
            continue
    return _clean(data.decode("cp1252", errors="replace"))


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _header(message: Message, name: str) -> str:
    """A header as text on one line; words in other alphabets decoded."""
    raw = str(message.get(name) or "")[:LONGEST]
    try:
        pieces = decode_header(FOLDED.sub(" ", raw))
    except (MessageError, ValueError):
        return FOLDED.sub(" ", raw).strip()
    out = ""
    for piece, encoding in pieces:
        if isinstance(piece, str):
            out += piece
            continue
        try:
            out += piece.decode(encoding or "utf-8", errors="replace")
        except (LookupError, ValueError):
            out += piece.decode("cp1252", errors="replace")
    return FOLDED.sub(" ", out.replace("\0", "")).strip()


def _attached(part: Message) -> str:
    """The name of an attachment; "" for a part that is the message itself."""
    name = part.get_filename()
    if name:
        return FOLDED.sub(" ", name)[:200]
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() == "message":
        return part.get_content_type()
    return ""


def _meta(message: Message, headers: dict[str, str], attached: list[str]) -> Json:
    meta: Json = {}
    if "From" in headers:
        meta["author"] = headers["From"]
    for name in ("To", "Cc"):
        people = [address for _, address in getaddresses([headers.get(name, "")]) if address]
        if people:
            meta[name.lower()] = people
    with suppress(TypeError, ValueError, LookupError, OverflowError):
        meta["date"] = parsedate_to_datetime(_header(message, "Date")).isoformat()
    if identity := _header(message, "Message-ID"):
        meta["message_id"] = identity
    if attached:
        meta["attachments"] = attached
    return meta
