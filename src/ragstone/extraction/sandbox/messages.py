"""Messages between parent and child: msgpack, which holds values and no code."""

import os
import struct
from typing import IO, Any, Literal

import msgspec

from ragstone.core.types import Extraction

LENGTH = struct.Struct(">Q")  # before a request: its bytes, those of the document not counted
# Before an answer: its kind, whether the child ends with it, to which request, its bytes.
ANSWER = struct.Struct(">c?QQ")
READY, MADE, DRAWN, FAILED = b"r", b"m", b"d", b"f"
PAGE = b"p"  # no answer yet: a page is about to be read by OCR, and brings its time


class Request(msgspec.Struct, frozen=True):
    """A document to read: what with, under which limits; its bytes follow. The answer repeats the number."""

    number: int
    parser: str
    path: str
    options: dict[str, Any]
    size: int
    cpu_seconds: float
    wall_seconds: float
    memory_bytes: int
    output_bytes: int
    pages: int = 0
    page_seconds: float = 0.0
    page_wall: float = 0.0


class Failure(msgspec.Struct, frozen=True):
    """Why nothing was made: the parser's refusal, or what went wrong, a name and its trace for the log."""

    kind: Literal["refused", "memory", "output", "raised", "unloadable", "unlimited"]
    reason: str = ""
    message: str = ""
    trace: str = ""


pack_message = msgspec.msgpack.Encoder().encode
unpack_request = msgspec.msgpack.Decoder(Request).decode
unpack_failure = msgspec.msgpack.Decoder(Failure).decode
unpack_extraction = msgspec.msgpack.Decoder(Extraction).decode

DECODE_ERRORS = (msgspec.DecodeError, RecursionError, UnicodeError, ValueError, TypeError)
"""What the three raise on bytes that a child should not have sent."""


def open_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Its input and output as pipes of requests and answers, apart from standard input and output."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return requests, answers
