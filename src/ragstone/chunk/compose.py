"""From parts to a piece: spans that run together, the common heading path, the kind."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from ragstone.chunk.outline import Passage
from ragstone.types import Span

# Between two stretches of one span stands nothing but white space and the marks of a block quote.
GAP = re.compile(r"[\s>]*")
LONGEST_GAP = 64
KINDS = {"paragraph": "text", "heading": "text", "table": "table", "code": "code", "list": "list"}


class Lines:
    """Line numbers of a record, from 1."""

    def __init__(self, record: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", record)]

    def of(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1


Stretch = tuple[int, int, Span]
"""Characters [start, end) and the place on page or sheet that they inherit."""


def spans(record: str, lines: Lines, stretches: Sequence[Stretch], *, gap: int = LONGEST_GAP) -> tuple[Span, ...]:
    """The stretches in order, joined where nothing but `gap` of white space lies between on the same page."""
    out: list[Span] = []
    for start, end, where in stretches:
        new = replace(where, char_start=start, char_end=end, line_start=lines.of(start), line_end=lines.of(end - 1))
        if out and together(record, out[-1], new, gap):
            out[-1] = _merged(out[-1], new)
        else:
            out.append(new)
    return tuple(out)


def together(record: str, a: Span, b: Span, gap: int) -> bool:
    """Whether the two can be one span."""
    near = b.char_start - a.char_end <= gap and a.page == b.page and a.sheet == b.sheet
    return near and GAP.fullmatch(record, a.char_end, b.char_start) is not None


def _merged(a: Span, b: Span) -> Span:
    box = None
    if a.bbox and b.bbox:
        box = (
            min(a.bbox[0], b.bbox[0]),
            min(a.bbox[1], b.bbox[1]),
            max(a.bbox[2], b.bbox[2]),
            max(a.bbox[3], b.bbox[3]),
        )
    end = replace(a, char_end=b.char_end, line_end=b.line_end, bbox=box)
    return replace(end, rows=_range(a.rows, b.rows), cols=_range(a.cols, b.cols))


def _range(a: tuple[int, int] | None, b: tuple[int, int] | None) -> tuple[int, int] | None:
    return (min(a[0], b[0]), max(a[1], b[1])) if a and b else None


def path(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The deepest heading path that all share."""
    paths = [passage.path for passage in passages]
    first, last = min(paths), max(paths)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same]


def kind(weights: Sequence[tuple[Passage, float]]) -> str:
    """code, table or list when two thirds of the piece are that, headings left out; else text."""
    sums = dict.fromkeys(KINDS.values(), 0.0)
    for passage, weight in weights:
        sums[KINDS[passage.block.type]] += weight if passage.block.type != "heading" else 0.0
    most = max(sums, key=lambda name: sums[name])
    return most if sums[most] * 3 >= sum(sums.values()) * 2 else "text"
