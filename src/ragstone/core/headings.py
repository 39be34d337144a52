"""Headings without their numbers and marks, so that the same name is the same text wherever it stands."""

import re

# Before a heading or a caption: "3.", "2.1", "Figure 2.1."; a number without a point is a part of the name.
HEADING_NUMBER = re.compile(
    r"(?:[-*+•][ \t]+)?(?:(?:(?:[^\W\d_a-z]\w{2,14}[ \t\u00a0])?\d{1,9}(?:\.\d{1,9}){0,5}[.):]"
    r"|\d{1,3}(?:\.\d{1,3}){1,5}(?=[ \t\u00a0]+[^\W\d_a-z]))[ \t\u00a0]+)?"
)
MARKS = "#*_` \t\r\n"


def normalize_heading(text: str) -> str:
    """A heading without marks and case, its blanks single."""
    return " ".join(text.strip(MARKS).casefold().split())


def name_heading(text: str) -> str:
    """A heading, or a line that names one, without number and marks: the same for both.

    >>> name_heading("### 3.1. Bounds") == name_heading("- *Bounds*") == name_heading("Figure 2: bounds")
    True
    """
    return normalize_heading(HEADING_NUMBER.sub("", text.strip(MARKS), count=1))
