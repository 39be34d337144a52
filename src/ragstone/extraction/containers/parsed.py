"""Documents with files in them, which a parser in the sandbox lists and takes out: mails, PDFs and Office files."""

import re
import threading
from bisect import bisect_right
from collections.abc import Mapping
from itertools import islice
from typing import BinaryIO

import msgspec

from ragstone.core.errors import Refused
from ragstone.core.types import Enclosing
from ragstone.extraction import sandbox
from ragstone.extraction.attachment_row import Attachment
from ragstone.extraction.containers.container import UNLISTED, Budget, Member, Problem
from ragstone.extraction.containers.member_names import clean_name
from ragstone.extraction.mail.mime import cut_name

PLACE, PLACED = re.compile(r"[A-Za-z]:|\.{0,2}[\\/]"), re.compile(r"[\\/:]")  # where it lay at its sender
LONGEST = 500  # characters of a fact about the document
TOGETHER = 8_000_000  # bytes of files that are taken out of a document at once: for each time it is parsed whole


class ParsedContainer:
    """The files of a document; implements `Container`. Of one that cannot be parsed the members are not known."""

    is_document = True
    parsers = ""  # the module whose `list_attachments` and `take_attachments` are called
    called = "attachments of"

    def __init__(self, path: str, budget: Budget) -> None:
        self.members: dict[str, Member] = {}
        self.problems: list[Problem] = []
        self._path = path
        self._bounds = budget.limits.bounds
        self._rows: dict[str, Attachment] = {}
        self._names: list[str] = []
        self._last: dict[str, int] = {}  # of each name that several have the last number
        self._taken: dict[str, bytes] = {}
        self._lock = threading.Lock()  # of what was taken

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """As `Container.read`."""
        with self._lock:
            if name not in self._taken:
                self._taken = self._take(file, name)
            return self._taken[name][:most]

    def _options(self) -> Mapping[str, object]:
        """What the parser must know beside the data."""
        return {}

    def _read_data(self, file: BinaryIO, row: Attachment) -> tuple[bytes, Mapping[str, object]]:
        """The part of the file that a member lies in, and the parser's options for it."""
        file.seek(max(0, row.begin))
        return file.read(row.end - row.begin if row.end >= 0 else -1), self._options()

    def _take(self, file: BinaryIO, name: str) -> dict[str, bytes]:
        """A member, and those of its message that are read next as far as they are small."""
        row = self._rows[name]
        data, options = self._read_data(file, row)
        wanted, size = {row.number: name}, row.size
        for other in islice(self._names, bisect_right(self._names, name), None):
            size += self._rows[other].size
            if self._rows[other].begin != row.begin or size > TOGETHER:
                break
            wanted[self._rows[other].number] = other
        path = f"{self._path}/{name}"
        packed = sandbox.get_shared().draw(
            f"{self.parsers}:take_attachments",
            data,
            path=path,
            options={**options, "numbers": list(wanted)},
            bounds=self._bounds,
        )
        try:
            found = msgspec.msgpack.decode(packed, type=dict[int, bytes])
            return {other: found[number] for number, other in wanted.items()}
        except (msgspec.DecodeError, RecursionError, ValueError, LookupError) as error:
            raise Refused("broken", f"{path} cannot be read: the file that it lies in is damaged") from error

    def _list(self, data: bytes, budget: Budget) -> None:
        """List the members of the document whose bytes these are. Raises `Refused`: too_large."""
        for row in self._list_rows(data, budget.members):
            if row.size > 0:
                self._add(row)
        self._names = sorted(self._rows)
        budget.spend(self.members, self._path)

    def _list_rows(self, data: bytes, most: int) -> list[Attachment]:
        try:
            packed = sandbox.get_shared().draw(
                f"{self.parsers}:list_attachments",
                data,
                path=self._path,
                options={**self._options(), "most": most},
                bounds=self._bounds,
            )
            return msgspec.msgpack.decode(packed, type=list[Attachment])
        except Refused as error:
            self.add_problem(error.reason, str(error))  # its own reader may have more luck, and so may the next run
        except (msgspec.DecodeError, RecursionError, ValueError):
            self.add_problem("broken", "the process that reads it returned invalid data")
        return []

    def add_problem(self, reason: str, why: str) -> None:
        """Tell why the members are not known, once."""
        if not self.problems:
            unlisted = f"the {self.called} {self._path} were not listed: {why}"
            self.problems.append(Problem(UNLISTED, reason, unlisted))

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
        facts = (_clean_text(fact[:LONGEST]) for fact in (row.closed, row.subject, row.author, row.date))
        self.members[whole] = Member(whole, row.size, Enclosing(*facts), is_plain=row.plain)
        self._rows[whole] = row


class DamagedContainer(ParsedContainer):
    """A document that is none by its content: what was in it is not known."""

    called = "files in"

    def __init__(self, path: str, budget: Budget) -> None:
        super().__init__(path, budget)
        self.add_problem("broken", "its start is damaged; get the file anew")


def _clean_text(text: str) -> str:
    """A text without characters that control a terminal or turn the text around them."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _clean_part(name: str, instead: str) -> str:
    """One name of a path."""
    plain = re.sub(r"[/\\]", "_", _clean_text(name)).strip(" ")
    plain = cut_name(plain)
    try:
        return clean_name(plain) if plain.strip("._ ") else instead
    except ValueError:
        return instead
