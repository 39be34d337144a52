"""The vector file: float32 rows that are only ever appended, with a checksum for each 1,024 of them.

Header of 64 bytes, little-endian: magic (8 bytes), version (u16), reserved (u16), dimension (u32), zeros,
CRC32-C of the 60 bytes before it (u32). The checksums of the rows are kept in SQLite, in the same
transaction as the slot counter: rows beyond the counter are the remains of a crash and mean nothing.
"""

import mmap
import os
import sqlite3
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.errors import Corrupt, StoreTooNew
from ragstone.ports import Vectors
from ragstone.stores.durable import sync_directory, write_aside
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.tables import ACTIVE, Tables

MAGIC = b"RAGVECT\0"
VERSION = 1
HEAD = struct.Struct("<8sHHI44x")
HEADER = HEAD.size + 4
BLOCK = 1_024


def damaged(path: Path, what: str) -> Corrupt:
    """The sentence for a vector file that cannot be trusted."""
    return Corrupt(f"{path} is damaged ({what}); keyword search still works; run: ragstone doctor --repair")


def make(path: Path, dimension: int) -> None:
    """An empty vector file."""
    head = HEAD.pack(MAGIC, VERSION, 0, dimension)
    write_aside(path, head + struct.pack("<I", google_crc32c.value(head)))


def check_header(path: Path, dimension: int) -> None:
    """Raise unless the file is ours and of this dimension."""
    with _opened(path) as file:
        _check_head(path, file.read(HEADER), dimension)


def mapped_rows(path: Path, *, dimension: int, rows: int) -> Vectors:
    """The first rows as a read-only view of shape (rows, dimension); checksums are not looked at."""
    with _opened(path) as file:
        _check_head(path, file.read(HEADER), dimension)
        if os.fstat(file.fileno()).st_size < HEADER + rows * dimension * 4:
            raise damaged(path, "it is cut short")
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    flat = np.frombuffer(view, dtype="<f4", count=rows * dimension, offset=HEADER)
    return flat.reshape(rows, dimension)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise damaged(path, "it is gone") from error
    except IsADirectoryError as error:
        raise damaged(path, "it is a folder") from error


def _check_head(path: Path, head: bytes, dimension: int) -> None:
    if len(head) < HEADER or struct.unpack_from("<I", head, HEAD.size)[0] != google_crc32c.value(head[: HEAD.size]):
        raise damaged(path, "its header does not match its checksum")
    magic, version, _, found = HEAD.unpack_from(head)
    if magic == MAGIC and version > VERSION:
        raise StoreTooNew(f"{path} has format {version}, this program reads up to {VERSION}: upgrade ragstone")
    if magic != MAGIC or found != dimension:
        raise damaged(path, f"it holds {found} dimensions, {dimension} were expected")


def append(path: Path, vectors: Vectors, *, first: int) -> None:
    """Write rows at slots first, first + 1, … and sync them; the caller holds the write transaction."""
    reach("append.before")
    data = memoryview(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
    offset = HEADER + first * vectors.shape[1] * 4
    fd = os.open(path, os.O_WRONLY)
    try:
        while data:
            written = os.pwrite(fd, data, offset)
            data, offset = data[written:], offset + written
        reach("append.written")
        os.fsync(fd)
    finally:
        os.close(fd)
    reach("append.synced")


def write_new(path: Path, pieces: Iterable[Vectors], *, dimension: int) -> None:
    """A whole vector file at once, synced; nothing refers to it before the caller commits."""
    make(path, dimension)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    with open(fd, "wb") as file:
        for piece in pieces:
            file.write(np.ascontiguousarray(piece, dtype="<f4").tobytes())
        file.flush()
        os.fsync(fd)
    sync_directory(path.parent)


def crc(rows: Vectors, *, before: int = 0) -> int:
    """The CRC32-C of rows, going on from that of the rows before them."""
    flat: NDArray[np.uint8] = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
    return int(google_crc32c.extend(before, flat))


def extend_blocks(connection: sqlite3.Connection, vectors: Vectors, *, first: int, tables: Tables = ACTIVE) -> None:
    """Bring the checksums up to the rows appended at `first`; inside the caller's transaction."""
    done = 0
    while done < len(vectors):
        block, inside = divmod(first + done, BLOCK)
        piece = vectors[done : done + BLOCK - inside]
        before = connection.execute(f"SELECT crc FROM {tables.blocks} WHERE block = ?", (block,)).fetchone()  # noqa: S608
        value = crc(piece, before=before[0] if inside and before else 0)
        row = (block, inside + len(piece), value)
        connection.execute(f"REPLACE INTO {tables.blocks} VALUES (?, ?, ?)", row)  # noqa: S608
        done += len(piece)


def bad_blocks(
    connection: sqlite3.Connection, rows: Vectors, *, trusted: dict[int, int], tables: Tables = ACTIVE
) -> list[int]:
    """The blocks whose rows differ from their checksum.

    `trusted` remembers how many rows of each block were found good, so that each is read once a process.
    """
    bad = []
    kept = connection.execute(f"SELECT block, rows, crc FROM {tables.blocks} ORDER BY block")  # noqa: S608
    for block, held, value in kept:
        if trusted.get(block, -1) >= held:
            continue
        piece = rows[block * BLOCK : block * BLOCK + held]
        if len(piece) == held and crc(piece) == value:
            trusted[block] = held
        else:
            bad.append(block)
    wanted = (min(BLOCK, len(rows) - start) for start in range(0, len(rows), BLOCK))
    bad.extend(block for block, count in enumerate(wanted) if trusted.get(block, -1) < count)
    return sorted(set(bad))
