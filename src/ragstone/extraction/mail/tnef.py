"""Outlook's own format within mails (winmail.dat, MS-OXTNEF): the message and the names of its attachments."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage

from ragstone.extraction.labelled_bytes import decode_bytes
from ragstone.extraction.mail.mime import cut_name
from ragstone.extraction.mail.rtf_body import unpack_rtf, unwrap_page

SIGNATURE = b"\x78\x9f\x3e\x22"
HEAD = struct.Struct("<BII")  # level, name and kind, size
BODY, CODE_PAGE, SUBJECT = 0x0002800C, 0x00069007, 0x00018004
MESSAGE, ATTACHMENT = 0x00069003, 0x00069005  # lists of MAPI properties
ATTACHMENT_BEGINS, ATTACHMENT_TITLE, ATTACHMENT_DATA = 0x00069002, 0x00018010, 0x0006800F
# MAPI: kinds of values by their bytes, and those with a size of their own.
FIXED = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16}
TEXT_8, TEXT_16, OBJECT, BYTES = 0x1E, 0x1F, 0x0D, 0x102
SEVERAL = 0x1000
NAMED = 0x8000
PR_SUBJECT, PR_BODY, PR_HTML, PR_RTF, PR_FILENAME = 0x0037, 0x1000, 0x1013, 0x1009, 0x3707
MOST = 10_000  # attributes, properties and values that are read


@dataclass(slots=True)
class TnefMessage:
    """The mail as a message of its text or page alone, its subject, the names of its attachments and their content."""

    mail: EmailMessage | None = None
    attachments: list[str] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)
    subject: str = ""


def read_tnef(data: bytes) -> TnefMessage | None:
    """The message in TNEF, up to where it is damaged; None for data of another kind."""
    if not data.startswith(SIGNATURE):
        return None
    attributes = list(_list_attributes(data))
    if not attributes:
        return None
    found = TnefMessage()
    charset, plain = "cp1252", b""
    values: dict[int, bytes | str] = {}
    for name, value in attributes:
        if name == CODE_PAGE and len(value) >= 4:
            charset = f"cp{int.from_bytes(value[:4], 'little')}"
        elif name == BODY:
            plain = value
        elif name == SUBJECT:
            found.subject = decode_bytes(value.rstrip(b"\0"), charset)
        elif name == MESSAGE:
            values.update(_list_properties(value, charset))
        elif name == ATTACHMENT_BEGINS:
            found.attachments.append("")
            found.files.append(b"")
        elif name == ATTACHMENT_TITLE and found.attachments:
            found.attachments[-1] = decode_bytes(value.rstrip(b"\0"), charset)
        elif name == ATTACHMENT_DATA and found.files:
            found.files[-1] = value
        elif name == ATTACHMENT and found.attachments:
            long = dict(_list_properties(value, charset)).get(PR_FILENAME)
            found.attachments[-1] = long if isinstance(long, str) and long else found.attachments[-1]
    found.attachments = [cut_name(name) or "?" for name in found.attachments]
    found.subject = _as_text(values.get(PR_SUBJECT), charset).rstrip("\0") or found.subject
    found.mail = _make_mail(values, plain, charset)
    return found


def _make_mail(values: dict[int, bytes | str], plain: bytes, charset: str) -> EmailMessage | None:
    page, text = _as_text(values.get(PR_HTML), charset), _as_text(values.get(PR_BODY), charset)
    text = text or decode_bytes(plain.rstrip(b"\0"), charset)
    mail = EmailMessage()
    if not (page.strip() or text.strip()) and isinstance(packed := values.get(PR_RTF), bytes):
        return convert_rtf(unpack_rtf(packed))
    if text.strip():
        mail.set_content(text)
    elif page.strip():
        mail.set_content(page, subtype="html")
    else:
        return None
    return mail


def convert_rtf(rtf: bytes) -> EmailMessage | None:
    """A body in RTF as a mail of the page that it wraps, else of its text; None where it says nothing."""
    from striprtf.striprtf import rtf_to_text

    mail = EmailMessage()
    if page := unwrap_page(rtf):
        mail.set_content(page, subtype="html")
        return mail
    try:
        text = str(rtf_to_text(rtf.decode("latin-1"), encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
    except Exception:  # the library raises whatever a broken group leads to
        return None
    mail.set_content(text.replace("\0", ""))
    return mail if text.strip() else None


def _as_text(value: bytes | str | None, charset: str) -> str:
    return decode_bytes(value, charset) if isinstance(value, bytes) else value or ""


def _list_attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = len(SIGNATURE) + 2
    for _ in range(MOST):
        if at + HEAD.size > len(data):
            return
        level, name, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        if level not in (1, 2) or at + size > len(data):
            return
        yield name, data[at : at + size]
        at += size + 2  # and its checksum


def _list_properties(data: bytes, charset: str) -> Iterator[tuple[int, bytes | str]]:
    """The names and values of MAPI properties that hold text or bytes; ends where the list is damaged."""
    try:
        (count,) = struct.unpack_from("<I", data)
        at = 4
        for _ in range(min(count, MOST)):
            kind, name = struct.unpack_from("<HH", data, at)
            at += 4
            if name >= NAMED:
                (by_text,) = struct.unpack_from("<I", data, at + 16)
                (number,) = struct.unpack_from("<I", data, at + 20)
                at += 24 + (_pad(number) if by_text else 0)
            bare = kind & ~SEVERAL
            if bare in FIXED:
                values = struct.unpack_from("<I", data, at)[0] if kind & SEVERAL else 1
                at += (4 if kind & SEVERAL else 0) + values * FIXED[bare]
                continue
            if bare not in (TEXT_8, TEXT_16, OBJECT, BYTES):
                return
            (values,) = struct.unpack_from("<I", data, at)
            at += 4
            for _ in range(min(values, MOST)):
                (size,) = struct.unpack_from("<I", data, at)
                at += 4
                value = data[at : at + size]
                at += _pad(size)
                if at > len(data) + 4:
                    return
                yield name, _read_value(value, bare, charset)
    except struct.error:
        return


def _read_value(value: bytes, kind: int, charset: str) -> bytes | str:
    if kind == TEXT_16:
        return value.decode("utf-16-le", errors="replace").rstrip("\0")
    return decode_bytes(value, charset).rstrip("\0") if kind == TEXT_8 else value


def _pad(size: int) -> int:
    return size + -size % 4
