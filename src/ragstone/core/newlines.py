"""The end of a line: it ends at a newline, a carriage return with one, or a carriage return alone."""

import re

LONE_RETURN = re.compile(r"\r(?!\n)")


def unify_newlines(text: str) -> str:
    """The text, character for character, with lone carriage returns as newlines: then newlines count lines.

    >>> unify_newlines("a\\rb\\r\\nc")
    'a\\nb\\r\\nc'
    """
    return LONE_RETURN.sub("\n", text) if "\r" in text else text
