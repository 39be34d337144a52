"""The attachments of mails as files: listed with their sizes, and given one by one. Runs in the sandbox."""

import io
import mimetypes
from collections.abc import Collection, Iterator
from contextlib import suppress
from email.message import Message

import msgspec

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.attachment_row import Attachment
from ragstone.extraction.mail import mbox
from ragstone.extraction.mail.body import attachment_name
from ragstone.extraction.mail.eml import PRIVATE, parse_eml
from ragstone.extraction.mail.message import NESTED, NO_SUBJECT, TNEF, TNEF_NAME, read_date, read_header, read_mail
from ragstone.extraction.mail.mime import (
    FAULTS,
    decode_payload,
    find_forwarded,
    iterate_leaves,
    parse_message,
    part_filename,
    part_type,
)
from ragstone.extraction.mail.tnef import read_tnef
from ragstone.extraction.mail.winmail import wrap_tnef
from ragstone.extraction.mail_boundaries import find_messages, undo_quoting
from ragstone.extraction.media_types import EML, MBOX, MSG
from ragstone.extraction.media_types import TNEF as TNEF_FILE
from ragstone.extraction.pdf_marks import is_plain_pdf
from ragstone.extraction.record.confidentiality import KEY, close_if_marked, find_marked_head

# Signatures, keys and reports of delivery: programs write and read them.
OF_PROGRAMS = frozenset(
    "application/pkcs7-signature application/x-pkcs7-signature application/pgp-signature application/pgp-keys "
    "application/pgp-encrypted message/delivery-status message/disposition-notification text/rfc822-headers".split()
)
ENDINGS_OF_PROGRAMS = (".p7s", ".sig", ".asc")
SUBJECT = 80  # characters in a path
MARKED = "a mail is marked as restricted"


def list_attachments(data: bytes, *, path: str, kind: str, most: int) -> bytes:
    """The attachments of a mail, or of all mails of an archive, as rows: one more than `most` at most."""
    rows: list[Attachment] = []
    if kind != MBOX:
        rows = list(_list_of_mail(data, kind, path=path, folder="", begin=0, end=-1))
    else:
        for _, begin, end in find_messages(data):
            message = undo_quoting(data[begin:end])
            with suppress(Refused, *FAULTS):
                rows += _list_of_mail(message, EML, path=path, folder=_name_message(message), begin=begin, end=end)
            if len(rows) > most:
                break
        if rows and (_is_marked_archive(rows) or mbox.find_mark(data, path=path)):
            rows = [msgspec.structs.replace(row, closed=row.closed or MARKED) for row in rows]
    return msgspec.msgpack.encode(rows[: most + 1])


def take_attachments(data: bytes, *, path: str, kind: str, numbers: Collection[int]) -> bytes:
    """The contents of attachments by their numbers in the mail."""
    wanted, found = frozenset(numbers), {}
    with suppress(*FAULTS):
        for at, (_, content) in enumerate(_iterate_attachments(_read_message(data, kind))):
            if at in wanted:
                found[at] = content
    if len(found) < len(wanted):
        raise Refused("broken", f"{path} cannot be read: the mail that it lies in is damaged")
    return msgspec.msgpack.encode(found)


def _list_of_mail(data: bytes, kind: str, *, path: str, folder: str, begin: int, end: int) -> Iterator[Attachment]:
    try:
        message = _read_message(data, kind)
        found = [(name, len(content), is_plain_pdf(content)) for name, content in _iterate_attachments(message)]
        closed = _find_mark(message, data, kind, path=path, in_archive=end >= 0) if found else ""
    except FAULTS as error:
        raise Refused("broken", f"{path} is not a readable mail: {error}") from error
    about = read_header(message, "Subject"), read_header(message, "From"), read_date(message)
    for number, (name, size, plain) in enumerate(found):
        yield Attachment(folder, name, size, closed, begin, end, number, plain, *about)


def _read_message(data: bytes, kind: str) -> Message:
    if kind == TNEF_FILE:
        return wrap_tnef(data, path=TNEF_NAME)
    if kind == MSG:
        from oxmsg import Message as Outlook

        from ragstone.extraction.mail import msg  # loaded for Outlook's messages alone

        try:
            return msg.convert_to_mail(Outlook.load(io.BytesIO(data)), files=True)
        except Exception as error:  # the library raises whatever a broken property leads to
            raise Refused("broken", f"the Outlook message cannot be read: {error}") from error
    return parse_message(data)[0]


def _iterate_attachments(message: Message, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """The files of a mail and of the mails forwarded in it, in order."""
    for part in iterate_leaves(message):
        forwarded = find_forwarded(part)
        if forwarded is not None:
            if depth < NESTED:
                yield from _iterate_attachments(forwarded, depth + 1)
            continue
        kind, name = part_type(part), attachment_name(part, whole=part is message)
        if kind in TNEF or part_filename(part).lower() == TNEF_NAME:
            packed = read_tnef(decode_payload(part))
            yield from zip(packed.attachments, packed.files, strict=True) if packed else ()
        elif name and kind not in OF_PROGRAMS and not name.lower().endswith(ENDINGS_OF_PROGRAMS):
            yield _complete_name(name, kind), decode_payload(part)


def _complete_name(name: str, kind: str) -> str:
    return f"attachment{mimetypes.guess_extension(kind) or ''}" if name == kind else name


def _find_mark(message: Message, data: bytes, kind: str, *, path: str, in_archive: bool) -> str:
    """Why the mail is closed, as its own reader finds it; "" where it is not."""
    mail = read_mail(message, path=path)
    if mail.marks or mail.private:
        return mail.marks[0] if mail.marks else PRIVATE
    if in_archive:
        return ""
    head = "" if kind in (MSG, TNEF_FILE) else data.decode(errors="replace")
    with suppress(Refused):
        data = message.as_bytes() if kind == TNEF_FILE else data
        found = _read_outlook(data, path) if kind == MSG else close_if_marked(parse_eml(data, path=path), head)
        return MARKED if found.meta.get(KEY) == RESTRICTED else ""
    return MARKED if find_marked_head(head) else ""


def _read_outlook(data: bytes, path: str) -> Extraction:
    from ragstone.extraction.mail.msg import parse_msg

    return parse_msg(data, path=path)


def _is_marked_archive(rows: list[Attachment]) -> bool:
    """Whether a message with attachments is restricted for another reason than that it is private."""
    return any(row.closed not in ("", PRIVATE) for row in rows)


def _name_message(data: bytes) -> str:
    """The day and the subject of a message, as a folder's name."""
    head = parse_message(data.partition(b"\n\n")[0] + b"\n\n")[0] if b"\n\n" in data else parse_message(data)[0]
    subject = read_header(head, "Subject")[:SUBJECT].strip() or NO_SUBJECT
    day = f"{sent.partition('T')[0]} " if (sent := read_date(head)) else ""
    return f"{day}{subject}"
