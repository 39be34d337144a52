"""Mails to a text of record: who, when and about what, then the message; attachments are named, not read."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Json
from ragstone.extraction.mail.body import PartContent, attachment_name, read_body
from ragstone.extraction.mail.mime import FAULTS, decode_header, iterate_leaves, parse_message
from ragstone.extraction.record.builder import BlockDraft, write_record

MEDIA_TYPE = "message/rfc822"
SHOWN = ("From", "To", "Cc", "Date")
LONGEST = 2000  # characters of a header that are read
PEOPLE = 200_000  # the same where all receivers are named: some thousand
NAMED = 20  # parts in a warning


def parse_eml(data: bytes, *, path: str) -> Extraction:
    """The subject as heading, the other headers below it, then the message: its parts in order, of a text and a page
    that say the same the text.

    Raises `Refused`: broken (no mail), empty (no text in it), unsupported (no part of it is read).
    """
    try:
        message, warnings = parse_message(data)
        return _build_extraction(message, path, warnings)
    except FAULTS as error:
        raise Refused("broken", f"{path} is not a readable mail: {error}") from error


def _build_extraction(message: Message, path: str, warnings: tuple[str, ...]) -> Extraction:
    headers = {name: text for name in ("Subject", *SHOWN) if (text := _read_header(message, name))}
    if not headers:
        raise Refused("broken", f"{path} is not a mail: it has neither sender nor subject nor date")
    said = read_body(message, path=path)
    names = [name for part in iterate_leaves(message) if (name := attachment_name(part, whole=part is message))]
    if not said.drafts and said.unread:
        raise Refused(
            "unsupported", f"{path} holds no text that is read, only {_format_names(said.unread)}; save it as PDF"
        )
    if not said.drafts and "Subject" not in headers:
        raise Refused("empty", f"{path} holds no text")
    about = "\n".join(f"{name}: {headers[name]}" for name in SHOWN if name in headers)
    drafts = [BlockDraft("heading", headers.get("Subject", ""), level=1), BlockDraft("paragraph", about), *said.drafts]
    record, blocks = write_record(drafts)
    warned = tuple(dict.fromkeys((*warnings, *_list_warnings(message, said, names))))
    return Extraction(
        record, blocks, MEDIA_TYPE, headers.get("Subject"), _collect_meta(message, headers, names), warned
    )


def _list_warnings(message: Message, said: PartContent, names: Sequence[str]) -> Iterator[str]:
    yield from said.warnings
    for name in ("Subject", *SHOWN):
        if len(_raw_header(message, name)) > _header_limit(name):
            yield f"{name} was cut at {_header_limit(name):,} characters"
    if names:
        yield f"attachments were not read: {_format_names(names)}"
    if said.unread:
        yield f"parts were not read: {_format_names(list(dict.fromkeys(said.unread)))}"


def _format_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _raw_header(message: Message, name: str) -> str:
    return str(message.get(name) or "")


def _read_header(message: Message, name: str) -> str:
    """A header as text on one line."""
    return decode_header(_raw_header(message, name)[: _header_limit(name)])


def _header_limit(name: str) -> int:
    return PEOPLE if name in ("To", "Cc") else LONGEST


def _collect_meta(message: Message, headers: dict[str, str], names: list[str]) -> Json:
    meta: Json = {}
    if "From" in headers:
        meta["author"] = headers["From"]
    for name in ("To", "Cc"):
        if people := _parse_addresses(_raw_header(message, name)[:PEOPLE]):
            meta[name.lower()] = people
    with suppress(TypeError, ValueError, LookupError, OverflowError):
        meta["date"] = parsedate_to_datetime(_read_header(message, "Date")).isoformat()
    if identity := _read_header(message, "Message-ID"):
        meta["message_id"] = identity
    if names:
        meta["attachments"] = names
    return meta


def _parse_addresses(raw: str) -> list[str]:
    """The addresses in a header. As it was sent: a comma within an encoded name parts nobody."""
    with suppress(*FAULTS):
        return [decode_header(address) for _, address in getaddresses([raw]) if address]
    return []
