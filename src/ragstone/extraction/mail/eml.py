"""Mails to a text of record: who, when and about what, then the message and the mails forwarded in it; attachments
are named, and are documents of their own."""

from contextlib import suppress
from email.message import Message
from email.utils import getaddresses

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Json
from ragstone.extraction.mail.message import (
    PEOPLE,
    Mail,
    format_names,
    raw_header,
    read_date,
    read_header,
    read_mail,
)
from ragstone.extraction.mail.mime import FAULTS, decode_header, parse_message
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.confidentiality import close_with_reason

MEDIA_TYPE = "message/rfc822"
SEALED = frozenset(("application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"))
PRIVATE = "a mail is marked as personal or private (Sensitivity)"


def parse_eml(data: bytes, *, path: str) -> Extraction:
    """The subject as heading, the other headers below it, then the message: its parts in order, of a text and a page
    that say the same the text. Each forwarded mail is a section of the same form behind it.

    Raises `Refused`: broken (no mail), encrypted, empty (no text in it), unsupported (no part of it is read).
    """
    try:
        message, warnings = parse_message(data)
        return _build_extraction(message, path, warnings)
    except FAULTS as error:
        why = "its parts are nested too deeply" if isinstance(error, RecursionError) else error
        raise Refused("broken", f"{path} is not a readable mail: {why}") from error


def _build_extraction(message: Message, path: str, warnings: tuple[str, ...]) -> Extraction:
    mail = read_mail(message, path=path)
    headers, said = mail.headers, mail.content
    if not said.drafts and not mail.forwarded and said.unread:
        if not SEALED.isdisjoint(said.unread):
            raise Refused("encrypted", f"{path} is encrypted or signed as a whole; save it decrypted")
        kinds = format_names(said.unread, len(said.unread))
        raise Refused("unsupported", f"{path} holds no text that is read, only {kinds}; save it as PDF")
    if not said.drafts and not mail.forwarded and "Subject" not in headers:
        raise Refused("empty", f"{path} holds no text")
    about = BlockDraft("paragraph", mail.format_headers())
    title = BlockDraft("heading", headers.get("Subject", ""), level=1)
    record, blocks = write_record((title, about, *said.drafts, *mail.draft_forwarded()))
    names = list(mail.list_attachments())
    warned = tuple(dict.fromkeys((*warnings, *mail.list_warnings())))
    meta = _collect_meta(mail, names)
    found = Extraction(record, blocks, MEDIA_TYPE, headers.get("Subject"), meta, warned)
    marks = [*mail.marks, *[PRIVATE] * mail.private]
    return close_with_reason(found, marks[0]) if marks else found


def _collect_meta(mail: Mail, names: list[str]) -> Json:
    meta: Json = {}
    if "From" in mail.headers:
        meta["author"] = mail.headers["From"]
    for name in ("To", "Cc"):
        if people := _parse_addresses(raw_header(mail.message, name)[:PEOPLE]):
            meta[name.lower()] = people
    if date := read_date(mail.message):
        meta["date"] = date
    if identity := read_header(mail.message, "Message-ID"):
        meta["message_id"] = identity
    if names:
        meta["attachments"] = names
    return meta


def _parse_addresses(raw: str) -> list[str]:
    """The addresses in a header. As it was sent: a comma within an encoded name parts nobody."""
    with suppress(*FAULTS):
        return [decode_header(address) for _, address in getaddresses([raw]) if address]
    return []
