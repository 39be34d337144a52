"""Rows for PostgreSQL's binary COPY: the quickest way in, and no value passes through text.

Format: https://www.postgresql.org/docs/current/sql-copy.html (binary), types as their `_send` functions write them.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from psycopg import AsyncCursor, sql

from ragstone.core.ports import Vectors

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = struct.pack("!h", -1)
ABSENT = struct.pack("!i", -1)
TEXT_OID = 25
PIECE = 1 << 18  # bytes handed over at once
STAGE = sql.SQL("""CREATE TEMPORARY TABLE IF NOT EXISTS {stage} ON COMMIT DELETE ROWS AS
    SELECT {columns} FROM {table} WITH NO DATA""")
INSERT = sql.SQL("INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {stage}")

_short, _int, _long = struct.Struct("!h"), struct.Struct("!i"), struct.Struct("!q")
_array = struct.Struct("!iiI")
_size = struct.Struct("!ii")
Row = Sequence[bytes | None]
_staged: WeakKeyDictionary[AsyncCursor[tuple[object, ...]], set[str]] = WeakKeyDictionary()


def encode_text(value: str | None) -> bytes | None:
    """A text, or nothing."""
    return None if value is None else value.encode()


def encode_int4(value: int) -> bytes:
    """A number of four bytes."""
    return _int.pack(value)


def encode_int8(value: int) -> bytes:
    """A number of eight bytes."""
    return _long.pack(value)


def encode_boolean(value: bool) -> bytes:  # one value is all there is
    """A truth value."""
    return b"\x01" if value else b"\0"


def encode_jsonb(value: bytes) -> bytes:
    """JSON for a jsonb column."""
    return b"\x01" + value


def encode_text_array(values: Sequence[str]) -> bytes:
    """An array of text; an empty one has no dimension."""
    if not values:
        return _array.pack(0, 0, TEXT_OID)
    parts = [_array.pack(1, 0, TEXT_OID), _size.pack(len(values), 1)]
    for value in values:
        data = value.encode()
        parts += (_int.pack(len(data)), data)
    return b"".join(parts)


def encode_vector(value: Vectors) -> bytes:
    """pgvector's own form: dimension, nothing, float32 in network order."""
    return struct.pack("!hh", len(value), 0) + np.ascontiguousarray(value, dtype=">f4").tobytes()


def encode_half_vector(value: NDArray[np.int8]) -> bytes:
    """pgvector's form of half precision: likewise, two bytes a number."""
    return struct.pack("!hh", len(value), 0) + value.astype(">f2").tobytes()


async def copy_rows(cursor: AsyncCursor[tuple[object, ...]], table: str, columns: str, rows: Iterable[Row]) -> None:
    """Write rows, their fields as the functions here make them, in the order of `columns`.

    By way of a temporary table of the session: a table under row-level security takes no COPY. A cursor serves one
    transaction.
    """
    target, stage = sql.Identifier("ragstone", table), sql.Identifier("pg_temp", f"stage_{table}")
    named = sql.SQL(", ").join(map(sql.Identifier, columns.split()))
    staged = _staged.setdefault(cursor, set())
    if table in staged:  # earlier in this transaction
        await cursor.execute(sql.SQL("TRUNCATE {}").format(stage))
    staged.add(table)
    await cursor.execute(STAGE.format(stage=sql.Identifier(f"stage_{table}"), columns=named, table=target))
    async with cursor.copy(sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(stage)) as copy:
        for piece in _encode_pieces(rows):
            await copy.write(piece)
    await cursor.execute(INSERT.format(stage=stage, columns=named, table=target))


def _encode_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    parts: list[bytes] = [HEADER]
    held = 0
    for row in rows:
        parts.append(_short.pack(len(row)))
        for value in row:
            if value is None:
                parts.append(ABSENT)
            else:
                parts += (_int.pack(len(value)), value)
                held += len(value) + 4
        if held > PIECE:
            yield b"".join(parts)
            parts, held = [], 0
    parts.append(END)
    yield b"".join(parts)
