"""Mails as containers of their attachments, parsed in the sandbox: .eml, .msg, and archives of mails (mbox)."""

import re
from typing import BinaryIO

import msgspec

from ragstone.core.errors import Refused
from ragstone.extraction import sandbox
from ragstone.extraction.containers.container import UNLISTED, Budget, Member, Problem
from ragstone.extraction.containers.member_names import clean_name
from ragstone.extraction.mail_boundaries import is_archive, undo_quoting
from ragstone.extraction.media_types import EML, MBOX, MSG, OLE_MARK, file_suffix

PARSERS = "ragstone.extraction.mail.attachments"
ENDINGS = (".eml", ".msg", ".oft", ".mbox", ".mbx")
# In every mail with an attachment; what has none of it need not be parsed.
NAMED = re.compile(rb"name\*?\d{0,2}\*?\s*=|content-disposition:\s*attachment|message/|ms-tnef", re.IGNORECASE)
NAMED_IN_MSG = "__attach_version1.0".encode("utf-16-le")
CLOSED = 500  # characters of a reason


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """A row as the sandbox gives it, of which nothing is believed."""

    folder: str
    name: str
    size: int
    closed: str
    begin: int
    end: int
    number: int


def find_mail_kind(start: bytes, path: str) -> str | None:
    """The media type of a mail by its name and its first bytes; None for any other file."""
    suffix = file_suffix(path)
    if start.startswith(OLE_MARK):
        return MSG if suffix in (".msg", ".oft") else None
    if suffix == ".eml":
        return EML
    return MBOX if suffix in (".mbox", ".mbx", "") and is_archive(start) else None


class MailContainer:
    """The attachments of a mail or of an archive of mails; implements `Container`."""

    is_document = True

    def __init__(self, file: BinaryIO, kind: str, *, path: str, budget: Budget) -> None:
        """A mail that cannot be parsed has no members: its own reader says why. Raises `Refused`: too_large."""
        self.members: dict[str, Member] = {}
        self.problems: list[Problem] = []
        self._path = path
        self._kind = kind
        self._bounds = budget.limits.bounds
        self._rows: dict[str, _Row] = {}
        file.seek(0)
        data = file.read(budget.limits.document + 1)
        wanted = NAMED_IN_MSG in data if kind == MSG else NAMED.search(data) is not None
        if not wanted or len(data) > budget.limits.document:
            return
        for row in self._list_rows(data, budget.members):
            if row.size > 0:
                self._add(row)
        budget.spend(self.members, path)

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """As `Container.read`."""
        row = self._rows[name]
        file.seek(max(0, row.begin))
        data = file.read(row.end - row.begin if row.end >= 0 else -1)
        kind = self._kind
        if kind == MBOX:
            data, kind = undo_quoting(data), EML
        return sandbox.get_shared().draw(
            f"{PARSERS}:take_attachment",
            data,
            path=f"{self._path}/{name}",
            options={"kind": kind, "number": row.number},
            bounds=self._bounds,
        )[:most]

    def _list_rows(self, data: bytes, most: int) -> list[_Row]:
        try:
            packed = sandbox.get_shared().draw(
                f"{PARSERS}:list_attachments",
                data,
                path=self._path,
                options={"kind": self._kind, "most": most},
                bounds=self._bounds,
            )
            return msgspec.msgpack.decode(packed, type=list[_Row])
        except Refused as error:
            if error.reason != "broken":  # its own reader may have more luck, and so may the next run
                why = f"the attachments of {self._path} were not listed: {error}"
                self.problems.append(Problem(UNLISTED, error.reason, why))
            return []
        except (msgspec.DecodeError, RecursionError, ValueError):
            return []

    def _add(self, row: _Row) -> None:
        folder = f"{_clean_part(row.folder, 'mail')}/" if row.folder else ""
        name = _clean_part(row.name, "attachment")
        stem, dot, ending = name.rpartition(".")
        stem, ending = (stem, dot + ending) if stem else (name, "")
        whole, number = f"{folder}{name}", 1
        while whole in self.members:
            number += 1
            whole = f"{folder}{stem} ({number}){ending}"
        self.members[whole] = Member(whole, row.size, row.closed[:CLOSED])
        self._rows[whole] = row


def _clean_part(name: str, instead: str) -> str:
    """One name of a path."""
    readable = "".join(sign if sign.isprintable() else " " for sign in name)
    plain = re.sub(r"[/\\]", "_", readable).strip(" ")[:200]
    try:
        return clean_name(plain) if plain.strip("._ ") else instead
    except ValueError:
        return instead
