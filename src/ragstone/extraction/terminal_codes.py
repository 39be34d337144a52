"""Codes that programs write for terminals, such as colours: in a saved log they are glued to words."""

import re

# Colours and movements; titles and links, up to their end on the same line; character sets and single letters.
CODE = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[ -/]*+[0-~])?")


def leave_out_codes(text: str) -> str:
    r"""The text without codes for terminals; what a link shows stays, and lines keep their numbers.

    >>> leave_out_codes("\x1b[1;31mERROR\x1b[0m see \x1b]8;;https://a.example\x07the page\x1b]8;;\x07\x1b(B.")
    'ERROR see the page.'
    """
    return CODE.sub("", text) if "\x1b" in text else text
