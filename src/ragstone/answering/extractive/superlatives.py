"""Superlatives of questions, and the column of a table that they compare: "the cheapest" one its prices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.answering.extractive.column_values import (
    CLOCK,
    DATE,
    LENGTH,
    MONEY,
    NUMBER,
    TIME,
    WEIGHT,
    Column,
    find_unit,
)
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS
from ragstone.core.analyzer import extract_terms
from ragstone.core.late_pattern import compile_late

PRICES = "price cost fee charge fare rent amount total rate".split()
BEGINNINGS = "since joined hired started member".split()
BORN = "built founded born made manufactured year introduced established opened published released created".split()
DATES = "date day when year month released published introduced created held opened founded since joined".split()
SIZES = "size area storage capacity population volume floor".split()
SPANS = "duration length lasts lasted long takes".split()


@dataclass(frozen=True, slots=True)
class Measure:
    """The figures that a superlative compares: words of headers that say them, the best first, and their kinds. Of
    `anything` it is the column that the words behind it name."""

    headers: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset((NUMBER,))
    anything: bool = False


@dataclass(frozen=True, slots=True)
class Superlative:
    """A superlative of a question: whether the highest figure answers, what it compares, and the terms behind it."""

    highest: bool
    measure: Measure
    terms: frozenset[str]
    named: frozenset[str]


PRICE = Measure(tuple(PRICES), frozenset((MONEY, NUMBER)))
AGE = Measure((*BORN, *BEGINNINGS, "start", "date"), frozenset((DATE,)))
RECENCY = Measure((*DATES, *BEGINNINGS), frozenset((DATE, CLOCK)))
SPAN = Measure(tuple(SPANS), frozenset((TIME, LENGTH, NUMBER)))
SIZE = Measure(tuple(SIZES), anything=True)
ANY = Measure(anything=True)
WORDS: Sequence[tuple[str, bool, Measure]] = (
    (r"cheapest|least expensive|lowest[- ]priced|costs? (?:you |us |me )?(?:the )?least|cost least", False, PRICE),
    (r"most expensive|dearest|costliest|priciest|most costly|costs? (?:you |us |me )?(?:the )?most", True, PRICE),
    (r"oldest", False, AGE),
    (r"newest|youngest", True, AGE),
    (r"latest|most recent(?:ly)?", True, RECENCY),
    (r"earliest", False, RECENCY),
    (r"longest", True, SPAN),
    (r"shortest", False, SPAN),
    (r"heaviest", True, Measure(("weight", "mass"), frozenset((WEIGHT, NUMBER)))),
    (r"lightest", False, Measure(("weight", "mass"), frozenset((WEIGHT, NUMBER)))),
    (r"tallest", True, Measure(("height",), frozenset((LENGTH, NUMBER)))),
    (r"deepest", True, Measure(("depth",), frozenset((LENGTH, NUMBER)))),
    (r"widest", True, Measure(("width",), frozenset((LENGTH, NUMBER)))),
    (r"fastest", True, Measure(("speed",))),
    (r"slowest", False, Measure(("speed",))),
    (r"best(?:[- ]rated)?|top[- ]rated", True, Measure(("rating", "score", "stars"))),
    (r"worst(?:[- ]rated)?", False, Measure(("rating", "score", "stars"))),
    (r"(?:warm|hott)est", True, Measure(("temperature", "temp"))),
    (r"coldest", False, Measure(("temperature", "temp"))),
    (r"largest|biggest", True, SIZE),
    (r"smallest", False, SIZE),
    (r"most|highest|greatest|maximum", True, ANY),
    (r"least|lowest|fewest|minimum", False, ANY),
)
PATTERN = compile_late(
    r"(?<![\w-])(?<!\bat )(?:"
    + "|".join(f"(?P<w{i}>{words})" for i, (words, _, _) in enumerate(WORDS))
    + r")(?![\w-])",
    re.IGNORECASE,
)
# "the second largest", "the three cheapest": another row than the first, or more.
RANKED = re.compile(
    r"(?:\d\w{0,2}|second|third|fourth|fifth|last|next|two|three|four|five|ten|some|other)\s+$", re.IGNORECASE
)
DENIES = compile_late(r"\b(?:not|no|none|without|except|never|neither|besides|excluding|\w+n['’]t)\b", re.IGNORECASE)
ASKS = compile_late(r"^\W*(?:how (?:do|can|should|to)\b|why\b|(?:is|are|was|were|do|does|did|can|may|should)\b)", re.I)
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
ENDS = frozenset(
    "of in on at for from by with per is are was were does do did has have had can may will we i you they it that "
    "which to and or than among between under over".split()
)
# A column of these goes up or down.
ORDINAL = re.compile(r"(?<![^\W_])(?:severity|priority|level|rank|class|grade|position|id|no|number)(?![^\W_])", re.I)
BEHIND = 4  # words behind a superlative that name what it is of


@dataclass(frozen=True, slots=True)
class ChosenColumn:
    """The column that a superlative compares: its place, whether its highest figure answers, and how well it fits, the
    less the better."""

    place: int
    highest: bool
    rating: tuple[int, float]


SHARED, BY_UNIT, INVERSE = 0, 30, 40  # the order of what speaks for a column


def find_superlative(question: str) -> Superlative | None:
    """The superlative of a question for one thing; None where there is none, or several, or another than the first.

    >>> find_superlative("Which plan has the most storage?").named, find_superlative("Which is the second cheapest?")
    (frozenset({'storag'}), None)
    """
    found = list(PATTERN.finditer(question))
    if (
        len(found) != 1
        or ASKS.search(question)
        or DENIES.search(question)
        or RANKED.search(question[: found[0].start()])
    ):
        return None
    [match] = found
    number = int((match.lastgroup or "w0")[1:])
    _, highest, measure = WORDS[number]
    named: list[str] = []
    for word in list(WORD.finditer(question, match.end()))[:BEHIND]:
        if word[0].lower() in ENDS:
            break
        named += extract_terms(word[0])
    return Superlative(highest, measure, frozenset(extract_terms(match[0])), frozenset(named) - SHAPE_TERMS)


def choose_column(
    asked: Superlative, headers: Sequence[str], columns: Sequence[Column | None], said: frozenset[str]
) -> ChosenColumn | None:
    """The column that a superlative compares; None where no column or several do. `said` are the terms of the question.

    >>> oldest = find_superlative("Which is the oldest lift?")
    >>> choose_column(oldest, ["Lift", "Built"], [None, Column(NUMBER, (1998.0, 2014.0), years=True)], frozenset())
    ChosenColumn(place=1, highest=False, rating=(1, 0.0))
    """
    rated = sorted(
        (rating, place)
        for place, (header, column) in enumerate(zip(headers, columns, strict=True))
        if column is not None and (rating := _rate_column(asked, header, column, said)) is not None
    )
    if not rated or (len(rated) > 1 and rated[0][0] == rated[1][0]):
        return None
    rating, place = rated[0]
    turned = rating[0] == INVERSE or (asked.measure is AGE and _says(headers[place], "age"))
    return ChosenColumn(place, asked.highest != turned, rating)


def _rate_column(asked: Superlative, header: str, column: Column, said: frozenset[str]) -> tuple[int, float] | None:
    """The lower, the more a column is what a superlative compares; None where it is not."""
    if ORDINAL.search(header):
        return None
    measure = asked.measure
    years = column.years and any(_says(header, word) for word in (*BORN, *DATES, *BEGINNINGS))
    kinds = {DATE if years else column.kind}
    dated = DATE in measure.kinds
    terms = frozenset(extract_terms(header))
    shared = terms & (asked.named or (said - asked.terms if not measure.anything else frozenset()))
    if shared and bool(kinds & {DATE, CLOCK}) == dated:
        return SHARED, -len(shared) - len(shared) / (1 + len(terms))
    if measure is SPAN and kinds & {DATE} and any(_says(header, word) for word in BEGINNINGS):
        return INVERSE, 0.0
    if measure is AGE and _says(header, "age") and column.kind in (NUMBER, TIME):
        return 1, 0.0
    if not (kinds & measure.kinds or (measure is SIZE and not kinds & {DATE, CLOCK, MONEY, TIME})):
        return None
    order = next((1 + i for i, word in enumerate(measure.headers) if _says(header, word)), None)
    if order is None and measure is SPAN and column.kind == TIME and find_unit(header) and len(header.split()) == 1:
        order = BY_UNIT
    if order is None and measure is PRICE and column.kind == MONEY:
        order = BY_UNIT
    return None if order is None else (order, 0.0)


def _says(header: str, word: str) -> bool:
    """Whether a header has a word, or its plural."""
    return re.search(rf"(?<![^\W_]){word}(?:e?s)?(?![^\W_])", header, re.IGNORECASE) is not None
