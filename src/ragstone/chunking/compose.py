"""From parts to a piece: spans that run together, the common heading path, the kind."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from ragstone.chunking.outline import Passage
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Span

# Between two stretches of one span stands nothing but white space and the marks of a block quote.
GAP = re.compile(r"[\s>]*")
LONGEST_GAP = 64
KINDS = {"paragraph": "text", "heading": "text", "table": "table", "code": "code", "list": "list"}


class LineNumbers:
    """Line numbers of a record, from 1."""

    def __init__(self, record: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", unify_newlines(record))]

    def line_at(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1


Stretch = tuple[int, int, Span]
"""Characters [start, end) and the place on page or sheet that they inherit."""


def merge_spans(
    record: str, lines: LineNumbers, stretches: Sequence[Stretch], *, gap: int = LONGEST_GAP
) -> tuple[Span, ...]:
    """The stretches in order, joined where nothing but `gap` of white space lies between on the same page."""
    out: list[Stretch] = []
    for start, end, where in stretches:
        if out and _can_merge(record, out[-1], start, where, gap):
            out[-1] = (out[-1][0], end, _enclosing_span(out[-1][2], where))
        else:
            out.append((start, end, where))
    return tuple(
        Span(start, end, lines.line_at(start), lines.line_at(end - 1), w.page, w.bbox, w.sheet, w.rows, w.cols)
        for start, end, w in out
    )


def _can_merge(record: str, before: Stretch, start: int, where: Span, gap: int) -> bool:
    _, end, place = before
    near = start - end <= gap and place.page == where.page and place.sheet == where.sheet
    near = near and (place.rows is None) == (where.rows is None)  # a sheet's name has no row, and must not take theirs
    return near and GAP.fullmatch(record, end, start) is not None


def _enclosing_span(a: Span, b: Span) -> Span:
    """The place of both together: what only one of them knows is not known of both."""
    if a is b or (a.bbox is None and a.rows is None and a.cols is None):
        return a
    box = None
    if a.bbox and b.bbox:
        (x0, y0, x1, y1), (u0, v0, u1, v1) = a.bbox, b.bbox
        box = (min(x0, u0), min(y0, v0), max(x1, u1), max(y1, v1))
    return replace(a, bbox=box, rows=_enclosing_range(a.rows, b.rows), cols=_enclosing_range(a.cols, b.cols))


def _enclosing_range(a: tuple[int, int] | None, b: tuple[int, int] | None) -> tuple[int, int] | None:
    return (min(a[0], b[0]), max(a[1], b[1])) if a and b else None


def common_path(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The deepest heading path that all share; headings count only where there is nothing else.

    Text above the first heading, as the properties of a note or the badges of a page, counts from half the piece on.
    """
    written = [p for p in passages if p.block.type != "heading"] or passages
    above = sum(p.end - p.start for p in written if not p.path)
    if 2 * above < sum(p.end - p.start for p in written):
        written = [p for p in written if p.path]
    paths = [p.path for p in written]
    first, last = min(paths), max(paths)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same]


def dominant_kind(weights: Sequence[tuple[Passage, float]]) -> str:
    """code, table or list when two thirds of the piece are that, headings left out; else text."""
    sums = dict.fromkeys(KINDS.values(), 0.0)
    for passage, weight in weights:
        sums[KINDS[passage.block.type]] += weight if passage.block.type != "heading" else 0.0
    most = max(sums, key=lambda name: sums[name])
    return most if sums[most] * 3 >= sum(sums.values()) * 2 else "text"
