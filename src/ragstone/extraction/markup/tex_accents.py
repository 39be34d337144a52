"""Letters that TeX writes by commands, such as `\\"u`: shown as letters, or nobody would find them."""

import re
from unicodedata import normalize

ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "d": "\u0323",
}
LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł"}
LETTERS |= {"L": "Ł", "i": "ı"}
# A backslash before is a break of lines. What is code stays: as a whole it is one match, from its beginning to its end.
COMMAND = re.compile(
    r"\\begin\{(?P<code>verbatim|lstlisting|minted)\*?\}(?:[^\\]|\\(?!end\{(?P=code)))*+|\\\\"
    r"|(?P<open>\{)?\\(?:(?P<sign>[`'^~\"=.])[ \t]*"
    r"(?:\{(?P<b>[A-Za-z]|\\[ij])\}|(?P<a>[A-Za-z]|\\[ij](?![A-Za-z])))"
    r"|(?P<name>[uvHckrd])\{(?P<c>[A-Za-z])\}"
    r"|(?P<letter>ss|ae|AE|oe|OE|aa|AA|[oOlL])(?:\{\}|(?=\})|[ \t]+|(?![A-Za-z])))(?P<close>(?(open)\}))"
)


def show_accents(text: str) -> str:
    r"""The text with letters in place of the commands for them; code stays.

    >>> print(show_accents(r"M\"uller, Andr\'{e}, {\L}\'od\'z, Stra{\ss}e, \v{C}apek, a \\'b"))
    Müller, André, Łódź, Straße, Čapek, a \\'b
    """
    return COMMAND.sub(_show_letter, text)


def _show_letter(found: re.Match[str]) -> str:
    if found["letter"]:
        return LETTERS[found["letter"]]
    accent = found["sign"] or found["name"]
    base = found["b"] or found["a"] or found["c"]
    if accent is None or base is None:
        return found[0]
    shown = normalize("NFC", base.removeprefix("\\") + ACCENTS[accent])
    return shown if len(shown) == 1 else found[0]
