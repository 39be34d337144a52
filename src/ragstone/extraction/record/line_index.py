"""Where a character offset lies in lines, and spans made from offsets."""

from typing import Any

from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Span


class LineIndex:
    """Line numbers of a text of record.

    Counts from the place that was asked for last: cheap when asked in order.
    """

    def __init__(self, record: str) -> None:
        self._text = unify_newlines(record)
        self._at = 0
        self._line = 1

    def number(self, offset: int) -> int:
        """The line, from 1, that holds the character at `offset`."""
        if offset >= self._at:
            self._line += self._text.count("\n", self._at, offset)
        else:
            self._line -= self._text.count("\n", offset, self._at)
        self._at = offset
        return self._line

    def span(self, start: int, end: int, **place: Any) -> Span:
        """The span of characters [start, end), which must not be empty; `place` gives page, rows …"""
        first = self.number(start)
        return Span(start, end, first, self.number(end - 1), **place)
