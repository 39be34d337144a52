"""Mails as containers of their attachments, parsed in the sandbox: .eml, .msg, and archives of mails (mbox)."""

import re
from collections.abc import Mapping
from typing import BinaryIO

from ragstone.extraction.attachment_row import Attachment
from ragstone.extraction.containers.container import Budget
from ragstone.extraction.containers.parsed import ParsedContainer
from ragstone.extraction.mail_boundaries import is_archive, is_server_mail, undo_quoting
from ragstone.extraction.media_types import EML, MBOX, MSG, OLE_MARK, TNEF, TNEF_MARK, detect, file_suffix

ARCHIVES = (".mbox", ".mbx")
PACKED = (".dat", ".tnef")  # of TNEF, and of much else
ENDINGS = (".eml", ".msg", ".oft", *ARCHIVES)
# In every mail with an attachment; what has none of it need not be parsed.
NAMED = re.compile(rb"name\*?\d{0,2}\*?\s*=|content-disposition:\s*attachment|message/|ms-tnef", re.IGNORECASE)
NAMED_IN_MSG = "__attach_version1.0".encode("utf-16-le")
HEADER = re.compile(rb"^(?:from|to|cc|date|subject)[ \t]*:", re.MULTILINE | re.IGNORECASE)
HEAD = 1_000_000  # bytes


def find_mail_kind(start: bytes, path: str) -> str | None:
    """The media type of a mail by its name and its first bytes; None for any other file."""
    suffix = file_suffix(path)
    if start.startswith(OLE_MARK):
        return MSG if suffix in (".msg", ".oft") else None
    if start.startswith(TNEF_MARK):
        return TNEF
    if suffix == ".eml":
        return EML
    if suffix in ARCHIVES:  # a mail may stand behind a damaged start
        return MBOX if detect(start, path) == MBOX else None
    if not suffix and is_archive(start):
        return MBOX
    return EML if is_server_mail(start, path) else None


class MailContainer(ParsedContainer):
    """The attachments of a mail or of an archive of mails."""

    parsers = "ragstone.extraction.mail.attachments"

    def __init__(self, file: BinaryIO, kind: str, *, path: str, budget: Budget) -> None:
        """Raises `Refused`: too_large."""
        super().__init__(path, budget)
        self._kind = kind
        file.seek(0)
        data = file.read(budget.limits.document + 1)
        wanted = NAMED_IN_MSG in data if kind == MSG else kind == TNEF or NAMED.search(data) is not None
        if kind == EML and not HEADER.search(data[:HEAD].replace(b"\0", b"")):
            self.add_problem("broken", "it is not a mail: no header names a sender, a subject or a date")
        if wanted and len(data) <= budget.limits.document:
            self._list(data, budget)

    def _options(self) -> Mapping[str, object]:
        return {"kind": self._kind}

    def _read_data(self, file: BinaryIO, row: Attachment) -> tuple[bytes, Mapping[str, object]]:
        data, options = super()._read_data(file, row)
        return (undo_quoting(data), {"kind": EML}) if self._kind == MBOX else (data, options)
