"""A gzip file read at any place: the state of unpacking is kept at some, so that none is unpacked from the start."""

import threading
import zlib
from dataclasses import dataclass
from typing import Any, BinaryIO

from ragstone.core.errors import Refused
from ragstone.core.work_limit import check_work
from ragstone.extraction.containers.container import is_dense

WBITS = 31  # with gzip's head
PIECE = 1 << 18  # bytes
INTERVAL = 1 << 20  # bytes unpacked between two places that are kept, doubled whenever there are too many
MOST_POINTS = 512  # of 50 kB
MOST_EMPTY = 1000  # steps without a byte unpacked: files that were concatenated, a few of them empty


@dataclass(slots=True)
class _Cursor:
    """A state of unpacking: how many bytes are out, where the next of the file are, those read and not unpacked."""

    unpacker: Any  # zlib's class has no public name
    out: int = 0
    file_at: int = 0
    pending: bytes = b""

    def copy(self) -> "_Cursor":
        return _Cursor(self.unpacker.copy(), self.out, self.file_at, self.pending)


class GzipStream:
    """Reads unpacked bytes at any place of gzip files that were concatenated. Any thread may read."""

    def __init__(self, path: str, *, most: int) -> None:
        """`most`: bytes unpacked; `path` is for messages."""
        self._path = path
        self._most = most
        self._live = _Cursor(zlib.decompressobj(WBITS))
        self._points = [self._live.copy()]
        self._interval = INTERVAL
        self._lock = threading.Lock()

    def read(self, file: BinaryIO, at: int, size: int) -> bytes:
        """Bytes from a place on, fewer where the content ends. Raises `Refused`: broken, too_large."""
        with self._lock:
            nearest = max((one for one in self._points if one.out <= at), key=lambda one: one.out)
            if not nearest.out <= self._live.out <= at:
                self._live = nearest.copy()
            while self._live.out < at:
                if not self._advance(file, min(PIECE, at - self._live.out)):
                    return b""
            found = bytearray()
            while len(found) < size:
                piece = self._advance(file, min(PIECE, size - len(found)))
                if not piece:
                    break
                found += piece
            return bytes(found)

    def _advance(self, file: BinaryIO, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        check_work()
        now = self._live
        for _ in range(MOST_EMPTY):
            if now.unpacker.eof:
                rest = now.unpacker.unused_data
                now.unpacker, now.pending = zlib.decompressobj(WBITS), rest.lstrip(b"\0")
            data = now.pending
            if not data:
                file.seek(now.file_at)
                data = file.read(PIECE)
                now.file_at += len(data)
            if not data:
                return b""
            try:
                made: bytes = now.unpacker.decompress(data, size)
            except zlib.error as error:
                damaged = f"{self._path} is damaged after {now.out:,} bytes; copy or download the file again"
                raise Refused("broken", damaged) from error
            now.pending = now.unpacker.unconsumed_tail
            now.out += len(made)
            self._check(now)
            if made:
                self._keep(now)
                return made
        raise Refused("broken", f"{self._path} is packed in {MOST_EMPTY:,} empty parts, as only a bomb is")

    def _check(self, now: _Cursor) -> None:
        if now.out > self._most:
            raise Refused(
                "too_large",
                f"{self._path} unpacks to more than the {self._most:,} bytes allowed; unpack it, or raise "
                "limits.archive_bytes",
            )
        if is_dense(now.out, now.file_at):
            raise Refused("too_large", f"{self._path} unpacks to {now.out:,} bytes from a few, as only a bomb does")

    def _keep(self, now: _Cursor) -> None:
        """Keep the state where it is far enough from the last one."""
        if now.out < self._points[-1].out + self._interval:
            return
        self._points.append(now.copy())
        if len(self._points) > MOST_POINTS:
            del self._points[1::2]
            self._interval *= 2
