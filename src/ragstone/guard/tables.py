"""Columns of pipe tables whose heading says that they hold secrets."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragstone.guard.assigned import ABOUT, NAME

RULE = re.compile(r"[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*(?:[ \t]*:?-+:?[ \t]*)?\r?$")
BAR = re.compile(r"(?<!\\)\|")
HEADING = re.compile(rf"(?i)[^\w]*(?:[\w-]+ ?){{0,3}}?{NAME}{ABOUT}[\w-]{{0,20}}(?: ?\([^()]*\))?[^\w]*")
HEADING_LENGTH = 60
VALUE = re.compile(r"[\s*`\"']*(?:<\w+>)?(?P<value>[^\s`\"'<>]+?)(?:</\w+>)?[\s*`\"']*")
CELL_LENGTH = 600


def columns(text: str, lower: bytes, names: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each value in such a column, and whether it is one of passwords.

    `names` are places of suspicious words, in order. Each line is looked at once.
    """
    done = 0
    for at in names:
        if at < done:
            continue
        start, done = lower.rfind(b"\n", 0, at) + 1, _line_end(lower, at)
        below = _line_end(lower, done + 1)
        if b"|" not in lower[start:done] or b"-" not in lower[done:below] or not RULE.match(text, done + 1, below):
            continue
        wanted = {i: found for i, cell in enumerate(_cells(text, start, done)) if (found := _secret(text, cell))}
        start = below + 1
        while start < len(text) and b"|" in lower[start : (end := _line_end(lower, start))]:
            if wanted:
                yield from _values(text, _cells(text, start, end), wanted)
            start = end + 1
        done = max(done, start - 1)


def _line_end(lower: bytes, at: int) -> int:
    end = lower.find(b"\n", at)
    return len(lower) if end < 0 else end


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    bars = [bar.start() for bar in BAR.finditer(text, start, end)]
    edges = [start - 1, *bars, end]
    cells = [(left + 1, right) for left, right in pairwise(edges)]
    return cells[1:] if not text[slice(*cells[0])].strip(" \t>") else cells


def _secret(text: str, cell: tuple[int, int]) -> re.Match[str] | None:
    return HEADING.fullmatch(text, *cell) if cell[1] - cell[0] <= HEADING_LENGTH else None


def _values(
    text: str, cells: Sequence[tuple[int, int]], wanted: dict[int, re.Match[str]]
) -> Iterator[tuple[int, int, bool]]:
    for i, heading in wanted.items():
        short = i < len(cells) and cells[i][1] - cells[i][0] <= CELL_LENGTH
        if short and (match := VALUE.fullmatch(text, *cells[i])):
            yield (*match.span("value"), heading["password"] is not None)
