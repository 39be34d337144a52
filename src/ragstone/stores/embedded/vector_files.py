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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt, StoreTooNew
from ragstone.core.ports import Vectors
from ragstone.stores.cosine import Rows
from ragstone.stores.durable_files import replace_file, sync_directory
from ragstone.stores.embedded import encrypted_rows
from ragstone.stores.embedded.encrypted_rows import EncryptedRows, PageCache
from ragstone.stores.embedded.vector_tables import ACTIVE, VectorTables
from ragstone.stores.encryption import Cipher, SecretKey
from ragstone.stores.fault_points import reach_point

PLAIN_MAGIC = b"RAGVECT\0"
VERSION = 1
ENCRYPTED_MAGIC = b"RAGVSEAL"
HEAD = struct.Struct("<8sHHI16s28x")
HEADER_BYTES = HEAD.size + 4
BLOCK_ROWS = 1_024
NO_SLOTS = np.zeros(0, dtype=np.int64)


def damage_error(path: Path, what: str) -> Corrupt:
    """The sentence for a vector file that cannot be trusted."""
    return Corrupt(f"{path} is damaged ({what}); keyword search still works; run: ragstone doctor --repair")


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How the rows of one file are written: `cipher` seals them, None where they stand as they are."""

    dimension: int
    cipher: Cipher | None = None

    @property
    def stride(self) -> int:
        """The bytes of a row."""
        return self.dimension * 4 if self.cipher is None else encrypted_rows.cipher_stride(self.dimension)

    def row_offset(self, slot: int) -> int:
        """Where a row begins."""
        return HEADER_BYTES + slot * self.stride

    def encode_rows(self, vectors: Vectors, *, first: int) -> bytes:
        """Rows as they stand in the file from slot `first` on."""
        if self.cipher is None:
            return np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        return encrypted_rows.encrypt_rows(self.cipher, vectors, first=first)


class FileMapping:
    """A file that stays mapped from one view to the next: to map 17 MB anew costs 2 ms of page faults a question
    (`benchmarks/spine/question.py`). It is mapped again when it has grown or another file has taken its place."""

    def __init__(self) -> None:
        self._view: mmap.mmap | None = None
        self._identity = (-1, -1)

    def map_file(self, file: BinaryIO, least: int) -> mmap.mmap:
        """The first `least` bytes or more of the open file, read-only; raises `ValueError` when it is shorter."""
        found = os.fstat(file.fileno())
        identity = found.st_dev, found.st_ino
        if found.st_size < least:
            raise ValueError(f"the file has {found.st_size} bytes, not {least}")
        if self._view is None or identity != self._identity or len(self._view) < least:
            self._view, self._identity = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), identity
        return self._view


def create_file(path: Path, dimension: int, key: SecretKey | None = None) -> None:
    """An empty vector file, encrypted with a key."""
    own = (PLAIN_MAGIC, bytes(16)) if key is None else (ENCRYPTED_MAGIC, os.urandom(16))
    head = HEAD.pack(own[0], VERSION, 0, dimension, own[1])
    replace_file(path, head + struct.pack("<I", google_crc32c.value(head)))


def read_row_format(path: Path, dimension: int, key: SecretKey | None = None) -> RowFormat:
    """How its rows are written; raises unless the file is ours, of this dimension and encrypted as expected."""
    with _open_file(path) as file:
        return _parse_header(path, file.read(HEADER_BYTES), dimension, key)


def map_rows(
    path: Path,
    *,
    dimension: int,
    rows: int,
    key: SecretKey | None = None,
    pages: PageCache | None = None,
    mapping: FileMapping | None = None,
) -> Rows:
    """The first rows, read-only, of shape (rows, dimension); checksums are not looked at.

    Those of a plain file are a view of it, by `mapping` when it is given. Those of an encrypted one are decrypted when
    asked for, and kept in `pages`.
    """
    with _open_file(path) as file:
        own = _parse_header(path, file.read(HEADER_BYTES), dimension, key)
        try:
            view = (mapping or FileMapping()).map_file(file, own.row_offset(rows))
        except ValueError as error:
            raise damage_error(path, "it is cut short") from error
    if own.cipher is not None:
        shape = (rows, dimension)
        return EncryptedRows(path, view, own.cipher, start=HEADER_BYTES, shape=shape, pages=pages or PageCache())
    flat = np.frombuffer(view, dtype="<f4", count=rows * dimension, offset=HEADER_BYTES)
    return flat.reshape(rows, dimension)


def _open_file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise damage_error(path, "it is gone") from error
    except IsADirectoryError as error:
        raise damage_error(path, "it is a folder") from error


def _parse_header(path: Path, head: bytes, dimension: int, key: SecretKey | None) -> RowFormat:
    if len(head) < HEADER_BYTES or struct.unpack_from("<I", head, HEAD.size)[0] != google_crc32c.value(
        head[: HEAD.size]
    ):
        raise damage_error(path, "its header does not match its checksum")
    magic, version, _, found, file_id = HEAD.unpack_from(head)
    wanted = PLAIN_MAGIC if key is None else ENCRYPTED_MAGIC
    if magic == wanted and version > VERSION:
        raise StoreTooNew(f"{path} has format {version}, this program reads up to {VERSION}: upgrade ragstone")
    if magic != wanted or found != dimension:
        raise damage_error(path, f"it holds {found} dimensions, {dimension} were expected")
    return RowFormat(dimension, None if key is None else encrypted_rows.row_cipher(key, head[:HEADER_BYTES], file_id))


def append_rows(path: Path, vectors: Vectors, *, first: int, key: SecretKey | None = None) -> None:
    """Write rows at slots first, first + 1, … and sync them; the caller holds the write transaction."""
    own = read_row_format(path, vectors.shape[1], key)
    reach_point("append.before")
    _write_pieces(path, [(own.row_offset(first), own.encode_rows(vectors, first=first))])
    reach_point("append.synced")


def zero_rows(path: Path, slots: Sequence[int], own: RowFormat) -> None:
    """Put zeros in place of rows, and sync them; the caller holds the write transaction."""
    zeros = bytes(own.stride)
    _write_pieces(path, [(own.row_offset(slot), zeros) for slot in slots])


def _write_pieces(path: Path, pieces: Iterable[tuple[int, bytes]]) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        for start, piece in pieces:
            offset, data = start, memoryview(piece)
            while data:
                written = os.pwrite(fd, data, offset)
                data, offset = data[written:], offset + written
        reach_point("append.written")
        os.fsync(fd)
    finally:
        os.close(fd)


def find_nonzero(path: Path, slots: Sequence[int], own: RowFormat) -> list[int]:
    """Those of the slots whose rows are not zeros."""
    with _open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        zeros = bytes(own.stride)
        return [slot for slot in slots if view[own.row_offset(slot) : own.row_offset(slot + 1)] != zeros]


def write_file(path: Path, pieces: Iterable[Vectors], *, dimension: int, key: SecretKey | None = None) -> None:
    """A whole vector file at once, synced; nothing refers to it before the caller commits."""
    create_file(path, dimension, key)
    own, first = read_row_format(path, dimension, key), 0
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    with open(fd, "wb") as file:
        for piece in pieces:
            file.write(own.encode_rows(piece, first=first))
            first += len(piece)
        file.flush()
        os.fsync(fd)
    sync_directory(path.parent)


def rows_checksum(rows: Vectors, *, before: int = 0) -> int:
    """The CRC32-C of rows, going on from that of the rows before them."""
    flat: NDArray[np.uint8] = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
    return int(google_crc32c.extend(before, flat))


def add_missing(
    connection: sqlite3.Connection,
    path: Path,
    rows_of: Mapping[str, Vectors],
    *,
    first: int,
    key: SecretKey | None,
    tables: VectorTables = ACTIVE,
) -> int:
    """Append the vectors whose keys have no slot yet, from slot `first` on, inside the caller's transaction; returns
    how many."""
    held = f"SELECT 1 FROM {tables.vectors} WHERE key = ?"  # noqa: S608
    fresh = [name for name in rows_of if connection.execute(held, (name,)).fetchone() is None]
    if fresh:
        rows = np.stack([rows_of[name] for name in fresh])
        append_rows(path, rows, first=first, key=key)
        extend_checksums(connection, rows, first=first, tables=tables)
        slots = ((name, first + i) for i, name in enumerate(fresh))
        connection.executemany(f"INSERT INTO {tables.vectors} VALUES (?, ?)", slots)  # noqa: S608
        connection.execute("UPDATE meta SET value = ? WHERE key = ?", (first + len(fresh), f"{tables.meta}next_slot"))
    return len(fresh)


def extend_checksums(
    connection: sqlite3.Connection, vectors: Vectors, *, first: int, tables: VectorTables = ACTIVE
) -> None:
    """Bring the checksums up to the rows appended at `first`; inside the caller's transaction."""
    done = 0
    while done < len(vectors):
        block, inside = divmod(first + done, BLOCK_ROWS)
        piece = vectors[done : done + BLOCK_ROWS - inside]
        before = connection.execute(f"SELECT crc FROM {tables.blocks} WHERE block = ?", (block,)).fetchone()  # noqa: S608
        value = rows_checksum(piece, before=before[0] if inside and before else 0)
        row = (block, inside + len(piece), value)
        connection.execute(f"REPLACE INTO {tables.blocks} VALUES (?, ?, ?)", row)  # noqa: S608
        done += len(piece)


