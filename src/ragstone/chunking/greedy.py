"""Filling pieces from the front until they are full: the common part of the simpler chunkers."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from ragstone.chunking.compose import GAP, LineNumbers, Stretch, dominant_kind, merge_spans
from ragstone.chunking.leftovers import drop_leftovers
from ragstone.chunking.outline import Passage, trim_range
from ragstone.chunking.overlap import find_word_tail
from ragstone.chunking.split import BLANK
from ragstone.chunking.table import TableHeaders
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Piece, Span, join_slices
from ragstone.core.work_limit import check_work

# A blank line is two characters. What is longer is left out, so that runs of newlines count as one break.
BREAK = 2


class Unit(NamedTuple):
    """Characters that stay together. A `fresh` one begins a piece, without overlap."""

    start: int
    end: int
    passage: Passage
    fresh: bool = False


class PieceDraft(NamedTuple):
    """A piece in the making: its units, and where the overlap before them begins and ends."""

    units: tuple[Unit, ...]
    lead: tuple[int, int] | None = None


Measure = Callable[[int, int], int]
"""The size of the characters [start, end)."""


def count_characters(start: int, end: int) -> int:
    """The measure of those that count characters."""
    return end - start


def split_paragraphs(record: str, passages: Sequence[Passage], opens: Callable[[Passage], bool]) -> list[Unit]:
    """The body between blank lines, each row of a table by itself; a passage that `opens` a section is fresh."""
    out: list[Unit] = []
    for passage in passages:
        for i, (start, end) in enumerate(_split_range(record, passage, BLANK)):
            fresh = opens(passage) and i == 0
            if out and not fresh and _is_same_paragraph(record, out[-1], start, passage.where):
                out[-1] = out[-1]._replace(end=end)
            else:
                out.append(Unit(start, end, passage, fresh))
    return out


def _is_same_paragraph(record: str, before: Unit, start: int, where: Span) -> bool:
    place = before.passage.where
    return (
        start - before.end <= BREAK
        and record.count("\n", before.end, start) < BREAK
        and GAP.fullmatch(record, before.end, start) is not None
        and (place.page, place.sheet, place.rows) == (where.page, where.sheet, where.rows)
    )


def _split_range(record: str, unit: Unit | Passage, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = unit.start
    for cut in [*(match.end() for match in pattern.finditer(record, unit.start, unit.end)), unit.end]:
        start, end = trim_range(record, at, cut)
        if start < end:
            yield start, end
        at = cut


def split_large_units(
    record: str, units: Sequence[Unit], pattern: re.Pattern[str], *, over: int, measure: Measure
) -> list[Unit]:
    """The units, those over a size split after each match of the pattern."""
    out: list[Unit] = []
    for unit in units:
        if measure(unit.start, unit.end) <= over:
            out.append(unit)
            continue
        places = _split_range(record, unit, pattern)
        out.extend(Unit(start, end, unit.passage, unit.fresh and i == 0) for i, (start, end) in enumerate(places))
    return out


def fill_drafts(record: str, units: Sequence[Unit], *, size: int, overlap: int, measure: Measure) -> list[PieceDraft]:
    """Drafts of at most `size`, overlap included; a unit that is larger stands alone.

    The overlap begins after the first space in the last `overlap` of the piece before, and is shorter
    where the next unit leaves less room.
    """
    out: list[PieceDraft] = []
    taken: list[Unit] = []
    lead: tuple[int, int] | None = None
    used = 0
    for unit in units:
        check_work()
        length = measure(unit.start, unit.end)
        gap = _gap_length(record, taken[-1].end, unit.start) if taken else 0
        if taken and (unit.fresh or used + gap + length > size):
            out.append(PieceDraft(tuple(taken), lead))
            room = 0 if unit.fresh else min(overlap, size - length - gap)
            lead = _find_overlap(record, taken, room)
            used = measure(*lead) + gap if lead else 0
            taken = []
            gap = 0
        taken.append(unit)
        used += gap + length
    return [*out, PieceDraft(tuple(taken), lead)] if taken else out


def _find_overlap(record: str, taken: Sequence[Unit], room: int) -> tuple[int, int] | None:
    """The overlap out of the last stretch without a long gap; of a table whole rows."""
    end = start = taken[-1].end
    if taken[-1].passage.where.rows is not None:
        rows = takewhile(lambda unit: unit.passage.where.rows is not None and end - unit.start <= room, reversed(taken))
        begin = min((unit.start for unit in rows), default=end)
        return (begin, end) if begin < end else None
    for unit in reversed(taken):
        if start != end and _gap_length(record, unit.end, start) != start - unit.end:
            break
        start = unit.start
        if end - start >= room:
            break
    begin = find_word_tail(record, start, end, room) if room > 0 else end
    return (begin, end) if begin < end else None


def _gap_length(record: str, end: int, start: int) -> int:
    """What stands between two units in the text of a piece: a short gap itself, a long one as a newline."""
    return start - end if start - end <= BREAK and GAP.fullmatch(record, end, start) else 1


def finish_pieces(
    record: str,
    drafts: Sequence[PieceDraft],
    tokenizer: Tokenizer,
    *,
    title: Callable[[Passage], tuple[str, ...]],
    note: Callable[[Piece], str],
) -> list[Piece]:
    """Finished pieces: places, texts, tokens, and a note where `note` finds a reason."""
    lines, out = LineNumbers(record), list[Piece]()
    headers = TableHeaders(record, (unit.passage for draft in drafts for unit in draft.units))
    for draft in drafts:
        check_work()
        first = draft.units[0].passage
        stretches = [(unit.start, unit.end, unit.passage.where) for unit in draft.units]
        if draft.lead:
            stretches = [*_list_overlap(draft.lead, drafts[len(out) - 1]), *stretches]
        places = merge_spans(record, lines, stretches, gap=BREAK)
        repeated = draft.lead[1] - draft.lead[0] if draft.lead else 0
        what = dominant_kind([(unit.passage, unit.end - unit.start) for unit in draft.units])
        text, header = join_slices(record, places), headers.above(draft.units[0].start, first)
        out.append(Piece(len(out), text, places, title(first), what, overlap=repeated, header=header))
    counts = tokenizer.count([piece.text for piece in out])
    return drop_leftovers([replace(p, tokens=n, note=note(p)) for p, n in zip(out, counts, strict=True)])


def _list_overlap(lead: tuple[int, int], before: PieceDraft) -> list[Stretch]:
    """The overlap, each part of it with its own place."""
    start, end = lead
    own = [(max(start, unit.start), unit.end, unit.passage.where) for unit in before.units if unit.end > start]
    return own if own and own[0][0] == start else [(start, end, before.units[-1].passage.where)]
