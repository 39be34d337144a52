"""Roles, literals and emphasis of reStructuredText, where their marks are left out."""

import re

# A role with its text, or text and target; literals and emphasis.
MARKED = re.compile(
    r"(?<!\\):[\w:+.-]{1,60}:`~?([^`<>]{1,400}?)(?:\s*<[^`<>]{0,400}>)?`|(`{1,2}|\*{1,2})(?=\S)([^`*]{1,400})(?<=\S)\2_{0,2}"
)


def show_marked(text: str) -> str:
    """A heading or a cell without the marks of roles and emphasis.

    >>> show_marked(":mod:`csv` --- read ``CSV`` :ref:`files <x>`")
    'csv --- read CSV files'
    """
    return MARKED.sub(lambda match: match[1] or match[3], text)
