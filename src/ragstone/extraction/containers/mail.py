"""Mails as containers of their attachments, parsed in the sandbox: .eml, .msg, and archives of mails (mbox)."""

import re
import threading
from bisect import bisect_right
from itertools import islice
from typing import BinaryIO

import msgspec

from ragstone.core.errors import Refused
from ragstone.extraction import sandbox
from ragstone.extraction.containers.container import UNLISTED, Budget, Member, Problem
from ragstone.extraction.containers.member_names import clean_name
from ragstone.extraction.mail.attachment_row import Attachment
from ragstone.extraction.mail.mime import cut_name
from ragstone.extraction.mail_boundaries import is_archive, undo_quoting
from ragstone.extraction.media_types import EML, MBOX, MSG, OLE_MARK, file_suffix

PARSERS = "ragstone.extraction.mail.attachments"
ENDINGS = (".eml", ".msg", ".oft", ".mbox", ".mbx")
# In every mail with an attachment; what has none of it need not be parsed.
NAMED = re.compile(rb"name\*?\d{0,2}\*?\s*=|content-disposition:\s*attachment|message/|ms-tnef", re.IGNORECASE)
NAMED_IN_MSG = "__attach_version1.0".encode("utf-16-le")
PLACE, PLACED = re.compile(r"[A-Za-z]:|\.{0,2}[\\/]"), re.compile(r"[\\/:]")  # where it lay at its sender
CLOSED = 500  # characters of a reason
TOGETHER = 8_000_000  # bytes of attachments that are taken out of a mail at once: for each time it is parsed whole
HEADER = re.compile(rb"^(?:from|to|cc|date|subject)[ \t]*:", re.MULTILINE | re.IGNORECASE)
HEAD = 1_000_000  # bytes


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
        """Of a mail that cannot be parsed the members are not known. Raises `Refused`: too_large."""
        self.members: dict[str, Member] = {}
        self.problems: list[Problem] = []
        self._path = path
        self._kind = kind
        self._bounds = budget.limits.bounds
        self._rows: dict[str, Attachment] = {}
        self._last: dict[str, int] = {}  # of each name that several have the last number
        self._taken: dict[str, bytes] = {}
        self._lock = threading.Lock()  # of what was taken
        file.seek(0)
        data = file.read(budget.limits.document + 1)
        wanted = NAMED_IN_MSG in data if kind == MSG else NAMED.search(data) is not None
        if kind == EML and not HEADER.search(data[:HEAD].replace(b"\0", b"")):
            self._add_problem("broken", "it is not a mail: no header names a sender, a subject or a date")
        if not wanted or len(data) > budget.limits.document:
            return
        for row in self._list_rows(data, budget.members):
            if row.size > 0:
                self._add(row)
        self._names = sorted(self._rows)
        budget.spend(self.members, path)

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """As `Container.read`."""
        with self._lock:
            if name not in self._taken:
                self._taken = self._take(file, name)
            return self._taken[name][:most]

    def _take(self, file: BinaryIO, name: str) -> dict[str, bytes]:
        """An attachment, and those of its message that are read next as far as they are small."""
        row = self._rows[name]
        file.seek(max(0, row.begin))
        data = file.read(row.end - row.begin if row.end >= 0 else -1)
        kind = self._kind
        if kind == MBOX:
            data, kind = undo_quoting(data), EML
        wanted, size = {row.number: name}, row.size
        for other in islice(self._names, bisect_right(self._names, name), None):
            size += self._rows[other].size
            if self._rows[other].begin != row.begin or size > TOGETHER:
                break
            wanted[self._rows[other].number] = other
        path = f"{self._path}/{name}"
        packed = sandbox.get_shared().draw(
            f"{PARSERS}:take_attachments",
            data,
            path=path,
            options={"kind": kind, "numbers": list(wanted)},
            bounds=self._bounds,
        )
        try:
            found = msgspec.msgpack.decode(packed, type=dict[int, bytes])
            return {other: found[number] for number, other in wanted.items()}
        except (msgspec.DecodeError, RecursionError, ValueError, LookupError) as error:
            raise Refused("broken", f"{path} cannot be read: the mail that it lies in is damaged") from error

    def _list_rows(self, data: bytes, most: int) -> list[Attachment]:
        try:
            packed = sandbox.get_shared().draw(
                f"{PARSERS}:list_attachments",
                data,
                path=self._path,
                options={"kind": self._kind, "most": most},
                bounds=self._bounds,
            )
            return msgspec.msgpack.decode(packed, type=list[Attachment])
        except Refused as error:
            self._add_problem(error.reason, str(error))  # its own reader may have more luck, and so may the next run
        except (msgspec.DecodeError, RecursionError, ValueError):
            self._add_problem("broken", "the process that reads it returned invalid data")
        return []

    def _add_problem(self, reason: str, why: str) -> None:
        if not self.problems:
            self.problems.append(Problem(UNLISTED, reason, f"the attachments of {self._path} were not listed: {why}"))

    def _add(self, row: Attachment) -> None:
        folder = f"{_clean_part(row.folder, 'mail')}/" if row.folder else ""
        name = PLACED.split(row.name)[-1] if PLACE.match(row.name) else row.name
        name = _clean_part(name, "attachment")
        stem, dot, ending = name.rpartition(".")
        stem, ending = (stem, dot + ending) if stem else (name, "")
        whole, plain = f"{folder}{name}", f"{folder}{name}"
        while whole in self.members:
            self._last[plain] = self._last.get(plain, 1) + 1
            whole = f"{folder}{stem} ({self._last[plain]}){ending}"
        self.members[whole] = Member(whole, row.size, row.closed[:CLOSED])
        self._rows[whole] = row


def _clean_part(name: str, instead: str) -> str:
    """One name of a path."""
    readable = "".join(sign if sign.isprintable() else " " for sign in name)
    plain = re.sub(r"[/\\]", "_", readable).strip(" ")
    plain = cut_name(plain)
    try:
        return clean_name(plain) if plain.strip("._ ") else instead
    except ValueError:
        return instead
