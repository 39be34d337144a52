"""ZIP archives as containers."""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from ragstone.core.errors import Refused
from ragstone.core.plural import format_count
from ragstone.core.records import IGNORED
from ragstone.core.work_limit import check_work
from ragstone.extraction.containers.container import Budget, Member, Problem, is_dense
from ragstone.extraction.containers.member_names import clean_name, escape_name, guess_charset
from ragstone.extraction.containers.zip_directory import LOCAL, LOCAL_MARK, ZipEntry, read_entries

PIECE = 1 << 18  # bytes that are unpacked at once
STORED, DEFLATED, BZIPPED = 0, 8, 12
METHODS = {1: "Shrink", 6: "Implode", 9: "Deflate64", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd", 99: "AES"}
# An archive with such a member is a document or a program, whatever it is called.
OF_DOCUMENTS = frozenset(("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF", "AndroidManifest.xml"))


class ZipArchive:
    """The members of a ZIP archive; implements `Container`."""

    is_document = False

    def __init__(self, file: BinaryIO, *, path: str, budget: Budget) -> None:
        """Raises `Refused`: broken, too_large, or binary for what is a document or a program and no archive."""
        self.members: dict[str, Member] = {}
        self.problems: list[Problem] = []
        self._path = path
        self._entries: dict[str, ZipEntry] = {}
        entries, is_whole = read_entries(file, path=path, budget=budget)
        if any(entry.name in OF_DOCUMENTS for entry in entries):
            raise Refused("binary", f"{path} is a ZIP archive of a program or document")
        self._take(entries)
        self._check_places()
        if not is_whole:
            cut = f"{path} is cut short: the end of its archive is missing; copy or download the file again"
            self.problems.append(Problem("", "broken", cut))
        self.members = {name: Member(name, entry.size) for name, entry in self._entries.items()}
        budget.spend(self.members, path)

    def read(self, file: BinaryIO, name: str, most: int) -> bytes:
        """As `Container.read`."""
        entry = self._entries[name]
        try:
            file.seek(entry.offset)
            head = LOCAL.unpack(file.read(LOCAL.size))
            if head[0] != LOCAL_MARK:
                raise ValueError("its head is missing")
            file.seek(head[-2] + head[-1], 1)
            data = b"".join(_unpack(file, entry, most))
            if len(data) > entry.size:
                raise ValueError("it holds more than the archive says")
            if most >= entry.size and (len(data) < entry.size or zlib.crc32(data) != entry.crc):
                raise ValueError("its checksum is another one")
        except (zlib.error, struct.error, OSError, EOFError, ValueError, ArithmeticError) as error:
            if isinstance(error, OSError) and error.errno:  # the disk's; those of bz2 have no number
                raise
            why = str(error)[:100] if isinstance(error, ValueError) else "its data is damaged"
            said = f"{self._path}/{name} cannot be unpacked: {why}; pack it again, or copy the archive again"
            raise Refused("broken", said) from error
        return data[:most]

    def _take(self, entries: list[ZipEntry]) -> None:
        """The entries that can be read, by their names; of the others the reasons."""
        charset = guess_charset([entry.raw for entry in entries if entry.name is None])
        locked = 0
        taken: Counter[str] = Counter()
        for entry in entries:
            raw = entry.raw.decode(charset, errors="replace") if entry.name is None else entry.name
            try:
                name = clean_name(raw)
            except ValueError as error:
                self._add_problem(escape_name(raw), "broken", f"{error}; unpack the archive and rename it")
                continue
            if not name:
                continue
            taken[name] += 1
            if entry.is_locked:
                locked += 1
            elif entry.is_link:
                self._add_problem(name, IGNORED, "it is a link")
            elif entry.method not in (STORED, DEFLATED, BZIPPED):
                how = METHODS.get(entry.method, str(entry.method))
                self._add_problem(name, "unreadable", f"it is packed by the method {how}; unpack the archive")
            elif is_dense(entry.size, entry.packed):
                why = f"it unpacks to {entry.size:,} bytes from {entry.packed:,}, as only a bomb does"
                self._add_problem(name, "too_large", why)
            else:
                self._entries[name] = entry
        for name, count in taken.items():
            if count > 1 and name in self._entries:
                del self._entries[name]
                self._add_problem(name, "broken", f"{count} files of the archive have this name; pack it again")
        if locked:
            why = f"{self._path} is protected by a password ({format_count(locked, 'file')}); unpack it"
            self.problems.append(Problem("", "encrypted", why))

    def _check_places(self) -> None:
        """Leave out entries that share bytes, as a small archive does that unpacks to much."""
        end = 0
        for name, entry in sorted(self._entries.items(), key=lambda one: (one[1].offset, one[0])):
            if entry.offset < end:
                self._add_problem(name, "broken", "it shares its bytes with another file, as only a bomb does")
                del self._entries[name]
            end = max(end, entry.offset + LOCAL.size + len(entry.raw) + entry.packed)

    def _add_problem(self, name: str, reason: str, why: str) -> None:
        self.problems.append(Problem(name, reason, f"{self._path}/{name} was not read: {why}"))


class _Unpacker(Protocol):
    """What zlib and bz2 have in common."""

    @property
    def eof(self) -> bool: ...


def _unpack(file: BinaryIO, entry: ZipEntry, most: int) -> Iterator[bytes]:
    """The content of an entry piece by piece, until there is `most` of it, or more than the entry says."""
    left, wanted = entry.packed, min(most, entry.size + 1)
    if entry.method == STORED:
        yield file.read(min(left, wanted))
        return
    if entry.method == DEFLATED:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        waiting = b""
        while wanted > 0 and not inflate.eof:
            if not waiting:
                waiting = file.read(min(PIECE, left))
                left -= len(waiting)
            check_work()
            made = inflate.decompress(waiting, min(PIECE, wanted))
            if not made and not waiting:
                raise EOFError
            waiting = inflate.unconsumed_tail
            wanted -= len(made)
            yield made
        return
    import bz2

    unzip = bz2.BZ2Decompressor()
    while wanted > 0 and not unzip.eof:
        waiting = file.read(min(PIECE, left)) if unzip.needs_input else b""
        left -= len(waiting)
        check_work()
        made = unzip.decompress(waiting, min(PIECE, wanted))
        if not made and not waiting and unzip.needs_input:
            raise EOFError
        wanted -= len(made)
        yield made
