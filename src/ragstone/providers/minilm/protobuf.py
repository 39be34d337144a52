"""As much of the protocol buffer wire format as reading and writing an ONNX file takes."""

import struct
from collections.abc import Iterator

Field = int | float | str | bytes

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message in order, as (number, value): varints as numbers, all else as bytes, not copied.

    Raises ValueError for invalid bytes.
    """
    at, end = 0, len(message)
    while at < end:
        tag, at = _read_varint(message, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = _read_varint(message, at)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, at = _read_varint(message, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind, end + 1)
        if at + size > end:
            raise ValueError("a field reaches past the end of its message")
        yield tag >> 3, message[at : at + size]
        at += size


def encode_field(number: int, value: Field) -> bytes:
    """One field: a number as varint, a float in 4 bytes, text and messages with their length."""
    if isinstance(value, float):
        return _encode_varint(number << 3 | FIXED32) + struct.pack("<f", value)
    if isinstance(value, int):
        return _encode_varint(number << 3 | VARINT) + _encode_varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _encode_varint(number << 3 | BYTES) + _encode_varint(len(data)) + data


def encode_message(*parts: tuple[int, Field]) -> bytes:
    """A message of (number, value) fields."""
    return b"".join(encode_field(number, value) for number, value in parts)


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number does not end")


def _encode_varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as 64 bits in two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
