"""Workbooks of Excel 97 (BIFF8 in a compound file), written by hand: a few sheets of short texts and numbers."""

import struct
from collections.abc import Mapping, Sequence

SECTOR = 512
LEAST = 4096  # bytes from which a stream has sectors of its own
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def binary(sheets: Mapping[str, Sequence[Sequence[str | float]]]) -> bytes:
    """The bytes of such a file."""
    bodies = [
        _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 6)) + _cells(rows) for rows in sheets.values()
    ]
    first = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6)) + _record(0x42, struct.pack("<H", 1200))
    at = len(first) + sum(4 + 8 + 2 * len(name) for name in sheets) + 4
    listed = b""
    for name, body in zip(sheets, bodies, strict=True):
        listed += _record(0x85, struct.pack("<IBBBB", at, 0, 0, len(name), 1) + name.encode("utf-16-le"))
        at += len(body)
    return compound("Workbook", first + listed + _record(0x0A) + b"".join(bodies))


def compound(name: str, stream: bytes) -> bytes:
    """A compound file that holds one stream."""
    stream = stream.ljust(max(LEAST, -(-len(stream) // SECTOR) * SECTOR), b"\0")
    count = len(stream) // SECTOR
    chains = [TABLE, END, *range(3, 2 + count), END]  # the table itself, the listing, the stream
    table = b"".join(struct.pack("<I", entry) for entry in chains).ljust(SECTOR, b"\xff")
    assert len(table) == SECTOR
    listing = (_entry("Root Entry", 5, child=1) + _entry(name, 2, start=2, size=len(stream))).ljust(SECTOR, b"\0")
    head = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, 1, 1, 0, LEAST, END, 0, END, 0) + struct.pack("<I", 0)
    return head.ljust(SECTOR, b"\xff") + table + listing + stream


def _entry(name: str, kind: int, *, child: int = FREE, start: int = END, size: int = 0) -> bytes:
    said = name.encode("utf-16-le") + b"\0\0"
    head = said.ljust(64, b"\0") + struct.pack("<HBBIII", len(said), kind, 1, FREE, FREE, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def _cells(rows: Sequence[Sequence[str | float]]) -> bytes:
    out = b""
    for row, values in enumerate(rows):
        for col, value in enumerate(values):
            place = struct.pack("<HHH", row, col, 0)
            if isinstance(value, str):
                said = struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")
                out += _record(0x204, place + said)
            else:
                out += _record(0x203, place + struct.pack("<d", value))
    return out + _record(0x0A)


def _begin(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 6))


def _record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data
