"""Filling pieces from the front until they are full: what the simpler ways to cut share."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragstone.chunking.compose import GAP, Lines, kind, spans
from ragstone.chunking.contents import sift
from ragstone.chunking.outline import Passage, trimmed
from ragstone.chunking.overlap import after_space
from ragstone.chunking.split import BLANK
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Piece, Span, joined

# A blank line is two characters. What is longer is left out, so that runs of newlines count as one break.
BREAK = 2


class Unit(NamedTuple):
    """Characters that stay together. A `fresh` one begins a piece, without overlap."""

    start: int
    end: int
    passage: Passage
    fresh: bool = False


class Draft(NamedTuple):
    """A piece in the making: its units, and where the overlap before them begins and ends."""

    units: tuple[Unit, ...]
    lead: tuple[int, int] | None = None


Measure = Callable[[int, int], int]
"""The size of the characters [start, end)."""


def paragraphs(record: str, passages: Sequence[Passage], opens: Callable[[Passage], bool]) -> list[Unit]:
    """The body between blank lines; a passage that `opens` a section is fresh."""
    out: list[Unit] = []
    for passage in passages:
        for i, (start, end) in enumerate(_apart(record, passage, BLANK)):
            fresh = opens(passage) and i == 0
            if out and not fresh and _same_paragraph(record, out[-1], start, passage.where):
                out[-1] = out[-1]._replace(end=end)
            else:
                out.append(Unit(start, end, passage, fresh))
    return out


def _same_paragraph(record: str, before: Unit, start: int, where: Span) -> bool:
    place = before.passage.where
    return (
        start - before.end <= BREAK
        and record.count("\n", before.end, start) < BREAK
        and GAP.fullmatch(record, before.end, start) is not None
        and (place.page, place.sheet) == (where.page, where.sheet)
    )


def _apart(record: str, unit: Unit | Passage, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = unit.start
    for cut in [*(match.end() for match in pattern.finditer(record, unit.start, unit.end)), unit.end]:
        start, end = trimmed(record, at, cut)
        if start < end:
            yield start, end
        at = cut


def smaller(record: str, units: Sequence[Unit], pattern: re.Pattern[str], *, over: int, measure: Measure) -> list[Unit]:
    """The units, those over a size cut after each match of the pattern."""
    out: list[Unit] = []
    for unit in units:
        if measure(unit.start, unit.end) <= over:
            out.append(unit)
            continue
        places = _apart(record, unit, pattern)
        out.extend(Unit(start, end, unit.passage, unit.fresh and i == 0) for i, (start, end) in enumerate(places))
    return out


def filled(record: str, units: Sequence[Unit], *, size: int, overlap: int, measure: Measure) -> list[Draft]:
    """Drafts of at most `size`, overlap included; a unit that is larger stands alone.

    The overlap begins after the first space in the last `overlap` of the piece before, and is shorter
    where the next unit leaves less room.
    """
    out: list[Draft] = []
    taken: list[Unit] = []
    lead: tuple[int, int] | None = None
    used = 0
    for unit in units:
        length = measure(unit.start, unit.end)
        gap = _gap(record, taken[-1].end, unit.start) if taken else 0
        if taken and (unit.fresh or used + gap + length > size):
            out.append(Draft(tuple(taken), lead))
            room = 0 if unit.fresh else min(overlap, size - length - gap)
            lead = _lead(record, taken, room)
            used = measure(*lead) + gap if lead else 0
            taken = []
            gap = 0
        taken.append(unit)
        used += gap + length
    return [*out, Draft(tuple(taken), lead)] if taken else out


def _lead(record: str, taken: Sequence[Unit], room: int) -> tuple[int, int] | None:
    """The overlap out of the last stretch without a long gap."""
    end = start = taken[-1].end
    for unit in reversed(taken):
        if start != end and _gap(record, unit.end, start) != start - unit.end:
            break
        start = unit.start
        if end - start >= room:
            break
    begin = after_space(record, start, end, room) if room > 0 else end
    return (begin, end) if begin < end else None


def _gap(record: str, end: int, start: int) -> int:
    """What stands between two units in the text of a piece: a short gap itself, a long one as a newline."""
    return start - end if start - end <= BREAK and GAP.fullmatch(record, end, start) else 1


def pieces(
    record: str,
    drafts: Sequence[Draft],
    tokenizer: Tokenizer,
    *,
    title: Callable[[Passage], tuple[str, ...]],
    note: Callable[[Piece], str],
) -> list[Piece]:
    """Finished pieces: places, texts, tokens, and a note where `note` finds a reason."""
    lines, out = Lines(record), list[Piece]()
    for draft in drafts:
        first = draft.units[0].passage
        stretches = [(unit.start, unit.end, unit.passage.where) for unit in draft.units]
        if draft.lead:
            stretches.insert(0, (*draft.lead, _before(drafts, draft, len(out)).where))
        places = spans(record, lines, stretches, gap=BREAK)
        repeated = draft.lead[1] - draft.lead[0] if draft.lead else 0
        what = kind([(unit.passage, unit.end - unit.start) for unit in draft.units])
        out.append(Piece(len(out), joined(record, places), places, title(first), what, overlap=repeated))
    counts = tokenizer.count([piece.text for piece in out])
    return sift([replace(p, tokens=n, note=note(p)) for p, n in zip(out, counts, strict=True)])


def _before(drafts: Sequence[Draft], draft: Draft, at: int) -> Passage:
    return drafts[at - 1].units[-1].passage if draft.lead else draft.units[0].passage
