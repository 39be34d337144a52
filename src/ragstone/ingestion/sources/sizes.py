"""The size of a file, checked before it is read whole."""

from ragstone.core.ports import ListedFile, PeekingSource, Source
from ragstone.extraction import Limits, check_size
from ragstone.extraction.media_types import LOOKED_AT, detect


def check_file_size(source: Source, entry: ListedFile, limits: Limits, *, called: str) -> None:
    """Raises `Refused` (too_large) for a file of more bytes than the type that its beginning shows may have.

    `called` is its name in the message.
    """
    if entry.size > min(limits.text, limits.office) and isinstance(source, PeekingSource):
        media_type = detect(source.peek(entry.path, LOOKED_AT), entry.path)
        check_size(entry.size, media_type, path=called, limits=limits)
