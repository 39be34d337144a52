"""Saved web pages with all that belongs to them in one file (MHTML): the page is read, what came with it is not."""

import email
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from email.errors import MessageError
from email.message import Message
from email.utils import parsedate_to_datetime

from ragstone.errors import Refused
from ragstone.extract.html import Html
from ragstone.types import Extraction

MEDIA_TYPE = "multipart/related"
RECIPE = "mhtml-1"
PAGES = ("text/html", "application/xhtml+xml")
LONGEST = 2000  # characters of a header that are looked at
FAULTS = (MessageError, RecursionError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What Python's email package raises on files that are none of its kind."""


def parse(data: bytes, *, path: str) -> Extraction:
    """The page of the file as `Html` reads it; `meta` says where and when it was saved.

    Raises `Refused`: broken (there is no page in it), empty (the page shows no text).
    """
    try:
        message = email.message_from_bytes(data)
        page = _page(message)
        if page is None:
            raise Refused("broken", f"{path} holds no web page; save the page again")
        text = _text(page)
        meta = _meta(message, page)
    except FAULTS as error:
        raise Refused("broken", f"{path} is no saved web page that can be read: {error}") from error
    found = Html().extract(text.encode(errors="replace"), path=path)
    return replace(found, media_type=MEDIA_TYPE, meta={**meta, **found.meta})


def _page(message: Message) -> Message | None:
    """The part that is the page: the one that the file names, else the first."""
    pages = [part for part in _leaves(message) if part.get_content_type() in PAGES]
    start = message.get_param("start")
    named = (part for part in pages if isinstance(start, str) and part.get("Content-ID") == start)
    return next(named, pages[0] if pages else None)


def _leaves(message: Message) -> Iterator[Message]:
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop()
        inside = part.get_payload()
        if isinstance(inside, list):
            waiting.extend(one for one in reversed(inside) if isinstance(one, Message))
        else:
            yield part


def _text(page: Message) -> str:
    payload = page.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    for encoding in ("utf-8", page.get_content_charset() or "cp1252"):
        with suppress(ValueError, LookupError):
            return data.decode(encoding)
    return data.decode("cp1252", errors="replace")


def _meta(message: Message, page: Message) -> dict[str, str]:
    meta: dict[str, str] = {}
    address = message.get("Snapshot-Content-Location") or page.get("Content-Location")
    if address:
        meta["url"] = str(address)[:LONGEST].strip()
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        date = parsedate_to_datetime(str(message.get("Date") or "")[:LONGEST])
        meta["date"] = (date if date.tzinfo else date.replace(tzinfo=UTC)).isoformat()
    return meta
