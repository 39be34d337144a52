"""Signs for what striprtf drops: levels, notes, text boxes, cells and hidden text become letters in the text."""

import re
from collections.abc import Iterator

LEVEL = 0xE000  # letters for private use: nine for the levels of the outline, then one for each sign
ASIDE, ASIDE_END, HIDDEN, HIDDEN_END, ROW, CELL, ROW_END = map(chr, range(0xE010, 0xE017))
TOKEN = re.compile(
    r"\\[\\{}']|\\\*\\(?:shpinst|do)(?![a-z])|\\(?P<aside>footnote|shptxt|dptxbxtext)(?![a-z]) ?"
    r"|\\(?:shp|shpinst|shpgrp|object|result|pntext)(?![a-z]) ?|\\outlinelevel(?P<level>[0-8])(?![0-9])"
    r"|\\(?P<table>trowd|cell|row|nestcell)(?![a-z]) ?|\\v(?:(?P<off>0)|-?[0-9]{1,5})?(?![a-z0-9]) ?"
    r"|\\plain(?![a-z])|(?P<brace>[{}])"
)
TABLE = {"trowd": ROW, "cell": CELL, "row": ROW_END, "nestcell": " "}
LENGTHLESS = re.compile(r"\\bin(?![0-9a-z])")  # the library asks each for its length


def mark_text(text: str) -> str:
    """The document with a letter where each of them begins and ends; what stands in groups that the library passes over
    (notes, text boxes, what objects show, numbers of old lists) is text."""
    return "".join(_mark(LENGTHLESS.sub("", text)))


def _mark(text: str) -> Iterator[str]:
    asides, hidden, end = [False], [False], 0  # of each open group
    for token in TOKEN.finditer(text):
        yield text[end : token.start()]
        end, said = token.end(), token[0]
        if token["brace"] == "{":
            asides.append(False)
            hidden.append(hidden[-1])
            yield said
        elif token["brace"]:
            within, closed = asides.pop() if len(asides) > 1 else False, hidden.pop() if len(hidden) > 1 else False
            if closed != hidden[-1]:
                yield _write_sign(HIDDEN_END if closed else HIDDEN)
            yield f"{_write_sign(ASIDE_END) if within else ''}}}"
        elif token["aside"]:
            asides[-1] = True
            yield _write_sign(ASIDE)
        elif token["level"]:
            yield f"{said}{_write_sign(chr(LEVEL + int(token['level'])))}"
        elif token["table"]:
            yield _write_sign(TABLE[token["table"]])
        elif said.startswith(("\\v", "\\plain")):
            now = said.startswith("\\v") and not token["off"]
            yield said
            if now != hidden[-1]:
                hidden[-1] = now
                yield _write_sign(HIDDEN if now else HIDDEN_END)
        elif said[1] in "\\{}'":
            yield said
    yield text[end:]


def _write_sign(sign: str) -> str:
    return f"{{\\uc1\\u{ord(sign)}?}}"
