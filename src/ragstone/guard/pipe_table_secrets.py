"""Columns of pipe tables whose heading says that they hold secrets."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragstone.core.late_pattern import compile_late
from ragstone.guard.assignments import ABOUT, NAME

# Of Markdown, of Org, and of grids, where it stands between any two rows.
RULE = re.compile(r"[ \t>]*[|+]?(?:[ \t]*:?(?:-+|=+):?[ \t]*[|+])*(?:[ \t]*:?-+:?)?[ \t]*\r?$")
BAR = re.compile(r"(?<!\\)\|")
BEFORE_NAME = re.compile(r"[^\w]*(?:[\w-]+(?: [\w-]+){0,2} ?)?")
FROM_NAME = compile_late(rf"(?i){NAME}{ABOUT}[\w-]{{0,20}}(?: ?\([^()]*\))?[^\w]*")
HEADING_LENGTH = 60
VALUE = re.compile(r"[\s*`\"']*(?:<\w+>)?(?P<value>[^\s`\"'<>]+?)(?:</\w+>)?[\s*`\"']*")
CELL_LENGTH = 600
HEADERS = 3  # rows of a heading


class SecretValue(NamedTuple):
    """Start and end of what a table calls a secret, a password or another; `loose` where the table says little."""

    start: int
    end: int
    password: bool
    loose: bool = False


def find_values(text: str, lower: str, names: Sequence[int]) -> Iterator[SecretValue]:
    """Each value in such a column.

    `names` are places of suspicious words, in order. Each line is looked at once.
    """
    done = 0
    for at in names:
        if at < done:
            continue
        start, done = lower.rfind("\n", 0, at) + 1, find_line_end(lower, at)
        if "|" not in lower[start:done]:
            continue
        above = lower.rfind("\n", 0, max(0, start - 1)) + 1
        first = lower.rfind("\n", 0, max(0, above - 1)) + 1
        if "|" in lower[first:above] and _is_rule(text, lower, above, start - 1):  # the row below may be a heading too
            start, done = first, above - 1
        below = find_line_end(lower, done + 1)
        if not _is_rule(text, lower, done + 1, below):
            continue
        head = _cell_ranges(text, start, done)
        wanted = _secret_columns(text, head, names)
        start, rows = below + 1, 1
        while start < len(text) and _is_row(text, lower, start, end := find_line_end(lower, start)):
            cells = _cell_ranges(text, start, end)
            # A heading over several columns leaves cells beside it empty; what it does not say, the next row does.
            if rows < HEADERS and any(not text[slice(*cell)].strip() for cell in head[1:-1]):
                wanted |= _secret_columns(text, cells, names)
                head, rows = cells, rows + 1
            if wanted:
                yield from _column_values(text, cells, wanted)
            start = end + 1
        done = max(done, start - 1)


def _is_rule(text: str, lower: str, start: int, end: int) -> bool:
    line = lower[start:end]
    return ("-" in line or "+=" in line) and RULE.match(text, start, end) is not None


def _is_row(text: str, lower: str, start: int, end: int) -> bool:
    return "|" in lower[start:end] or ("+-" in lower[start:end] and _is_rule(text, lower, start, end))


def find_line_end(lower: str, at: int) -> int:
    """Where the line of a place ends."""
    end = lower.find("\n", at)
    return len(lower) if end < 0 else end


def _cell_ranges(text: str, start: int, end: int) -> list[tuple[int, int]]:
    bars = [bar.start() for bar in BAR.finditer(text, start, end)]
    edges = [start - 1, *bars, end]
    cells = [(left + 1, right) for left, right in pairwise(edges)]
    return cells[1:] if not text[slice(*cells[0])].strip(" \t>") else cells


def match_heading(text: str, cell: tuple[int, int], names: Sequence[int]) -> re.Match[str] | None:
    """How a heading names secrets; its group `password` where these are passwords. Only suspicious words are looked
    at: most headings have none."""
    start, end = cell
    if end - start > HEADING_LENGTH:
        return None
    inside = names[bisect_left(names, start) : bisect_left(names, end)]
    found = (FROM_NAME.fullmatch(text, at, end) for at in inside if BEFORE_NAME.fullmatch(text, start, at))
    return next(filter(None, found), None)


def _secret_columns(text: str, cells: Sequence[tuple[int, int]], names: Sequence[int]) -> dict[int, re.Match[str]]:
    return {i: found for i, cell in enumerate(cells) if (found := match_heading(text, cell, names))}


def _column_values(
    text: str, cells: Sequence[tuple[int, int]], wanted: dict[int, re.Match[str]]
) -> Iterator[SecretValue]:
    for i, heading in wanted.items():
        short = i < len(cells) and cells[i][1] - cells[i][0] <= CELL_LENGTH
        if short and (match := VALUE.fullmatch(text, *cells[i])):
            yield SecretValue(*match.span("value"), heading["password"] is not None)
