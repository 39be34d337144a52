"""A single text packed by gzip, as manual pages and old logs are: it is read as the text that it holds."""

import gzip
import io
import zlib

from ragstone.core.errors import Refused

ENDING = ".gz"
LOOKED_AT = 64 * 1024  # bytes of each, packed and unpacked


def unpack_start(data: bytes) -> bytes:
    """The beginning of the content of a packed file; nothing where that cannot be unpacked."""
    try:
        return zlib.decompressobj(wbits=31).decompress(data[:LOOKED_AT], LOOKED_AT)
    except zlib.error:
        return b""


def is_damaged(data: bytes) -> bool:
    """Whether a packed file, or the beginning of one, is cut short or damaged before its content begins."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        return not unpacker.decompress(data[:LOOKED_AT], LOOKED_AT) and not unpacker.eof
    except zlib.error:
        return True


def unpack_text(data: bytes, *, path: str, most: int) -> tuple[bytes, str]:
    """The content of a packed file, and its name without the ending; never more than `most` bytes are unpacked.

    Raises `Refused`: too_large, and broken for a file that is damaged or cut short.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Refused("broken", f"{path} cannot be unpacked: it is damaged or cut short; get the file anew") from error
    if len(text) > most:
        raise Refused(
            "too_large",
            f"{path} unpacks to more than the {most:,} bytes allowed for text; unpack and split it, or raise "
            "limits.text_bytes",
        )
    return text, path[: -len(ENDING)] if path.lower().endswith(ENDING) else path
