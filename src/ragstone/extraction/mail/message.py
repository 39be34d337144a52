"""A message as it is read: its headers, what it says, the names of its attachments, and the mails forwarded in it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime

from ragstone.core.errors import Refused
from ragstone.extraction.mail.body import PartContent, attachment_name, lower_heading, read_body
from ragstone.extraction.mail.mime import (
    FAULTS,
    decode_header,
    decode_payload,
    find_forwarded,
    iterate_leaves,
    part_filename,
    part_type,
)
from ragstone.extraction.mail.tnef import read_tnef
from ragstone.extraction.record.builder import BlockDraft
from ragstone.extraction.record.confidentiality import find_marked_head
from ragstone.extraction.record.shared_words import covers

SHOWN = ("From", "To", "Cc", "Date")
LONGEST = 2000  # characters of a header that are read
PEOPLE = 200_000  # the same where all receivers are named: some thousand
LONGEST_HEAD = 100_000  # characters of all headers in which marks are looked for
NAMED = 20  # parts in a warning
NESTED = 10  # mails that are forwarded one within the other
NO_SUBJECT = "(no subject)"
PRIVATE_KINDS = ("personal", "private")  # of Sensitivity (RFC 2156); all of a company may read "Company-Confidential"
TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
TNEF_NAME = "winmail.dat"
UNREAD_TNEF = f"{TNEF_NAME} was not read: it is damaged; ask the sender to send the mail as HTML or plain text"


@dataclass(slots=True)
class Mail:
    """A message as it is read: its headers by name, what it says, the names of its attachments, and forwarded mails.

    `marks`: what of it, or of a mail in it, says that it is restricted; `private`: one of them is for its reader alone.
    """

    message: Message
    headers: dict[str, str]
    content: PartContent
    attachments: list[str] = field(default_factory=list)
    forwarded: list["Mail"] = field(default_factory=list)
    too_deep: int = 0
    marks: list[str] = field(default_factory=list)
    private: bool = False

    def format_headers(self) -> str:
        """Who, to whom and when, a line each."""
        return "\n".join(f"{name}: {self.headers[name]}" for name in SHOWN if name in self.headers)

    def list_attachments(self) -> Iterator[str]:
        """The names of its attachments and of those of the mails in it."""
        yield from self.attachments
        for mail in self.forwarded:
            yield from mail.list_attachments()

    def list_warnings(self) -> Iterator[str]:
        """The warnings of its parts and headers, and of the mails in it; attachments have their own."""
        yield from self.content.warnings
        for name in ("Subject", *SHOWN):
            if len(raw_header(self.message, name)) > _header_limit(name):
                yield f"{name} was cut at {_header_limit(name):,} characters"
        if unread := list(dict.fromkeys(self.content.unread)):
            yield f"parts were not read: {format_names(unread, len(unread))}"
        if self.too_deep:
            yield f"mails that are forwarded more than {NESTED} deep were not read: {self.too_deep:,}"
        for mail in self.forwarded:
            yield from mail.list_warnings()

    def draft_forwarded(self) -> Iterator[BlockDraft]:
        """The mails in it, each a section below it."""
        for mail in self.forwarded:
            yield from map(lower_heading, mail.draft_section())

    def draft_section(self) -> Iterator[BlockDraft]:
        """The mail as a section among others: its subject, its headers and the names of its attachments, its text."""
        names = f"\nAttachments: {format_names(self.attachments, len(self.attachments))}" if self.attachments else ""
        subject = self.headers.get("Subject")
        yield BlockDraft("heading", subject or NO_SUBJECT, level=1, made=not subject)
        yield BlockDraft("paragraph", f"{self.format_headers()}{names}".strip())
        yield from map(lower_heading, self.content.drafts)
        yield from self.draft_forwarded()


def read_mail(message: Message, *, path: str, depth: int = 0) -> Mail:
    """Raises `Refused` (broken) for what has neither sender nor subject nor date."""
    headers = {name: text for name in ("Subject", *SHOWN) if (text := read_header(message, name))}
    if not headers:
        raise Refused("broken", f"{path} is not a mail: it has neither sender nor subject nor date")
    content = read_body(message, path=path)
    private = read_header(message, "Sensitivity").lower() in PRIVATE_KINDS
    mail = Mail(message, headers, content, marks=[*_find_marks(message), *content.marks], private=private)
    for part in iterate_leaves(message):
        _add_part(mail, part, path, depth)
    return mail


def _add_part(mail: Mail, part: Message, path: str, depth: int) -> None:
    """A part that is no text of the message: a forwarded mail, or the name of an attachment."""
    is_whole = part is mail.message
    forwarded = find_forwarded(part)
    if forwarded is not None and depth >= NESTED:
        mail.too_deep += 1
        return
    if forwarded is not None:
        try:
            found = read_mail(forwarded, path=path, depth=depth + 1)
        except (Refused, *FAULTS):
            pass
        else:
            mail.forwarded.append(found)
            mail.marks += found.marks[:1]
            mail.private |= found.private
            return
    if part_type(part) in TNEF or part_filename(part).lower() == TNEF_NAME:
        mail.content.unread = [name for name in mail.content.unread if name not in TNEF]
        if not _add_tnef(mail, part, path):
            mail.content.warnings.append(UNREAD_TNEF)
    elif name := attachment_name(part, whole=is_whole):
        mail.attachments.append(name)


def _add_tnef(mail: Mail, part: Message, path: str) -> bool:
    """Add what Outlook packed into a part: text that the mail lacks, names of attachments; False for a damaged one."""
    found = read_tnef(decode_payload(part))
    if found is None:
        return False
    mail.attachments += found.attachments
    if found.mail is not None:
        content = read_body(found.mail, path=path)
        if not covers(mail.content.drafts, content.drafts):
            mail.content.add(content)
    return True


def format_names(names: Sequence[str], count: int) -> str:
    """The first names of `count`."""
    more = f" and {count - NAMED:,} more" if count > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def raw_header(message: Message, name: str) -> str:
    """A header as it was sent, "" for none."""
    return str(message.get(name) or "")


def read_header(message: Message, name: str) -> str:
    """A header as text on one line."""
    return decode_header(raw_header(message, name)[: _header_limit(name)])


def read_date(message: Message) -> str:
    """When it was sent, in ISO form; "" where it does not say so."""
    with suppress(TypeError, ValueError, LookupError, OverflowError):
        return parsedate_to_datetime(read_header(message, "Date")).isoformat()
    return ""


def _header_limit(name: str) -> int:
    return PEOPLE if name in ("To", "Cc") else LONGEST


def _find_marks(message: Message) -> Iterator[str]:
    """What the headers of a message say of who may see it."""
    head = "\n".join(f"{name}: {value}" for name, value in message.items())[:LONGEST_HEAD]
    if find_marked_head(head.encode(errors="replace").decode()):
        yield "a mail is marked as restricted"
