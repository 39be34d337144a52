"""UTF-8 with some bytes of another encoding: logs of several programs, joined files, files cut short."""

import re
from collections.abc import Callable

FOREIGN = re.compile("[\udc80-\udcff]+")
OURS = re.compile("[^\x00-\x7f\udc80-\udcff]")
CUT = re.compile("(?:[\udcc2-\udcdf]|[\udce0-\udcef][\udc80-\udcbf]?|[\udcf0-\udcf4][\udc80-\udcbf]{0,2})\\Z")
SHARE = 0.6  # of the bytes beyond ASCII that must be UTF-8; texts in old encodings have .35 at most
SAMPLE = 1 << 16  # characters of the other lines that are judged


def decode_mixed(data: bytes, rank: Callable[[bytes], list[str]]) -> tuple[str, int, str] | None:
    """The text of bytes that are mostly UTF-8, the number of lines that are not, and the encoding in which these were
    read, the first of `rank`, which takes a sample of them; None where too few bytes are UTF-8."""
    text = data.decode("utf-8", errors="surrogateescape")
    foreign = sum(map(len, FOREIGN.findall(text)))
    beyond = len(data) - len(data.translate(None, bytes(range(128, 256))))
    if not foreign or beyond - foreign < SHARE * beyond:
        return None
    cut = CUT.search(text)  # a character that is cut at the end of a file
    if cut is not None and foreign == len(cut[0]):
        return text[: cut.start()], 0, ""
    lines = [line for line in text.split("\n") if FOREIGN.search(line)]
    sample = OURS.sub("", "\n".join(lines)[:SAMPLE]).encode("utf-8", errors="surrogateescape")
    name = next(iter(rank(sample)), "cp1252")
    table = {0xDC00 + n: bytes([n]).decode(name, errors="replace") for n in range(0x80, 0x100)}
    return text.translate(table), len(lines), name
