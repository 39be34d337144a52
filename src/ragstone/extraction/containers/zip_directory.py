"""The directory of a ZIP archive: every entry with its place, read in bounded memory; of an archive that is cut short
the entries before the cut."""

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.extraction.containers.container import Budget
from ragstone.extraction.media_types import ZIP_END, ZIP_TAIL

END = struct.Struct("<4s4H2LH")
LOCATOR = struct.Struct("<4sLQL")
END_64 = struct.Struct("<4sQ2H2L4Q")
ENTRY = struct.Struct("<4s6H3L5H2L")
LOCAL = struct.Struct("<4s5H3L2H")
ENTRY_MARK, LOCAL_MARK = b"PK\x01\x02", b"PK\x03\x04"
LOCATOR_MARK, END_64_MARK = b"PK\x06\x07", b"PK\x06\x06"
LARGE, LARGE_SHORT = 0xFFFFFFFF, 0xFFFF  # the number itself stands elsewhere
SIZES, UNICODE_NAME = 0x0001, 0x7075  # extra fields
ENTRY_BYTES = 1000  # of the directory for each member allowed: names are shorter
LOCKED, STREAMED, UTF_8 = 0x0041, 0x0008, 0x0800  # flags
UNIX, LINK, KINDS = 3, 0xA000, 0xF000


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An entry as its archive describes it; `name` is None where the archive does not say how `raw` is encoded."""

    raw: bytes
    name: str | None
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    is_link: bool = False

    @property
    def is_locked(self) -> bool:
        """Whether it needs a password."""
        return bool(self.flags & LOCKED)


def read_entries(file: BinaryIO, *, path: str, budget: Budget) -> tuple[list[ZipEntry], bool]:
    """The entries of an archive, and whether its directory is whole. Raises `Refused`: broken, too_large."""
    size = file.seek(0, os.SEEK_END)
    found = _find_directory(file, size)
    if found is None:
        return list(_recover_entries(file, size, budget)), False
    start, length, shift, count = found
    budget.check_count(count, path)
    if length > budget.members * ENTRY_BYTES or start < 0 or start + length > size:
        reason = "broken" if start < 0 or start + length > size else "too_large"
        raise Refused(reason, f"{path} has a directory that cannot be right; pack it again")
    file.seek(start)
    directory = file.read(length)
    budget.check_count(directory.count(ENTRY_MARK), path)
    entries = []
    at = 0
    while at < len(directory):
        entry, at = _read_entry(directory, at, shift, path)
        entries.append(entry)
    return entries, True


def _find_directory(file: BinaryIO, size: int) -> tuple[int, int, int, int] | None:
    """Where the directory begins, its length, how far all places in it are off, and how many entries it should have."""
    begin = max(0, size - ZIP_TAIL - LOCATOR.size - END_64.size)
    file.seek(begin)
    tail = file.read(ZIP_TAIL + LOCATOR.size + END_64.size)
    at = tail.rfind(ZIP_END)
    if at < 0 or at + END.size > len(tail):
        return None
    _, _, _, _, count, length, offset, _ = END.unpack_from(tail, at)
    end = at
    if LARGE in (length, offset) or count == LARGE_SHORT:
        end = at - LOCATOR.size - END_64.size
        if end >= 0 and tail[end : end + 4] == END_64_MARK and tail[at - LOCATOR.size :][:4] == LOCATOR_MARK:
            _, _, _, _, _, _, _, count, length, offset = END_64.unpack_from(tail, end)
        else:
            end = at
    start = begin + end - length
    return start, length, start - offset, count


def _read_entry(directory: bytes, at: int, shift: int, path: str) -> tuple[ZipEntry, int]:
    try:
        mark, made, _, flags, method, _, _, crc, packed, size, names, extras, notes, _, _, rights, offset = (
            ENTRY.unpack_from(directory, at)
        )
    except struct.error as error:
        raise Refused("broken", f"{path} has a damaged directory; copy or download the file again") from error
    if mark != ENTRY_MARK:
        raise Refused("broken", f"{path} has a damaged directory; copy or download the file again")
    at += ENTRY.size
    raw, extra = directory[at : at + names], directory[at + names : at + names + extras]
    packed, size, offset = _read_sizes(extra, packed, size, offset)
    is_link = made >> 8 == UNIX and (rights >> 16) & KINDS == LINK
    entry = ZipEntry(
        raw, _decode_name(raw, flags, extra), flags, method, crc, packed, size, max(0, offset + shift), is_link
    )
    return entry, at + names + extras + notes


def _recover_entries(file: BinaryIO, size: int, budget: Budget) -> Iterator[ZipEntry]:
    """The entries by the heads before them, up to the first whose length stands behind it, or that is cut."""
    at = 0
    for _ in range(budget.members):
        file.seek(at)
        head = file.read(LOCAL.size)
        if len(head) < LOCAL.size or head[:4] != LOCAL_MARK:
            return
        _, _, flags, method, _, _, crc, packed, length, names, extras = LOCAL.unpack(head)
        raw, extra = file.read(names), file.read(extras)
        packed, length, _ = _read_sizes(extra, packed, length, 0)
        end = at + LOCAL.size + names + extras + packed
        if flags & STREAMED or end > size:
            return
        yield ZipEntry(raw, _decode_name(raw, flags, extra), flags, method, crc, packed, length, at)
        at = end


def _read_sizes(extra: bytes, packed: int, size: int, offset: int) -> tuple[int, int, int]:
    """The numbers of an entry, also those that are too large for their fields."""
    field = dict(_list_fields(extra)).get(SIZES, b"")
    numbers = iter(value for (value,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8]))
    size = next(numbers, size) if size == LARGE else size
    packed = next(numbers, packed) if packed == LARGE else packed
    offset = next(numbers, offset) if offset == LARGE else offset
    return packed, size, offset


def _decode_name(raw: bytes, flags: int, extra: bytes) -> str | None:
    if flags & UTF_8 or raw.isascii():
        return raw.decode(errors="surrogateescape")
    field = dict(_list_fields(extra)).get(UNICODE_NAME, b"")
    if len(field) > 5 and field[0] == 1 and int.from_bytes(field[1:5], "little") == zlib.crc32(raw):
        return field[5:].decode(errors="surrogateescape")
    return None


def _list_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        yield kind, extra[at + 4 : at + 4 + length]
        at += 4 + length
