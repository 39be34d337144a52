"""Text with runs of NUL bytes in it, as a crash leaves them in a log."""

import re
from itertools import islice

HOLE = re.compile(rb"\0+")
HOLES = 50  # bytes of text for each run of NUL bytes at least
SHORT = 16  # NUL bytes of the first line by which it is rather the head of a binary file
TAR = slice(257, 262)  # where an archive of texts, which is little else, says that it is one


def is_holed_text(start: bytes, data: bytes) -> bool:
    """Whether this is UTF-8 with few runs of NUL bytes; `start` is looked at first, so that most binary files cost
    little."""
    said = start.replace(b"\0", b"")
    if start[TAR] == b"ustar" or not is_utf8(said) or _has_many_holes(start):
        return False
    if any(len(hole) < SHORT for hole in HOLE.findall(start.partition(b"\n")[0])):
        return False
    return not _has_many_holes(data) and is_utf8(data.replace(b"\0", b""))


def _has_many_holes(data: bytes) -> bool:
    most = (len(data) - data.count(0)) // HOLES
    return next(islice(HOLE.finditer(data), most, None), None) is not None


def is_utf8(data: bytes) -> bool:
    """Whether this is UTF-8, apart from a character cut at the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True
