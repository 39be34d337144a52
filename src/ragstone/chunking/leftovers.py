"""Tables of contents and other leftovers of a page, which should not become chunks."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.types import Piece

# At least this share of the lines, and at least this many lines: a paragraph "42" is an answer.
THRESHOLD = 0.6
FEWEST = 3
PAGE_NUMBER = re.compile(r"(?:page[ \t]+)?(?:\d{1,4}|[ivxlc]{1,7})(?:[ \t]*(?:of|/)[ \t]*\d{1,4})?", re.IGNORECASE)
LEADERS = re.compile(r"(?:\.[ \t]?){4,}[ \t]*(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
# Longer lines are prose; looking at their end alone keeps the search short.
TAIL = 200


def is_leftover(text: str) -> bool:
    """Whether most lines are bare page numbers or end in dots that lead to one.

    >>> is_leftover("Preface ....... iii\\nOne ........ 1\\nTwo ........ 17")
    True
    >>> is_leftover("42")
    False
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < FEWEST:
        return False
    return sum(map(_points_to_page, lines)) >= THRESHOLD * len(lines)


def _points_to_page(line: str) -> bool:
    if len(line) <= TAIL and PAGE_NUMBER.fullmatch(line):
        return True
    return line[-1] in "0123456789ivxlcIVXLC" and LEADERS.search(line[-TAIL:]) is not None


def drop_leftovers(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without leftovers of text, renumbered."""
    kept = [piece for piece in pieces if piece.kind in ("table", "code") or not is_leftover(piece.text)]
    return kept if len(kept) == len(pieces) else [replace(piece, ordinal=i) for i, piece in enumerate(kept)]
