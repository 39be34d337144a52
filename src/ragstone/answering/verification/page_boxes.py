"""From a place in the text of record to the boxes on the page that a reader should look at."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ragstone.core.answers import Citation
from ragstone.core.page_layout import Layout
from ragstone.core.types import Span


def add_page_boxes(
    citations: Sequence[Citation], records: Mapping[str, str], layouts: Mapping[str, Layout]
) -> tuple[Citation, ...]:
    """The citations with a span for each visual line, its page, and a box around exactly its characters.

    `records` and `layouts` are by the document's id; citations of documents without a layout stay as they are. The
    spans of a statement cover it without a gap but for the blank at which a line was broken. A table's row keeps
    its one span and gets the box around its cells.
    """
    return tuple(
        replace(citation, spans=_box_citation(citation, records[citation.document.id], layouts[citation.document.id]))
        if citation.document.id in layouts and citation.status != "unverified"
        else citation
        for citation in citations
    )


def _box_citation(citation: Citation, record: str, layout: Layout) -> tuple[Span, ...]:
    out: list[Span] = []
    for span in citation.spans:
        out += [box_span(span, layout)] if span.rows else _box_lines(span, record, layout)
    return tuple(out)


def _box_lines(span: Span, record: str, layout: Layout) -> list[Span]:
    places = layout.line_boxes(span.char_start, span.char_end)
    if not places:
        return [span]
    # What the record adds, such as the mark of a list, belongs to the line that it stands on.
    starts = [span.char_start, *(start for start, _, _, _ in places[1:]), span.char_end]
    return [
        replace(span, char_start=a, char_end=_line_end(record, a, b, last=b == span.char_end), page=page, bbox=box)
        for (a, b), (_, _, page, box) in zip(pairwise(starts), places, strict=True)
    ]


def _line_end(record: str, start: int, end: int, *, last: bool) -> int:
    return end if last else start + len(record[start:end].rstrip())


def box_span(span: Span, layout: Layout) -> Span:
    """The span with the box around exactly its characters, on the page where it begins."""
    found = layout.bounding_box(span.char_start, span.char_end)
    return span if found is None else replace(span, page=found[0], bbox=found[1])
