"""Tar archives as containers, plain or packed by gzip: members are found by their heads and read at their places."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.core.records import IGNORED
from ragstone.extraction.containers.container import Budget, Member, Problem
from ragstone.extraction.containers.gzip_stream import GzipStream
from ragstone.extraction.containers.member_names import clean_name, escape_name, guess_charset

BLOCK = 512
CHECKSUM = slice(148, 156)
FILES, LINKS, FOLDERS = (b"0", b"\0", b"7"), (b"1", b"2"), (b"5", b"D", b"V")
LONG_NAME, EXTENDED, OF_ALL, LONG_LINK = b"L", b"x", b"g", b"K"
HEADS = 4  # of each file: its own, and long ones of its name, its target and more about it
LONGEST_HEAD = 1 << 20  # bytes of a name or of more about a file
GZIP_MARK = b"\x1f\x8b"
ReadAt = Callable[[BinaryIO, int, int], bytes]


@dataclass(frozen=True, slots=True)
class TarEntry:
    """A file as its head describes it."""

    raw: bytes
    kind: bytes
    size: int
    at: int
    is_sparse: bool = False


def is_tar(start: bytes) -> bool:
    """Whether a file begins with the head of a member."""
    return len(start) >= BLOCK and any(start[:BLOCK]) and _has_checksum(start[:BLOCK])


class TarArchive:
    """The members of a tar archive; implements `Container`."""

    is_document = False

    def __init__(self, file: BinaryIO, *, path: str, budget: Budget) -> None:
        """Raises `Refused`: broken, too_large."""
        self.members: dict[str, Member] = {}
        self.problems: list[Problem] = []
        self._path = path
        self._places: dict[str, int] = {}
        file.seek(0)
        is_packed = file.read(2) == GZIP_MARK
        most = budget.total + BLOCK * 3 * budget.members
        self._read: ReadAt = GzipStream(path, most=most).read if is_packed else _read_at
        entries: list[TarEntry] = []
        try:
            for entry in self._list_entries(file, most=HEADS * (budget.members + 1)):
                entries.append(entry)
                budget.check_count(len(entries), path)
        except Refused as error:
            if error.reason != "broken" or not entries:
                raise
            self.problems.append(Problem("", "broken", str(error)))
        self._take(entries)
        budget.spend(self.members, path)

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """As `Container.read`."""
        size = min(most, self.members[name].size)
        data = self._read(file, self._places[name], size)
        if len(data) < size:
            raise Refused("broken", f"{self._path}/{name} is cut short; copy or download the archive again")
        return data

    def _list_entries(self, file: BinaryIO, *, most: int) -> Iterator[TarEntry]:
        at, name, size, sparse = 0, b"", -1, False
        for _ in range(most):
            head = self._read(file, at, BLOCK)
            if len(head) < BLOCK:
                if head or at:
                    raise self._refuse_cut()
                return
            if not any(head):
                return
            if not _has_checksum(head) or _read_number(head[124:136]) < 0:
                raise Refused("broken", f"{self._path} is damaged after {at:,} bytes; copy or download the file again")
            kind, said = head[156:157], _read_number(head[124:136])
            at += BLOCK
            if kind in (LONG_NAME, LONG_LINK, EXTENDED, OF_ALL):
                if said > LONGEST_HEAD:
                    raise Refused("broken", f"{self._path} is damaged after {at:,} bytes: a name of {said:,} bytes")
                data = self._read(file, at, said) if kind in (LONG_NAME, EXTENDED) else b""
                if kind == LONG_NAME:
                    name = data.rstrip(b"\0")
                elif kind == EXTENDED:
                    facts = dict(_list_facts(data))
                    name = facts.get(b"path", name)
                    size = int(digits) if (digits := facts.get(b"size", b"")[:20]).isdigit() else size
                    sparse = any(key.startswith(b"GNU.sparse") for key in facts)
            else:
                said = size if size >= 0 else said
                yield TarEntry(name or _read_name(head), kind, said, at, sparse or kind == b"S")
                name, size, sparse = b"", -1, False
                said = said if kind in (*FILES, b"S") else 0
            at += -(-said // BLOCK) * BLOCK
        raise Refused("too_large", f"{self._path} has more heads than its files need; unpack it and pack it again")

    def _take(self, entries: list[TarEntry]) -> None:
        """The files by their names: of several of one name the last, as in unpacking."""
        charset = guess_charset([entry.raw for entry in entries if not entry.raw.isascii()])
        for entry in entries:
            raw = entry.raw.decode(charset, errors="replace")
            if entry.kind in FOLDERS:
                continue
            try:
                name = clean_name(raw)
            except ValueError as error:
                self._add_problem(escape_name(raw), "broken", f"{error}; unpack the archive and rename it")
                continue
            if not name:
                continue
            if entry.kind in LINKS:
                self._add_problem(name, IGNORED, "it is a link")
            elif entry.is_sparse:
                self._add_problem(name, "unreadable", "it is packed as a file with holes; unpack the archive")
            elif entry.kind not in FILES:
                self._add_problem(name, "unreadable", "it is a device or a pipe, not a file")
            else:
                self.members[name] = Member(name, entry.size)
                self._places[name] = entry.at

    def _add_problem(self, name: str, reason: str, why: str) -> None:
        self.problems.append(Problem(name, reason, f"{self._path}/{name} was not read: {why}"))

    def _refuse_cut(self) -> Refused:
        return Refused("broken", f"{self._path} is cut short: its end is missing; copy or download the file again")


def _read_at(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(0, os.SEEK_END)
    if at > file.tell():
        return b""
    file.seek(at)
    return file.read(size)


def _has_checksum(head: bytes) -> bool:
    said = _read_number(head[CHECKSUM])
    return said == sum(head[:148]) + 8 * ord(" ") + sum(head[156:])


def _read_number(field: bytes) -> int:
    """A number in octal digits, or where those do not suffice in bytes; -1 for neither."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:])
    digits = field.replace(b"\0", b" ").split()
    try:
        return int(digits[0], 8) if digits else 0
    except ValueError:
        return -1


def _read_name(head: bytes) -> bytes:
    name, _, _ = head[:100].partition(b"\0")
    if head[257:263] == b"ustar\0" and (folder := head[345:500].partition(b"\0")[0]):
        return folder + b"/" + name
    return name


def _list_facts(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The facts of an extended head: `LENGTH KEY=VALUE` and a line's end each."""
    at = 0
    while at < len(data):
        digits, space, _ = data[at : at + 20].partition(b" ")
        if not space or not digits.isdigit() or not int(digits):
            return
        key, _, value = data[at + len(digits) + 1 : at + int(digits) - 1].partition(b"=")
        yield key, value
        at += int(digits)
