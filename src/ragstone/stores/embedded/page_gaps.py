"""Zeros in the unused bytes of a database's pages: `python page_gaps.py DATABASE`, a program of its own.

SQLite overwrites deleted rows (`secure_delete`), but when it moves rows to another page it leaves the bytes where they
stood, in the gap between the page's list of cells and its cells. VACUUM removes them and writes the whole file; this
writes the gaps alone. No page's meaning changes, so a kill in between does no harm.

It is a process of its own because closing a database file drops the locks that SQLite holds on it in a process. The
caller holds the write lock, and the log is empty: then no other process writes to the file. Layout:
https://www.sqlite.org/fileformat2.html#b_tree_pages
"""

import os
import struct
import sys
from collections.abc import Iterator
from io import FileIO

MAGIC = b"SQLite format 3\0"
FILE_HEAD = 100  # bytes before the first page's own head
PAGE_HEAD = struct.Struct(">BHHHB")  # kind, first free block, cells, start of the cells, fragments
HEAD_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}  # by kind: inner page of an index, of a table, leaf of either
FREE_BLOCK = struct.Struct(">HH")  # the next one, bytes of this one with these four
AT_ONCE = 256  # pages of one read
MAX_PAGES = 1 << 24  # of 4 KiB 64 GiB: past that, the number at the head of a page of overflow could look like a kind
LOCK_BYTE = 1 << 30  # the page of this byte holds no data; on Windows it is locked


def wipe_file(path: str) -> int:
    """Put zeros into all gaps, durable when this returns; how many bytes that took.

    Raises `ValueError` for any other file.
    """
    with open(path, "r+b", buffering=0) as file:
        head = file.read(FILE_HEAD)
        if not head.startswith(MAGIC):
            raise ValueError(f"{path} is not a plain SQLite database")
        size = int.from_bytes(head[16:18], "big")
        size = 65_536 if size == 1 else size
        wiped = 0
        for at, page in _iter_pages(file, size):
            for start, end in _find_gaps(page, size - head[20], FILE_HEAD if at == 0 else 0):
                if page.count(0, start, end) != end - start:
                    file.seek(at + start)
                    wiped += file.write(bytes(end - start))
        if wiped:
            os.fsync(file.fileno())
        return wiped


def _iter_pages(file: FileIO, size: int) -> Iterator[tuple[int, bytes]]:
    """Each page with its place in the file, but the one of locks."""
    pages = os.fstat(file.fileno()).st_size // size
    if pages > MAX_PAGES:
        raise ValueError(f"{pages} pages are more than can be told apart")
    for first in range(0, pages, AT_ONCE):
        file.seek(first * size)
        read = file.read(min(AT_ONCE, pages - first) * size)
        for at in range(first, first + len(read) // size):
            if at != LOCK_BYTE // size:
                yield at * size, read[(at - first) * size : (at - first + 1) * size]


def _find_gaps(page: bytes, usable: int, offset: int) -> list[tuple[int, int]]:
    """The unused stretches of a page of rows or keys; none of any other page, or of one that makes no sense."""
    kind, free, cells, content, _ = PAGE_HEAD.unpack_from(page, offset)
    if kind not in HEAD_BYTES:
        return []
    start, content = offset + HEAD_BYTES[kind] + 2 * cells, content or 65_536
    if not start <= content <= usable:
        return []
    listed = struct.unpack_from(f">{cells}H", page, start - 2 * cells)
    if any(not content <= cell < usable for cell in listed):
        return []
    gaps = [(start, content)]
    while free:
        following, length = FREE_BLOCK.unpack_from(page, free)
        if free < content or length < FREE_BLOCK.size or free + length > usable or 0 < following <= free:
            return []
        gaps.append((free + FREE_BLOCK.size, free + length))
        free = following
    return gaps


if __name__ == "__main__":
    print(wipe_file(sys.argv[1]))
