"""Questions that say a quantity or a day of the week: answered by the row in whose range it lies, and by no other of
that table."""

import math
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from ragstone.answering.extractive.column_values import find_kind, find_unit, is_blank
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage, split_passages
from ragstone.answering.extractive.question_analysis import CAPITAL_NOUNS, SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.ranges import (
    AGE,
    CALENDAR,
    OLDEST,
    YEAR,
    Interval,
    Quantity,
    list_asked_days,
    list_clock_terms,
    list_quantities,
    read_days,
    read_interval,
)
from ragstone.answering.extractive.scored_passages import place_of_passage
from ragstone.answering.extractive.whole_tables import read_header
from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import list_name_words
from ragstone.core.types import Hit

WORD = re.compile(r"[^\W\d_]+")
UNASKED = ("why", "how_to")  # kinds of questions that no row answers
OF_AGE = ("", "y", "year", "years", "yrs", "jahre", "ans", "años", "anni", "anos", "jaar")
KINDS = ("money", "time", "length", "weight")
RANGES = 0.5  # of the cells of a column of ranges
FEWEST = 2  # cells that are ranges
MOST = 3  # rows that answer
SAID = 0.5  # of what else a question says
LIGHT = frozenset(
    extract_terms(
        "price cost fee charge pay take send need open close opened closed hour hours time until long on for from after"
        " per within up around about go goes come buy order possible allowed"
    )
)