def find_bad_blocks(
    connection: sqlite3.Connection, rows: Rows, *, trusted: dict[int, int], tables: VectorTables = ACTIVE
) -> list[int]:
    """The blocks whose rows differ from their checksum.

    `trusted` remembers how many rows of each block were found good, so that each is read once a process.
    """
    bad, dead = [], None
    kept = connection.execute(f"SELECT block, rows, crc FROM {tables.blocks} ORDER BY block")  # noqa: S608
    for block, held, value in kept:
        if trusted.get(block, -1) >= held:
            continue
        dead = find_dead_slots(connection, len(rows), tables) if dead is None else dead
        if block_checksum(rows, block, held, dead=dead) == value:
            trusted[block] = held
        else:
            bad.append(block)
    wanted = (min(BLOCK_ROWS, len(rows) - start) for start in range(0, len(rows), BLOCK_ROWS))
    bad.extend(block for block, count in enumerate(wanted) if trusted.get(block, -1) < count)
    return sorted(set(bad))


def find_dead_slots(connection: sqlite3.Connection, rows: int, tables: VectorTables = ACTIVE) -> NDArray[np.int64]:
    """The slots below `rows` that no key names, in order."""
    sql = f"SELECT slot FROM {tables.vectors} WHERE slot >= 0 AND slot < ?"  # noqa: S608
    named = connection.execute(sql, (rows,)).fetchall()
    return np.setdiff1d(np.arange(rows), np.array(named, dtype=np.int64).reshape(-1)) if len(named) < rows else NO_SLOTS


def block_checksum(rows: Rows, block: int, held: int, *, dead: NDArray[np.int64]) -> int | None:
    """The checksum of a block's first rows, dead ones taken as zeros; None where they are not all there."""
    first = block * BLOCK_ROWS
    try:
        piece = rows[first : first + held]
    except Corrupt:
        return None
    inside = dead[(dead >= first) & (dead < first + held)] - first
    if len(inside):
        piece = piece.copy()
        piece[inside] = 0
    return rows_checksum(piece) if len(piece) == held else None
