"""The lines that are shown above a quote: a table's header, the declaration that a comment in code is about."""

import re
from dataclasses import replace

from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.spans import span_in
from ragstone.core.types import Span

BLANKS = r"[ \t]*+"
MOST_LINES = 6  # of a header
LONGEST_DECLARATION = 160  # characters that are shown


def prepend_lines_above(quote: Quote, record: str) -> Quote:
    """The quote below its header or declaration as the record has it, each line with its own span."""
    if not quote.header or not quote.spans or not record:
        return quote
    if quote.is_comment:
        return _prepend_declaration(quote, record)
    lines = quote.header.split("\n")[:MOST_LINES]
    found = [place for line in lines if (place := _find_line(record, line, quote.spans[0].char_start))]
    spans = tuple(_place_span(record, place, quote.spans[0]) for place in found)
    text = "\n".join([*(record[start:end] for start, end in found), quote.text])
    return replace(quote, text=text, spans=(*spans, *quote.spans))


def place_declaration(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of this line that is shown as a declaration: without its indent, up to a length."""
    start = end - len(text[start:end].lstrip())
    return start, min(end, start + LONGEST_DECLARATION)


def _prepend_declaration(quote: Quote, record: str) -> Quote:
    """The quote of a comment below the line where its declaration begins, which its heading has in one line."""
    begins, bracket, _ = quote.header.partition("(")
    start = record.rfind(begins + bracket, 0, quote.spans[0].char_start)
    if start < 0 or record[record.rfind("\n", 0, start) + 1 : start].strip():
        return quote
    end = record.find("\n", start)
    place = place_declaration(record, start, end if end >= 0 else len(record))
    text = f"{record[slice(*place)]}\n{quote.text}"
    spans = (span_in(record, *place), *quote.spans)
    return replace(quote, text=text, spans=spans, lines_above=(1, *quote.lines_above))


def _find_line(record: str, line: str, before: int) -> tuple[int, int] | None:
    """The last line above a place that says what a line of the header says, whatever blanks pad its cells."""
    end = before
    while (start := record.rfind(line, 0, end)) >= 0:
        if _is_line(record, start, start + len(line)):
            return (start, start + len(line))
        end = start + len(line) - 1
    cells = [re.escape(cell.strip()).replace("\\ ", "[ \\t]+") for cell in line.strip().strip("|").split("|")]
    if "|" not in line or not any(cells):
        return None
    joined = rf"{BLANKS}\|{BLANKS}".join(cells)
    pattern = re.compile(rf"^{BLANKS}(\|?+{BLANKS}{joined}(?:{BLANKS}\|)*+)[ \t\r]*$", re.MULTILINE)
    places = [match.span(1) for match in pattern.finditer(record, 0, before)]
    return places[-1] if places else None


def _is_line(record: str, start: int, end: int) -> bool:
    """Whether nothing but blanks and the marks of a quote stands beside these characters on their line."""
    below = record.find("\n", end)
    beside = record[record.rfind("\n", 0, start) + 1 : start] + record[end : below if below >= 0 else len(record)]
    return not beside.strip(" \t\r>")


def _place_span(record: str, place: tuple[int, int], row: Span) -> Span:
    return replace(span_in(record, *place), sheet=row.sheet, cols=row.cols)
