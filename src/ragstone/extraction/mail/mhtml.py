"""Saved web pages with all that belongs to them in one file (MHTML): the page is read, and the frames of its host."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.html.parse import Html
from ragstone.extraction.mail.mime import FAULTS, decode_header, decode_part_text, iterate_leaves, parse_message
from ragstone.extraction.record.builder import adopt_blocks, write_record
from ragstone.extraction.record.confidentiality import KEY

MEDIA_TYPE = "multipart/related"
PAGES = ("text/html", "application/xhtml+xml")
LONGEST = 2000  # characters of a header that are looked at
NAMED = 5  # frames in a warning
SHOWN = 200  # characters of an address in it


def parse_mhtml(data: bytes, *, path: str) -> Extraction:
    """The page of the file as `Html` reads it, frames of the same host behind it; `meta` says where and when it was
    saved. Frames of other hosts (mostly advertisements) are named in a warning.

    Raises `Refused`: broken (there is no page in it), empty (neither page nor frames show text).
    """
    try:
        message, warnings = parse_message(data)
        page, others = _find_pages(message)
        if page is None:
            raise Refused("broken", f"{path} holds no web page; save the page again")
        meta = _collect_meta(message, page)
        ours, foreign = _split_frames(page, others, meta.get("url", ""))
        read = [decode_part_text(one) for one in (page, *ours)]
    except FAULTS as error:
        raise Refused("broken", f"{path} is not a readable web page: {error}") from error
    found = _join_pages([said for said, _ in read], path=path)
    warnings = (*warnings, *(warning for _, more in read for warning in more), *found.warnings, *_warn_frames(foreign))
    whole = {**meta, **found.meta}
    return replace(found, media_type=MEDIA_TYPE, meta=whole, warnings=tuple(dict.fromkeys(warnings)))


def _find_pages(message: Message) -> tuple[Message | None, list[Message]]:
    """The part that is the page (the one that the file names, else the first), and the other pages."""
    pages = [part for part in iterate_leaves(message) if part.get_content_type() in PAGES]
    start = message.get_param("start")
    named = (part for part in pages if isinstance(start, str) and part.get("Content-ID") == start)
    page = next(named, pages[0] if pages else None)
    return page, [part for part in pages if part is not page]


def _split_frames(page: Message, others: list[Message], address: str) -> tuple[list[Message], list[str]]:
    """The frames of the page's own host, or of none; the addresses of the others."""
    host = _host(address) or _host(_read_location(page))
    ours: list[Message] = []
    foreign: list[str] = []
    for one in others:
        place = _read_location(one)
        if _host(place) in ("", host):
            ours.append(one)
        else:
            foreign.append(place)
    return ours, foreign


def _join_pages(pages: list[str], *, path: str) -> Extraction:
    """The pages one behind another; what shows no text is passed over while another does."""
    found: list[Extraction] = []
    fault: Refused | None = None
    for page in pages:
        try:
            found.append(Html().extract(page.encode(errors="replace"), path=path))
        except Refused as error:
            fault = fault or error
    if not found:
        raise fault or Refused("empty", f"{path} shows no text")
    if len(found) == 1:
        return found[0]
    record, blocks = write_record(draft for one in found for draft in adopt_blocks(one))
    warnings = tuple(warning for one in found for warning in one.warnings)
    levels = [one.meta[KEY] for one in found if KEY in one.meta]
    meta = {**found[0].meta, KEY: levels} if levels else found[0].meta
    return replace(found[0], record=record, blocks=blocks, meta=meta, warnings=warnings)


def _warn_frames(foreign: list[str]) -> tuple[str, ...]:
    if not foreign:
        return ()
    more = f" and {len(foreign) - NAMED:,} more" if len(foreign) > NAMED else ""
    names = ", ".join(address[:SHOWN] for address in foreign[:NAMED])
    return (f"frames from other places were not read: {names}{more}",)


def _read_location(part: Message) -> str:
    return decode_header(str(part.get("Content-Location") or "")[:LONGEST])


def _host(address: str) -> str:
    with suppress(ValueError):
        return urlsplit(address).netloc.lower().removeprefix("www.")
    return ""


def _collect_meta(message: Message, page: Message) -> dict[str, str]:
    meta: dict[str, str] = {}
    address = decode_header(str(message.get("Snapshot-Content-Location") or "")[:LONGEST]) or _read_location(page)
    if address:
        meta["url"] = address
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        date = parsedate_to_datetime(str(message.get("Date") or "")[:LONGEST])
        meta["date"] = (date if date.tzinfo else date.replace(tzinfo=UTC)).isoformat()
    return meta
