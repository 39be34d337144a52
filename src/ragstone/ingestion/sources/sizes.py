"""The size of a file, checked before it is read whole."""

from ragstone.core.ports import ListedFile, PeekingSource, Source
from ragstone.extraction import Limits, check_size, refuse_binary
from ragstone.extraction.media_types import LOOKED_AT, detect

PEEKED = 256 * 1024  # bytes; a larger file that is no document is known by its start


def check_file_size(source: Source, entry: ListedFile, limits: Limits, *, called: str) -> None:
    """Raises `Refused` (too_large) for a file of more bytes than the type that its beginning shows may have, and
    (binary) for a type that Ragstone never reads.

    `called` is its name in the message.
    """
    if entry.size > PEEKED and isinstance(source, PeekingSource):
        media_type = detect(source.peek(entry.path, LOOKED_AT), entry.path)
        refuse_binary(media_type, path=called)
        check_size(entry.size, media_type, path=called, limits=limits)
