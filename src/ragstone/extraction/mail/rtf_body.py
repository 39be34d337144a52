"""Bodies of Outlook's mails in RTF: packed (MS-OXRTFCP), and pages of HTML that are wrapped in RTF (MS-OXRTFEX)."""

import re
import struct
from dataclasses import dataclass, replace

from ragstone.extraction.labelled_bytes import decode_bytes

HEADER = struct.Struct("<IIII")  # packed size, size, kind, checksum
PACKED, UNPACKED = b"LZFu", b"MELA"
# What the first references lead to (MS-OXRTFCP 2.1.2).
FIRST = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
RING = 4096
TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})?[ ]?|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<sign>[^A-Za-z'])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}]+)|\\"
)
WRAPPED = "\\fromhtml1"
START = 1000  # characters in which a document says that it wraps a page
CODE_PAGE = re.compile(r"\\ansicpg(\d{1,5})")
UNSEEN = frozenset(
    "fonttbl colortbl stylesheet info pict object header footer pntext listtable listoverridetable".split()
)
SHOWN = {
    "par": "\n",
    "line": "\n",
    "tab": "\t",
    "lquote": "&lsquo;",
    "rquote": "&rsquo;",
    "ldblquote": "&ldquo;",
    "rdblquote": "&rdquo;",
    "bullet": "&bull;",
    "endash": "&ndash;",
    "emdash": "&mdash;",
}
SIGNS = {"\\": "\\", "{": "{", "}": "}", "~": "&nbsp;", "_": "&shy;", "\n": "\n", "\r": "\n"}
DEEPEST = 1000  # groups one within the other


def unpack_rtf(data: bytes) -> bytes:
    """The RTF of a packed body, at most eight times as large; b"" for data of another kind."""
    if len(data) < HEADER.size:
        return b""
    _, size, _, _ = HEADER.unpack_from(data)
    kind, packed = data[8:12], data[HEADER.size :]
    if kind == UNPACKED:
        return packed[:size]
    if kind != PACKED:
        return b""
    out = bytearray(FIRST)
    at, end = 0, len(packed)
    while at < end:
        control = packed[at]
        at += 1
        for bit in range(8):
            if at >= end:
                break
            if not control >> bit & 1:
                out.append(packed[at])
                at += 1
                continue
            if at + 1 >= end:
                return bytes(out[len(FIRST) :])
            reference = packed[at] << 8 | packed[at + 1]
            at += 2
            back = (len(out) - (reference >> 4)) % RING
            if not back:  # the end
                return bytes(out[len(FIRST) :])
            start = len(out) - back
            for step in range((reference & 15) + 2):
                out.append(out[start + step] if start + step >= 0 else 0x20)
    return bytes(out[len(FIRST) :])


def unwrap_page(rtf: bytes) -> str:
    """The page of HTML that an RTF document wraps; "" for one that wraps none."""
    text = rtf.decode("latin-1")
    if WRAPPED not in text[:START]:
        return ""
    page = CODE_PAGE.search(text, 0, START)
    unwrapper = _Unwrapper(f"cp{page[1]}" if page else "cp1252")
    for token in TOKEN.finditer(text):
        unwrapper.put(token)
    unwrapper.flush()
    return "".join(unwrapper.parts)


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within a group: it is no text, it is within `htmlrtf`, and how many characters follow `u`."""

    hidden: bool = False
    quiet: bool = False
    skip: int = 1


class _Unwrapper:
    """Goes through the tokens of a document that wraps a page, and keeps what is the page's."""

    def __init__(self, charset: str) -> None:
        self.parts: list[str] = []
        self._charset = charset
        self._now = _Group()
        self._around: list[_Group] = []
        self._held = bytearray()  # of a charset with characters of several bytes
        self._left = 0  # characters that stand in for the one before
        self._opens = self._is_starred = False  # a group begins here, with `*`

    def put(self, token: re.Match[str]) -> None:
        """Take the next token."""
        kind = token.lastgroup or ""
        if kind != "hex":
            self.flush()
        if kind == "sign" and token["sign"] == "*" and self._opens:
            self._is_starred = True
            return
        if kind == "brace":
            self._put_brace(token[0])
            return
        if kind in ("word", "number"):
            self._put_word(token["word"], token["number"] or "")
        elif not (self._now.hidden or self._now.quiet):
            self._put_text(token, kind)
        self._opens = False

    def flush(self) -> None:
        """Decode the bytes that are held."""
        if self._held:
            self.parts.append(decode_bytes(bytes(self._held), self._charset))
            self._held.clear()

    def _put_brace(self, brace: str) -> None:
        self._left = 0
        self._opens = self._is_starred = False
        if brace == "{" and len(self._around) < DEEPEST:
            self._around.append(self._now)
            self._opens = True
        elif brace == "}" and self._around:
            self._now = self._around.pop()

    def _put_word(self, word: str, number: str) -> None:
        if word == "htmltag" and self._is_starred:
            self._now = replace(self._now, hidden=False, quiet=False)
        elif word == "htmlrtf":
            self._now = replace(self._now, quiet=number != "0")
        elif word == "uc":
            self._now = replace(self._now, skip=max(0, min(int(number or 1), 8)))
        elif self._opens and (self._is_starred or word in UNSEEN):
            self._now = replace(self._now, hidden=True)
        elif not (self._now.hidden or self._now.quiet):
            if word == "u" and number:
                self._left = self._now.skip
                code = int(number) % 0x10000
                self.parts.append("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))
            self.parts.append(SHOWN.get(word, ""))

    def _put_text(self, token: re.Match[str], kind: str) -> None:
        if kind == "sign":
            sign = token["sign"]
            self.parts.append(SIGNS.get(sign, ""))
        elif kind == "hex" and self._left:
            self._left -= 1
        elif kind == "hex":
            self._held.append(int(token["hex"], 16))
        elif kind == "text":
            said = token["text"].replace("\r", "").replace("\n", "")
            self.parts.append(said[self._left :])
            self._left = max(0, self._left - len(said))