@dataclass(frozen=True, slots=True)
class RangedRows:
    """The rows whose range holds what a question says, and those of the same tables whose range does not."""

    rows: list[Passage]
    others: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Line:
    """A row, or an item of a list, as its cells, below the header of its table."""

    passage: Passage
    cells: tuple[str, ...]
    header: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A quantity or days that a question says, with their terms."""

    terms: frozenset[str]
    quantity: Quantity | None = None
    days: frozenset[int] = frozenset()


def choose_ranged_rows(question: QuestionAnalysis, hits: Sequence[Hit]) -> RangedRows:
    """The row of the range that holds the quantity or the day that a question says, of the tables above which, or in
    whose row, stands most of what else it says, and all of its names; several where as many fit, up to three."""
    tables: list[list[_Line]] = []
    if question.kind in UNASKED:
        return RangedRows([], frozenset())
    for asked in _list_asked(question.text):
        tables = tables or [table for pieces in split_passages(hits) for table in _gather_lines(pieces)]
        found = [(table, inside) for table in tables if (inside := _choose_lines(question, table, asked)) is not None]
        if found:
            return _rate_lines(question, found, asked.terms)
    return RangedRows([], frozenset())


def _list_asked(question: str) -> list[_Asked]:
    days, terms = list_asked_days(question)
    if days:
        return [_Asked(terms | list_clock_terms(question), days=days)]
    return [_Asked(one.terms, one) for one in list_quantities(question)]


def _rate_lines(
    question: QuestionAnalysis, tables: Sequence[tuple[Sequence[_Line], Sequence[_Line]]], terms: Set[str]
) -> RangedRows:
    """The rows that answer, of tables with those of their lines that are inside of a range: where a row of another
    range is more like what is asked about, there are none."""
    wanted = {t: w for t, w in question.weights.items() if t not in terms and t not in LIGHT | SHAPE_TERMS}
    tells = question.own is None or question.own.language != CAPITAL_NOUNS
    names = ((question.names if tells else frozenset()) | question.numbers) & wanted.keys()
    rated: list[tuple[float, Passage | None]] = []
    others: set[tuple[int, int]] = set()
    for table, inside in tables:
        for line in table:
            said = _list_said(line) & wanted.keys()
            answers = line in inside and names <= said
            rated.append((_share(wanted, said), line.passage if answers else None))
            others |= set() if answers else {place_of_passage(line.passage)}
    best = max((SAID, *(share for share, _ in rated)))
    rows = [row for share, row in rated if share == best and row is not None]
    return RangedRows(rows if len(rows) <= MOST else [], frozenset(others))


def _share(wanted: dict[str, float], said: Set[str]) -> float:
    return round(sum(wanted[term] for term in sorted(said)) / sum(wanted.values()), 6) if wanted else 1.0


def _list_said(line: _Line) -> frozenset[str]:
    """The terms of a row and of what stands above it."""
    passage, document = line.passage, line.passage.chunk.document
    names = list_name_words(document.path, document.title, document.meta)
    above = (text_above(passage.chunk, passage.closed), *passage.sections, *names, *line.header)
    return passage.terms | frozenset(extract_terms(" ".join(above)))


def _gather_lines(pieces: Sequence[Passage]) -> Iterator[list[_Line]]:
    """The rows of each table of a chunk, and the items of each list."""

    def place(passage: Passage) -> tuple[str, object, object]:
        row = passage.row
        return (passage.form, row.header if row else None, passage.sections)

    for (form, *_), found in groupby(pieces, key=place):
        if form == "row":
            rows = [one for one in found if one.row is not None and one.row.kind == "row"]
            yield [_Line(one, one.row.cells, read_header(one)) for one in rows if one.row is not None]
        elif form == "item":
            yield [_Line(one, (one.text.lstrip(" -*+•"),), ()) for one in found]


def _choose_lines(question: QuestionAnalysis, table: Sequence[_Line], asked: _Asked) -> list[_Line] | None:
    if asked.quantity is None:
        return _choose_by_days(table, asked.days)
    return _choose_by_quantity(question, table, asked.quantity)


def _choose_by_days(table: Sequence[_Line], days: Set[int]) -> list[_Line] | None:
    """The lines that are of one of these days; None where no column is of days."""
    for place in range(max((len(line.cells) for line in table), default=0)):
        cells = [line.cells[place] if place < len(line.cells) else "" for line in table]
        read = [read_days(cell) for cell in cells]
        filled = sum(not is_blank(cell) for cell in cells)
        if sum(map(bool, read)) >= max(FEWEST, RANGES * filled):
            return [line for line, own in zip(table, read, strict=True) if own & days]
    return None


def _choose_by_quantity(question: QuestionAnalysis, table: Sequence[_Line], quantity: Quantity) -> list[_Line] | None:
    """The lines whose range is the closest that holds a quantity; None where no column is of such ranges."""
    header = table[0].header if table else ()
    for place, name in enumerate(header):
        cells = [line.cells[place] if place < len(line.cells) else "" for line in table]
        read = [read_interval(cell) for cell in cells]
        filled = sum(not is_blank(cell) for cell in cells)
        ranges = [one for one in read if one is not None]
        if len(ranges) < max(FEWEST, RANGES * filled):
            continue
        unit = next((one.unit for one in reversed(ranges) if one.unit), "")
        if (size := _find_size(question, quantity, name, unit, ranges)) is None:
            continue
        value = quantity.value / size
        own = [(line, one) for line, one in zip(table, read, strict=True) if one is not None and one.holds(value)]
        own += [(line, Interval(value, value)) for line, cell in zip(table, cells, strict=True) if cell == f"{value:g}"]
        return [line for line, one in own if one in _find_closest([one for _, one in own], value)]
    return None


def _find_closest(found: Sequence[Interval], value: float) -> list[Interval]:
    """The ranges that hold a value more closely than the others; both where it is the end of one and the beginning of
    the next."""
    bounded = [one for one in found if one.is_bounded]
    ends = [one for one in found if not one.is_bounded and value in (one.low, one.high)]
    if ends:
        return ends
    if bounded:
        edges = [one for one in bounded if value in (one.low, one.high)]
        least = min(one.high - one.low for one in bounded)
        return edges or [one for one in bounded if one.high - one.low == least]
    highest = max((one.low for one in found), default=0.0)
    lowest = min((one.high for one in found), default=0.0)
    return [one for one in found if one.low == highest and one.high == lowest]


def _find_size(
    question: QuestionAnalysis, quantity: Quantity, header: str, unit: str, ranges: Sequence[Interval]
) -> float | None:
    """The factor by which the figures of a column become those of a quantity; None where it measures something
    else."""
    bounds = [bound for one in ranges for bound in (one.low, one.high) if not math.isinf(bound)]
    if quantity.kind == YEAR:
        return 1.0 if all(CALENDAR.fullmatch(f"{bound:g}") for bound in bounds) and not unit else None
    if quantity.kind == AGE:
        is_age = unit in OF_AGE and find_unit(header) in (None, "time")
        return 1.0 if is_age and max(bounds) <= OLDEST else None
    if unit:
        kind, size = ("money", 1.0) if find_unit(f"({unit})") == "money" else find_kind(unit)
        fits = kind == quantity.kind if kind else frozenset(extract_terms(unit)) & quantity.terms
        return size if fits else None
    if find_unit(header) == quantity.kind == "money":
        return 1.0
    if quantity.kind in KINDS:
        kinds = (find_kind(word) for word in WORD.findall(header.lower()))
        named = bool(frozenset(extract_terms(header)) & quantity.terms)
        return next((size for kind, size in kinds if kind == quantity.kind), 1.0 if named else None)
    return 1.0 if frozenset(extract_terms(header)) & question.weights.keys() - question.numbers else None
