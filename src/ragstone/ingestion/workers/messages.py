"""Messages between parent and child: pickles with their length before them."""

import copyreg
import logging
import pickle
import sys
from collections.abc import Callable
from dataclasses import fields
from io import BytesIO
from operator import attrgetter
from typing import IO, Any

from ragstone.core.types import Chunk, Document, Span
from ragstone.providers import WordPiece

SIZE = 8  # bytes of the length

log = logging.getLogger("ragstone")


def _make_reducer(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Reduces a frozen dataclass to its values, several times as fast as it does so itself."""
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


REDUCERS: dict[type[Any], Callable[[Any], Any]] = {
    **copyreg.dispatch_table,
    **{kind: _make_reducer(kind) for kind in (Chunk, Document, Span)},
    WordPiece: lambda _: (WordPiece, ()),  # its vocabulary is read anew
}


def pack_message(value: object) -> bytes:
    """A value as a message."""
    out = BytesIO()
    pickler = pickle.Pickler(out, protocol=5)
    pickler.dispatch_table = REDUCERS
    pickler.dump(value)
    return out.getvalue()


def pack_if_portable(value: object) -> bytes | None:
    """A value as a message, None when another process could not make it out or none can be started."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        message = pack_message(value)
    except Exception as error:  # a class of the caller's own may refuse in any way
        log.debug("no processes: %s: %s", type(error).__name__, error)
        return None
    # What the running script defines is not there in a child, whose main module is another.
    return None if b"__main__" in message else message


def send(pipe: IO[bytes], message: bytes) -> None:
    """Write one message; raises `OSError` when the other side has ended."""
    pipe.write(len(message).to_bytes(SIZE))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes], most: int = sys.maxsize) -> bytes:
    """Read one message; raises `EOFError` when the other side has ended, or the message is longer than `most`."""
    size = int.from_bytes(_read_exactly(pipe, SIZE))
    if size > most:
        raise EOFError
    return _read_exactly(pipe, size)


def _read_exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
