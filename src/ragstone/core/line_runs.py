"""The lines of a citation as people read them: `11-13,20-22`."""

from collections.abc import Sequence
from itertools import pairwise

from ragstone.core.types import Span

NEAR_LINES = 2  # between two lines of one citation, such as a rule below a header


def group_spans(spans: Sequence[Span]) -> list[list[Span]]:
    """The spans in their order, those whose lines lie near each other together; none for no spans."""
    runs = [[span] for span in spans[:1]]
    for before, span in pairwise(spans):
        if span.line_start > before.line_end + NEAR_LINES:
            runs.append([])
        runs[-1].append(span)
    return runs


def format_runs(runs: Sequence[Sequence[Span]]) -> str:
    """The lines of grouped spans.

    >>> format_runs(group_spans([Span(0, 5, 11, 12), Span(6, 9, 13, 13), Span(40, 50, 20, 20)]))
    '11-13,20'
    """
    ends = [(run[0].line_start, run[-1].line_end) for run in runs]
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in ends)
