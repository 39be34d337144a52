"""Mails to a text of record: who, when and about what, then the message; attachments are named, not read."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Mail:
    """A message as it is read: its headers by name, what it says, and the names of its attachments."""

    message: Message
    headers: dict[str, str]
    content: PartContent
    attachments: list[str]

    def format_headers(self) -> str:
        """Who, to whom and when, a line each."""
        return "\n".join(f"{name}: {self.headers[name]}" for name in SHOWN if name in self.headers)

    def list_warnings(self) -> Iterator[str]:
        """The warnings of its parts and headers; attachments have their own."""
        yield from self.content.warnings
        for name in ("Subject", *SHOWN):
            if len(_raw_header(self.message, name)) > _header_limit(name):
                yield f"{name} was cut at {_header_limit(name):,} characters"
        if unread := list(dict.fromkeys(self.content.unread)):
            yield f"parts were not read: {format_names(unread, len(unread))}"


def read_mail(message: Message, *, path: str) -> Mail:
    """Raises `Refused` (broken) for what has neither sender nor subject nor date."""
    headers = {name: text for name in ("Subject", *SHOWN) if (text := _read_header(message, name))}
    if not headers:
        raise Refused("broken", f"{path} is not a mail: it has neither sender nor subject nor date")
    content = read_body(message, path=path)
    names = [name for part in iterate_leaves(message) if (name := attachment_name(part, whole=part is message))]
    return Mail(message, headers, content, names)


def warn_attachments(names: Sequence[str], count: int) -> str:
    """The sentence that names the first of `count` attachments."""
    return f"attachments were not read: {format_names(names, count)}"


def format_names(names: Sequence[str], count: int) -> str:
    """The first names of `count`."""
    more = f" and {count - NAMED:,} more" if count > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _build_extraction(message: Message, path: str, warnings: tuple[str, ...]) -> Extraction:
    mail = read_mail(message, path=path)
    headers, said, names = mail.headers, mail.content, mail.attachments
    if not said.drafts and said.unread:
        kinds = format_names(said.unread, len(said.unread))
        raise Refused("unsupported", f"{path} holds no text that is read, only {kinds}; save it as PDF")
    if not said.drafts and "Subject" not in headers:
        raise Refused("empty", f"{path} holds no text")
    about = BlockDraft("paragraph", mail.format_headers())
    record, blocks = write_record((BlockDraft("heading", headers.get("Subject", ""), level=1), about, *said.drafts))
    attached = (warn_attachments(names, len(names)),) if names else ()
    warned = tuple(dict.fromkeys((*warnings, *mail.list_warnings(), *attached)))
    return Extraction(
        record, blocks, MEDIA_TYPE, headers.get("Subject"), _collect_meta(message, headers, names), warned
    )


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
