"""Outlook messages (.msg), by way of python-oxmsg: read as the mail that they are."""

import codecs
import io
import re
from dataclasses import replace
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from oxmsg import Message
from oxmsg.properties import Properties
from oxmsg.util import lazyproperty

from ragstone.core.document_names import readable_name
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.mail.message import NESTED
from ragstone.extraction.mail.rtf_body import unpack_rtf
from ragstone.extraction.mail.tnef import convert_rtf
from ragstone.extraction.media_types import MSG
from ragstone.extraction.record.confidentiality import close_if_marked

PAGE = re.compile(r"windows[_-](\d{3,5})")
HEADERS = ("From", "To", "Cc", "Subject", "Message-ID", "Sensitivity")
# Of the format's specification (MS-OXMSG, MS-OXPROPS).
INNER_MESSAGE = "__substg1.0_3701000D"
PROPERTIES = "__properties_version1.0"
INNER_OFFSET = 24  # bytes of an inner message's properties before the first
PROPERTY = 16  # bytes of one
NAMES = (0x3707, 0x3704, 0x3001)  # of an attachment: the long one, the short one, the one that is shown
SENSITIVITY = 0x0036
PACKED_RTF = 0x1009
SENSITIVITIES = {1: "Personal", 2: "Private", 3: "Company-Confidential"}


def find_windows_charset(name: str) -> codecs.CodecInfo | None:
    """Python's charset for a page of Windows as Outlook names it: the library that reads messages asks for it.

    >>> find_windows_charset("windows_950").name, find_windows_charset("windows")
    ('cp950', None)
    """
    page = PAGE.fullmatch(name)
    try:
        return codecs.lookup(f"cp{page[1]}") if page else None
    except LookupError:
        return None


codecs.register(find_windows_charset)


class _InnerMessage(Message):
    """A message within another one, of which the library reads only the outermost: here the properties begin
    earlier."""

    @lazyproperty
    def _properties(self) -> Properties:
        # Some writers repeat the longer head of the outermost message here.
        is_longer = (len(self._storage.properties_stream_bytes) - INNER_OFFSET) % PROPERTY == PROPERTY // 2
        return Properties(self._storage, properties_header_offset=INNER_OFFSET + is_longer * PROPERTY // 2)


def parse_msg(data: bytes, *, path: str) -> Extraction:
    """Subject, sender, receivers and text, and messages within the message; other attachments are named.

    Raises `Refused`: broken, and what `parse_eml` raises.
    """
    try:
        message = Message.load(io.BytesIO(data))
        mail = convert_to_mail(message)
        if not any(mail[name] for name in HEADERS):  # a template (.oft) may have a text alone
            mail["Subject"] = readable_name(path) or path
        head = "\n".join(f"{name}: {text}" for name, text in message.message_headers.items())
    except Exception as error:  # the library raises whatever a broken property leads to
        raise Refused("broken", f"{path} is not a readable Outlook message: {error}; save it again") from error
    return close_if_marked(replace(parse_eml(mail.as_bytes(), path=path), media_type=MSG), head)


def convert_to_mail(message: Any, depth: int = 0, *, files: bool = False) -> EmailMessage:
    """The message as a mail, with the messages in it as forwarded ones; of its other attachments the names, and their
    content where `files` says so."""
    mail = EmailMessage()
    headers = {str(name).lower(): str(text) for name, text in message.message_headers.items()}
    known = {"subject": message.subject, "from": message.sender, "to": _join_receivers(message)}
    known["sensitivity"] = SENSITIVITIES.get(message.properties.int_prop_value(SENSITIVITY))
    for name in HEADERS:
        if text := headers.get(name.lower()) or known.get(name.lower()):
            mail[name] = " ".join(str(text).split())
    if message.sent_date is not None:
        mail["Date"] = format_datetime(message.sent_date)
    if message.body:
        mail.set_content(message.body)
    elif message.html_body:
        mail.set_content(message.html_body, subtype="html")
    else:
        _set_rtf(mail, message.properties.binary_prop_value(PACKED_RTF))
    for attachment in message.attachments:
        inner = _find_inner_message(attachment)
        if inner is not None and depth <= NESTED:  # one more than are read, so that a warning says so
            mail.add_attachment(convert_to_mail(inner, depth + 1, files=files))
        else:
            data = (attachment.file_bytes or b"") if files else b""
            mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=_find_name(attachment))
    return mail


def _set_rtf(mail: EmailMessage, packed: bytes | None) -> None:
    """Give a mail the body that Outlook keeps in RTF alone."""
    found = convert_rtf(unpack_rtf(packed)) if packed else None
    mail.set_content(found.get_content() if found else "", subtype=found.get_content_subtype() if found else "plain")


def _find_inner_message(attachment: Any) -> Any:
    """The message that an attachment is; None for a file."""
    storage = next((one for one in attachment._storage.storages if one.name == INNER_MESSAGE), None)
    if storage is None or not any(stream.name == PROPERTIES for stream in storage.streams):
        return None
    return _InnerMessage(storage)


def _find_name(attachment: Any) -> str:
    texts = (attachment.properties.str_prop_value(name) for name in NAMES)
    return next(filter(None, texts), "?")


def _join_receivers(message: Any) -> str:
    return ", ".join(str(receiver.email_address or receiver.name) for receiver in message.recipients)
