"""Chosen passages as an answer shows them: neighbours as one quote, rows of tables below their header."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.spans import spans_at

SHOWN = 100  # characters of a declaration by which it is known again


def arrange_passages(chosen: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The passages in their order, those that touch joined where the first of them stands."""
    out: list[ScoredPassage] = []
    for one in chosen:
        touched = [other for other in out if _touch(other.passage, one.passage)]
        if not touched:
            out.append(one)
            continue
        joined = reduce(_join, (other.passage for other in touched[1:]), _join(touched[0].passage, one.passage))
        out = [replace(o, passage=joined) if o is touched[0] else o for o in out if o not in touched[1:]]
    return out


def _touch(one: Passage, other: Passage) -> bool:
    """Whether two passages stand side by side in one chunk, with nothing but blanks between them."""
    if one.hit != other.hit or one.row is not None or other.row is not None:
        return False
    first, second = sorted((one, other), key=lambda passage: passage.start)
    return not first.chunk.text[first.end : second.start].strip()


def _join(one: Passage, other: Passage) -> Passage:
    start, end = min(one.start, other.start), max(one.end, other.end)
    form = "item" if "item" in (one.form, other.form) else one.form
    return replace(one, start=start, end=end, index=min(one.index, other.index), form=form)


def make_quotes(chosen: Sequence[ScoredPassage]) -> list[Quote]:
    """The chosen passages as quotes with their spans in the text of record; the introduction of a list once, and rows
    of one table, one behind the other, below their header as one quote."""
    out: list[Quote] = []
    before: Passage | None = None
    leads: set[tuple[int, tuple[int, int]]] = set()
    declared: set[tuple[str, str]] = set()  # of each declaration once
    for one in chosen:
        passage = one.passage
        if passage.lead is not None:
            lead = (passage.hit, passage.lead)
            passage = replace(passage, lead=None) if lead in leads else passage
            leads.add(lead)
        declaration = passage.declared or _declaration_above(passage)
        place = (passage.chunk.document.id, declaration.rstrip(" :{")[:SHOWN])
        if before is not None and _share_header(before, passage):
            out[-1] = _add_row(out[-1], passage)
        else:
            out.append(_make_quote(passage, is_declared=place in declared))
        before = passage
        declared |= {place} if declaration else set()
    return out


def _share_header(before: Passage, passage: Passage) -> bool:
    """Whether two rows are of one table, and of one group of it."""
    one, other = before.row, passage.row
    if one is None or other is None or before.chunk.id != passage.chunk.id or one.kind != "row":
        return False
    return one[1:] == other[1:]


def _add_row(quote: Quote, passage: Passage) -> Quote:
    """A quote with one more row of its table."""
    spans = spans_at(passage.chunk, passage.start, passage.end)
    return replace(quote, text=f"{quote.text}\n{passage.text}", spans=(*quote.spans, *spans))


def _make_quote(passage: Passage, *, is_declared: bool) -> Quote:
    """A passage as a quote; a row of a table below its header and the row that names its group, a comment in code
    below the declaration that it is about, an item of a list below what introduces it."""
    chunk, row = passage.chunk, passage.row
    above = (*row.header, *([row.group] if row.group else ())) if row and row.kind == "row" else ()
    if passage.declaration and not is_declared:
        above = (passage.declaration,)
    if passage.lead and passage.lead[1] <= passage.start:
        above = (passage.lead,)
    ranges = [*above, (passage.start, passage.end)]
    text = "\n".join(chunk.text[start:end] for start, end in ranges)
    spans = tuple(span for start, end in ranges for span in spans_at(chunk, start, end))
    header = chunk.header if row and row.continued else "" if is_declared else _declaration_above(passage)
    lines = tuple(chunk.text.count("\n", start, end) + 1 for start, end in above)
    return Quote(chunk, text, spans, passage.is_prose, header, lines, passage.is_comment)


def _declaration_above(passage: Passage) -> str:
    """The declaration above the chunk of a comment that names none, as its heading."""
    has_none = passage.is_comment and passage.declaration is None
    return passage.chunk.heading_path[-1] if has_none and passage.chunk.heading_path else ""
