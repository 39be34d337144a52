"""The vector file: float32 rows that are appended, or overwritten with zeros; a checksum for each 1,024 of them.

Header of 64 bytes, little-endian: magic (8 bytes), version (u16), reserved (u16), dimension (u32), random id (16
bytes, zeros unless encrypted), zeros, CRC32-C of the 60 bytes before it (u32). The checksums of the rows are kept
in SQLite, in the same transaction as the slot counter: rows beyond the counter are the remains of a crash and mean
nothing. A slot below it that no key names is dead: it counts as zeros, whether it is overwritten yet or not.
"""

import mmap
import os
import sqlite3
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt, StoreTooNew
from ragstone.core.ports import Vectors
from ragstone.stores.cosine import Rows
from ragstone.stores.crypt import Cipher, Secret
from ragstone.stores.durable import sync_directory, write_aside
from ragstone.stores.embedded import sealedrows
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.sealedrows import Pages, SealedRows
from ragstone.stores.embedded.tables import ACTIVE, Tables

MAGIC = b"RAGVECT\0"
VERSION = 1
SEALED = b"RAGVSEAL"
HEAD = struct.Struct("<8sHHI16s28x")
HEADER = HEAD.size + 4
BLOCK = 1_024
EMPTY = np.zeros(0, dtype=np.int64)


