"""Mails to a text of record: who, when and about what, then the message; attachments are named, not read."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Json
from ragstone.extraction.mail.body import Said, attached, body
from ragstone.extraction.mail.mime import FAULTS, leaves, opened, shown
from ragstone.extraction.record.builder import Draft, written

MEDIA_TYPE = "message/rfc822"
SHOWN = ("From", "To", "Cc", "Date")
LONGEST = 2000  # characters of a header that are read
PEOPLE = 200_000  # the same where all receivers are named: some thousand
NAMED = 20  # parts in a warning


def parse(data: bytes, *, path: str) -> Extraction:
    """The subject as heading, the other headers below it, then the message: its parts in order, of a text and a page
    that say the same the text.

    Raises `Refused`: broken (no mail), empty (no text in it), unsupported (no part of it is read).
    """
    try:
        message, warnings = opened(data)
        return _extraction(message, path, warnings)
    except FAULTS as error:
        raise Refused("broken", f"{path} is no mail that can be read: {error}") from error


def _extraction(message: Message, path: str, warnings: tuple[str, ...]) -> Extraction:
    headers = {name: text for name in ("Subject", *SHOWN) if (text := _header(message, name))}
    if not headers:
        raise Refused("broken", f"{path} is no mail: it has neither sender nor subject nor date")
    said = body(message, path=path)
    names = [name for part in leaves(message) if (name := attached(part, whole=part is message))]
    if not said.drafts and said.unread:
        raise Refused("unsupported", f"{path} holds no text that is read, only {_several(said.unread)}; save it as PDF")
    if not said.drafts and "Subject" not in headers:
        raise Refused("empty", f"{path} holds no text")
    about = "\n".join(f"{name}: {headers[name]}" for name in SHOWN if name in headers)
    drafts = [Draft("heading", headers.get("Subject", ""), level=1), Draft("paragraph", about), *said.drafts]
    record, blocks = written(drafts)
    warned = tuple(dict.fromkeys((*warnings, *_warnings(message, said, names))))
    return Extraction(record, blocks, MEDIA_TYPE, headers.get("Subject"), _meta(message, headers, names), warned)


def _warnings(message: Message, said: Said, names: Sequence[str]) -> Iterator[str]:
    yield from said.warnings
    for name in ("Subject", *SHOWN):
        if len(_raw(message, name)) > _most(name):
            yield f"{name} was cut at {_most(name):,} characters"
    if names:
        yield f"attachments were not read: {_several(names)}"
    if said.unread:
        yield f"parts were not read: {_several(list(dict.fromkeys(said.unread)))}"


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _raw(message: Message, name: str) -> str:
    return str(message.get(name) or "")


def _header(message: Message, name: str) -> str:
    """A header as text on one line."""
    return shown(_raw(message, name)[: _most(name)])


def _most(name: str) -> int:
    return PEOPLE if name in ("To", "Cc") else LONGEST


def _meta(message: Message, headers: dict[str, str], names: list[str]) -> Json:
    meta: Json = {}
    if "From" in headers:
        meta["author"] = headers["From"]
    for name in ("To", "Cc"):
        if people := _people(_raw(message, name)[:PEOPLE]):
            meta[name.lower()] = people
    with suppress(TypeError, ValueError, LookupError, OverflowError):
        meta["date"] = parsedate_to_datetime(_header(message, "Date")).isoformat()
    if identity := _header(message, "Message-ID"):
        meta["message_id"] = identity
    if names:
        meta["attachments"] = names
    return meta


def _people(raw: str) -> list[str]:
    """The addresses in a header. As it was sent: a comma within an encoded name parts nobody."""
    with suppress(*FAULTS):
        return [shown(address) for _, address in getaddresses([raw]) if address]
    return []
