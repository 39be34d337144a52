"""From a range of a chunk's text back to the text of record."""

from dataclasses import replace

from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Chunk, Span


def spans_at(chunk: Chunk, start: int, end: int) -> tuple[Span, ...]:
    """The spans whose slices of the record, joined by newlines, are `chunk.text[start:end]`.

    A range over the border of two slices gives two spans; page and box stay those of the slice, and so do its rows
    unless each is a line.
    """
    out: list[Span] = []
    offset = 0
    for span in chunk.spans:
        length = span.char_end - span.char_start
        # Each position belongs to one slice; the newline that joins belongs to the slice before it.
        if offset <= end and start <= offset + length:
            text = chunk.text[offset : offset + length]
            out.append(_slice_span(span, text, max(0, start - offset), min(length, end - offset)))
        offset += length + 1
    return tuple(out)


def _slice_span(span: Span, text: str, start: int, end: int) -> Span:
    text = unify_newlines(text)
    above, within = text.count("\n", 0, start), text.count("\n", start, end)
    first = span.line_start + above
    rows = span.rows
    if rows is not None and rows[1] - rows[0] == span.line_end - span.line_start:  # a row is a line
        rows = (rows[0] + above, rows[0] + above + within)
    return replace(
        span,
        char_start=span.char_start + start,
        char_end=span.char_start + end,
        line_start=first,
        line_end=first + within,
        rows=rows,
    )


def span_in(record: str, start: int, end: int) -> Span:
    """The span of a range of the record, its lines counted."""
    record = unify_newlines(record)
    first = 1 + record.count("\n", 0, start)
    return Span(start, end, first, first + record.count("\n", start, end))
