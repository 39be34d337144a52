"""Text with runs of NUL bytes in it, as a crash leaves them in a log."""

import re

HOLE = re.compile(rb"\0+")
HOLES = 50  # bytes of text for each run of NUL bytes at least
TAR = slice(257, 262)  # where an archive of texts, which is little else, says that it is one


def is_holed_text(start: bytes, data: bytes) -> bool:
    """Whether this is UTF-8 with few runs of NUL bytes; `start` is looked at first, so that most binary files cost
    little."""
    said = start.replace(b"\0", b"")
    if start[TAR] == b"ustar" or not is_utf8(said) or HOLES * len(HOLE.findall(start)) > len(said):
        return False
    return is_utf8(data.replace(b"\0", b""))


def is_utf8(data: bytes) -> bool:
    """Whether this is UTF-8, apart from a character cut at the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True
