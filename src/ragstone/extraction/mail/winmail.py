"""Files of TNEF alone (`winmail.dat`), as programs other than Outlook leave them: the mail that is packed in them."""

from dataclasses import replace
from email.message import EmailMessage

from ragstone.core.document_names import readable_name
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.mail.message import TNEF_NAME
from ragstone.extraction.mail.tnef import read_tnef
from ragstone.extraction.media_types import TNEF


def parse_tnef(data: bytes, *, path: str) -> Extraction:
    """Subject and text of the packed mail, and the names of its attachments.

    Raises `Refused`: broken, empty.
    """
    found = read_tnef(data)
    if found is None:
        raise Refused("broken", f"{path} is damaged; ask the sender to send the mail as HTML or plain text")
    if found.mail is None and not found.attachments:
        raise Refused("empty", f"{path} holds no text")
    return replace(parse_eml(wrap_tnef(data, path=path).as_bytes(), path=path), media_type=TNEF)


def wrap_tnef(data: bytes, *, path: str) -> EmailMessage:
    """A mail whose one part is the file."""
    mail = EmailMessage()
    found = read_tnef(data)
    subject = " ".join((found.subject if found else "").split())
    mail["Subject"] = subject or readable_name(path) or path
    mail.set_content(data, maintype="application", subtype="ms-tnef", filename=TNEF_NAME)
    return mail
