"""Outlook messages (.msg), by way of python-oxmsg: read as the mail that they are."""

import io
from dataclasses import replace
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.media_types import MSG
from ragstone.extraction.record.confidentiality import close_if_marked

HEADERS = ("From", "To", "Cc", "Subject", "Message-ID")


def parse_msg(data: bytes, *, path: str) -> Extraction:
    """Subject, sender, receivers and text; attachments are named.

    Raises `Refused`: broken, and what `parse_eml` raises.
    """
    from oxmsg import Message

    try:
        message = Message.load(io.BytesIO(data))
        mail = _convert_to_mail(message)
        head = "\n".join(f"{name}: {text}" for name, text in message.message_headers.items())
    except Exception as error:  # the library raises whatever a broken property leads to
        raise Refused("broken", f"{path} is not a readable Outlook message: {error}; save it again") from error
    return close_if_marked(replace(parse_eml(mail.as_bytes(), path=path), media_type=MSG), head)


def _convert_to_mail(message: Any) -> EmailMessage:
    mail = EmailMessage()
    headers = {str(name).lower(): str(text) for name, text in message.message_headers.items()}
    known = {"subject": message.subject, "from": message.sender, "to": _join_receivers(message)}
    for name in HEADERS:
        if text := headers.get(name.lower()) or known.get(name.lower()):
            mail[name] = " ".join(str(text).split())
    if message.sent_date is not None:
        mail["Date"] = format_datetime(message.sent_date)
    if message.body or not message.html_body:
        mail.set_content(message.body or "")
    else:
        mail.set_content(message.html_body, subtype="html")
    for attachment in message.attachments:
        mail.add_attachment(b"", maintype="application", subtype="octet-stream", filename=attachment.file_name or "?")
    return mail


def _join_receivers(message: Any) -> str:
    return ", ".join(str(receiver.email_address or receiver.name) for receiver in message.recipients)