def damaged(path: Path, what: str) -> Corrupt:
    """The sentence for a vector file that cannot be trusted."""
    return Corrupt(f"{path} is damaged ({what}); keyword search still works; run: ragstone doctor --repair")


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of one file are written: `cipher` seals them, None where they stand as they are."""

    dimension: int
    cipher: Cipher | None = None

    @property
    def stride(self) -> int:
        """The bytes of a row."""
        return self.dimension * 4 if self.cipher is None else sealedrows.stride(self.dimension)

    def offset(self, slot: int) -> int:
        """Where a row begins."""
        return HEADER + slot * self.stride

    def written(self, vectors: Vectors, *, first: int) -> bytes:
        """Rows as they stand in the file from slot `first` on."""
        if self.cipher is None:
            return np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        return sealedrows.sealed(self.cipher, vectors, first=first)


def make(path: Path, dimension: int, key: Secret | None = None) -> None:
    """An empty vector file, encrypted with a key."""
    own = (MAGIC, bytes(16)) if key is None else (SEALED, os.urandom(16))
    head = HEAD.pack(own[0], VERSION, 0, dimension, own[1])
    write_aside(path, head + struct.pack("<I", google_crc32c.value(head)))


def form(path: Path, dimension: int, key: Secret | None = None) -> Form:
    """How its rows are written; raises unless the file is ours, of this dimension and encrypted as expected."""
    with _opened(path) as file:
        return _form(path, file.read(HEADER), dimension, key)


def mapped_rows(
    path: Path, *, dimension: int, rows: int, key: Secret | None = None, pages: Pages | None = None
) -> Rows:
    """The first rows, read-only, of shape (rows, dimension); checksums are not looked at.

    Those of a plain file are a view of it. Those of an encrypted one are decrypted when asked for, and kept in `pages`.
    """
    with _opened(path) as file:
        own = _form(path, file.read(HEADER), dimension, key)
        if os.fstat(file.fileno()).st_size < own.offset(rows):
            raise damaged(path, "it is cut short")
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if own.cipher is not None:
        shape = (rows, dimension)
        return SealedRows(path, view, own.cipher, start=HEADER, shape=shape, pages=pages or Pages())
    flat = np.frombuffer(view, dtype="<f4", count=rows * dimension, offset=HEADER)
    return flat.reshape(rows, dimension)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise damaged(path, "it is gone") from error
    except IsADirectoryError as error:
        raise damaged(path, "it is a folder") from error


def _form(path: Path, head: bytes, dimension: int, key: Secret | None) -> Form:
    if len(head) < HEADER or struct.unpack_from("<I", head, HEAD.size)[0] != google_crc32c.value(head[: HEAD.size]):
        raise damaged(path, "its header does not match its checksum")
    magic, version, _, found, file_id = HEAD.unpack_from(head)
    wanted = MAGIC if key is None else SEALED
    if magic == wanted and version > VERSION:
        raise StoreTooNew(f"{path} has format {version}, this program reads up to {VERSION}: upgrade ragstone")
    if magic != wanted or found != dimension:
        raise damaged(path, f"it holds {found} dimensions, {dimension} were expected")
    return Form(dimension, None if key is None else sealedrows.cipher(key, head[:HEADER], file_id))


def append(path: Path, vectors: Vectors, *, first: int, key: Secret | None = None) -> None:
    """Write rows at slots first, first + 1, … and sync them; the caller holds the write transaction."""
    own = form(path, vectors.shape[1], key)
    reach("append.before")
    _put(path, [(own.offset(first), own.written(vectors, first=first))])
    reach("append.synced")


def overwrite(path: Path, slots: Sequence[int], own: Form) -> None:
    """Put zeros in place of rows, and sync them; the caller holds the write transaction."""
    zeros = bytes(own.stride)
    _put(path, [(own.offset(slot), zeros) for slot in slots])


def _put(path: Path, pieces: Iterable[tuple[int, bytes]]) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        for start, piece in pieces:
            offset, data = start, memoryview(piece)
            while data:
                written = os.pwrite(fd, data, offset)
                data, offset = data[written:], offset + written
        reach("append.written")
        os.fsync(fd)
    finally:
        os.close(fd)


def standing(path: Path, slots: Sequence[int], own: Form) -> list[int]:
    """Those of the slots whose rows are not zeros."""
    with _opened(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        zeros = bytes(own.stride)
        return [slot for slot in slots if view[own.offset(slot) : own.offset(slot + 1)] != zeros]


def write_new(path: Path, pieces: Iterable[Vectors], *, dimension: int, key: Secret | None = None) -> None:
    """A whole vector file at once, synced; nothing refers to it before the caller commits."""
    make(path, dimension, key)
    own, first = form(path, dimension, key), 0
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    with open(fd, "wb") as file:
        for piece in pieces:
            file.write(own.written(piece, first=first))
            first += len(piece)
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
    connection: sqlite3.Connection, rows: Rows, *, trusted: dict[int, int], tables: Tables = ACTIVE
) -> list[int]:
    """The blocks whose rows differ from their checksum.

    `trusted` remembers how many rows of each block were found good, so that each is read once a process.
    """
    bad, dead = [], None
    kept = connection.execute(f"SELECT block, rows, crc FROM {tables.blocks} ORDER BY block")  # noqa: S608
    for block, held, value in kept:
        if trusted.get(block, -1) >= held:
            continue
        dead = dead_slots(connection, len(rows), tables) if dead is None else dead
        if block_crc(rows, block, held, dead=dead) == value:
            trusted[block] = held
        else:
            bad.append(block)
    wanted = (min(BLOCK, len(rows) - start) for start in range(0, len(rows), BLOCK))
    bad.extend(block for block, count in enumerate(wanted) if trusted.get(block, -1) < count)
    return sorted(set(bad))


def dead_slots(connection: sqlite3.Connection, rows: int, tables: Tables = ACTIVE) -> NDArray[np.int64]:
    """The slots below `rows` that no key names, in order."""
    sql = f"SELECT slot FROM {tables.vectors} WHERE slot >= 0 AND slot < ?"  # noqa: S608
    named = connection.execute(sql, (rows,)).fetchall()
    return np.setdiff1d(np.arange(rows), np.array(named, dtype=np.int64).reshape(-1)) if len(named) < rows else EMPTY


def block_crc(rows: Rows, block: int, held: int, *, dead: NDArray[np.int64]) -> int | None:
    """The checksum of a block's first rows, dead ones taken as zeros; None where they are not all there."""
    first = block * BLOCK
    try:
        piece = rows[first : first + held]
    except Corrupt:
        return None
    inside = dead[(dead >= first) & (dead < first + held)] - first
    if len(inside):
        piece = piece.copy()
        piece[inside] = 0
    return crc(piece) if len(piece) == held else None
