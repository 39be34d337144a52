"""JSON often escapes characters by their numbers: all that is not English. Nobody searches for those."""

import re

# A backslash that stands for itself first: what follows it is no escape.
ESCAPE = re.compile(r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
FIRST = "\xa0"  # what stands before it is syntax or a control character


def show_characters(text: str) -> str:
    r"""The text with each printable character that JSON escapes by its number, but those of ASCII.

    >>> show_characters(r'{"day": "M\u00fcll \ud83d\ude00", "a": "\u0022 \\u00fc"}')
    '{"day": "Müll 😀", "a": "\\u0022 \\\\u00fc"}'
    """
    return ESCAPE.sub(_show_character, text)


def _show_character(escape: re.Match[str]) -> str:
    high, low, single = escape.groups()
    if high:
        code = 0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF)
    elif single:
        code = int(single, 16)
    else:
        return escape[0]
    shown = chr(code)
    return shown if shown > FIRST and shown.isprintable() else escape[0]
