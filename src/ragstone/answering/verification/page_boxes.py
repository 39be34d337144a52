"""From a place in the text of record to the boxes on the page that a reader should look at."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ragstone import guard
from ragstone.core.analyzer import CJK
from ragstone.core.answers import Citation
from ragstone.core.page_layout import Layout
from ragstone.core.types import Span, join_slices

CJK_LETTER = re.compile(f"[{CJK}]")


def add_page_boxes(
    citations: Sequence[Citation], records: Mapping[str, str], layouts: Mapping[str, Layout]
) -> tuple[Citation, ...]:
    """The citations with a span for each visual line, its page, and a box around exactly its characters.

    `records` and `layouts` are by the document's id; citations of documents without a layout stay as they are. The
    spans of a statement cover it without a gap but for the blank at which a line was broken, and the quote has a line
    break there: joined by line ends the slices are the quote. A table's row keeps its one span and gets the box around
    its cells.
    """
    return tuple(
        _box_citation(citation, records[citation.document.id], layouts[citation.document.id])
        if citation.document.id in layouts and citation.status != "unverified"
        else citation
        for citation in citations
    )


def _box_citation(citation: Citation, record: str, layout: Layout) -> Citation:
    out: list[Span] = []
    for span in citation.spans:
        out += [box_span(span, layout)] if span.rows else _box_lines(span, record, layout)
    if len(out) == len(citation.spans):
        return replace(citation, spans=tuple(out))
    quote = join_slices(record, out)
    if citation.masked:
        quote = guard.mask_secrets(quote, out, guard.select_secrets(guard.locate_secrets(record), out))
    return replace(citation, spans=tuple(out), quote=quote)


def _box_lines(span: Span, record: str, layout: Layout) -> list[Span]:
    places = layout.line_boxes(span.char_start, span.char_end)
    if not places:
        return [span]
    # What the record adds, such as the mark of a list, belongs to the line that it stands on.
    starts = [span.char_start, *(start for start, _, _, _ in places[1:]), span.char_end]
    out: list[Span] = []
    for (a, b), (_, _, page, box) in zip(pairwise(starts), places, strict=True):
        last = out[-1] if out else None
        if last is not None and last.page == page and _is_inside_word(record, a):
            out[-1] = box_span(replace(last, char_end=_line_end(record, a, b, last=b == span.char_end)), layout)
            continue
        end = _line_end(record, a, b, last=b == span.char_end)
        out.append(replace(span, char_start=a, char_end=end, page=page, bbox=box))
    return out


def _is_inside_word(record: str, at: int) -> bool:
    """Whether a line ends inside a word, which the record has whole: then both lines are one span, for a quote."""
    around = record[at - 1 : at + 1]
    return around.isalnum() and len(around) == 2 and not CJK_LETTER.search(around)


def _line_end(record: str, start: int, end: int, *, last: bool) -> int:
    return end if last else start + len(record[start:end].rstrip())


def box_span(span: Span, layout: Layout) -> Span:
    """The span with the box around exactly its characters, on the page where it begins."""
    found = layout.bounding_box(span.char_start, span.char_end)
    return span if found is None else replace(span, page=found[0], bbox=found[1])
