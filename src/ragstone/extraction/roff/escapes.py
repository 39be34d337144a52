"""Escapes of roff in a line of text: characters by their names, fonts, sizes and strings."""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

NAME = r"\[([^\]\n]{0,99})\]"
ESCAPE = re.compile(
    r"\\(?:"
    r"[fFgkmMVY](?:\[[^\]\n]{0,99}\]|\(..|.)"  # fonts, colours, places: no text
    r"|s(?:[+-]?(?:\[[^\]\n]{0,99}\]|\(..|'[^'\n]{0,99}'|\d{1,2})|[+-]?.)"
    r"|[bBdDhHlLNoRSvwxXZ]'[^'\n]{0,99}'"
    rf"|n[+-]?(?:{NAME}|\((..)|(.))"  # 1-3 a number
    rf"|\*(?:{NAME}|\((..)|(.))"  # 4-6 a string
    rf"|\((..)|{NAME}"  # 7-8 a character
    r"|(.))"  # 9 anything else
)
# Names and characters in turn.
NAMED_PAIRS = (
    "bu • em — en – hy - mi - pl + aq ' dq \" oq ‘ cq ’ lq “ rq ” Bq „ Fo « Fc » fo ‹ fc › ga ` aa ´ ha ^ ti ~ rs \\ "
    "sl / ba | bv | lB [ rB ] lC { rC } la ⟨ ra ⟩ ul _ ru _ or | sh # Do $ Eu € Po £ at @ co © rg ® tm ™ dg † dd ‡ "
    "sc § de ° ps ¶ mu × di ÷ +- ± <= ≤ >= ≥ != ≠ == ≡ ~= ≈ -> → <- ← ua ↑ da ↓ 12 ½ 14 ¼ 34 ¾ if ∞ ss ß AE Æ "
    "ae æ /O Ø /o ø oA Å oa å ,C Ç ,c ç i. ı OK ✓ sq □ ci ○ mc µ *m µ *p π"
).split()
NAMED: Mapping[str, str] = MappingProxyType(dict(zip(NAMED_PAIRS[::2], NAMED_PAIRS[1::2], strict=True)))
MARKS: Mapping[str, str] = MappingProxyType({":": "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"})
STRINGS: Mapping[str, str] = MappingProxyType(
    {"lq": "“", "rq": "”", "R": "®", "Tm": "™", "--": "--", "C+": "C++", "PI": "π", "Lq": "“", "Rq": "”", "Pm": "±"}
)
PLAIN: Mapping[str, str] = MappingProxyType(
    {"-": "-", "e": "\\", "\\": "\\", "~": " ", " ": " ", "0": " ", "'": "'", "`": "`", ".": ".", "t": "\t", "_": "_"}
)
COMMENT = re.compile(r"((?:^|[^\\])(?:\\\\)*)\\[\"#].*")
NUMBERED = re.compile(r"u([0-9A-Fa-f]{4,6})((?:_[0-9A-Fa-f]{4,6}){0,9})")


def drop_comment(line: str) -> str:
    """A line without the comment at its end."""
    return COMMENT.sub(r"\1", line) if "\\" in line else line


def show_escapes(text: str, strings: Mapping[str, str], numbers: Mapping[str, int]) -> str:
    """Text as it is printed; `strings` and `numbers` are those that the page defines.

    >>> show_escapes(r"\\fB\\-\\-all\\fR \\(em caf\\('e", {}, {})
    '--all — café'
    """

    def show(match: re.Match[str]) -> str:
        if match[9] is not None:
            return PLAIN.get(match[9], "")
        if (number := match[1] or match[2] or match[3]) is not None:
            return str(numbers.get(number, 0))
        if (string := match[4] or match[5] or match[6]) is not None:
            return ESCAPE.sub(_show_character, strings.get(string, STRINGS.get(string, "")))
        return _show_character(match)

    return ESCAPE.sub(show, text) if "\\" in text else text


def _show_character(match: re.Match[str]) -> str:
    if match[9] is not None:
        return PLAIN.get(match[9], "")
    name = match[7] or match[8]
    if not name:
        return ""
    if NUMBERED.fullmatch(name):
        return unicodedata.normalize("NFC", "".join(map(_show_number, name[1:].split("_"))))
    if len(name) == 2 and name not in NAMED and name[0] in MARKS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + MARKS[name[0]])
    return NAMED.get(name, "")


def _show_number(number: str) -> str:
    """A character by its number; none for what is no character or controls something."""
    code = int(number, 16)
    return "" if code < 0x20 or 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
