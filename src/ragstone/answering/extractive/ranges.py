"""Ranges in the cells of tables, and the quantities and days of questions that lie in one: 12 kg in "10–20 kg",
a Tuesday in "Monday to Friday"."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.answering.extractive.column_values import CURRENCY, find_kind
from ragstone.answering.extractive.row_dates import MONTHS
from ragstone.core.analyzer import extract_terms
from ragstone.core.late_pattern import compile_late

AGE, YEAR = "age", "year of a calendar"
OLDEST = 130
NUMBER = r"\d+(?:[.,]\d+)*"
UNIT = rf"(?:\s?(?:{CURRENCY}|°?[^\W\d_]+²?))?"
AMOUNT = rf"(?:{CURRENCY})?\s?(?P<{{}}>{NUMBER})(?P<unit{{}}>{UNIT})"
LOW, HIGH = AMOUNT.format("low", 1), AMOUNT.format("high", 2)
TO = r"(?:\s?[-–—]\s?|\s(?:to|and|bis|und|à|et|al?|y|e|tot|en)\s)"
UP_TO = r"up to|at most|max(?:imum)?\.?|(?:no|not) more than|≤|<=|to|bis(?: zu)?|höchstens|jusqu['’]à|hasta|fino a|até"
UNDER = r"under|below|less than|fewer than|younger than|<|unter|weniger als|moins de|menos de|meno di|onder"
OVER = r"over|above|more than|older than|exceeding|>|über|mehr als|plus de|más de|oltre|più di|mais de|meer dan"
FROM = r"from|at least|min(?:imum)?\.?|≥|>=|ab|mindestens|à partir de|dès|desde|a partir de|vanaf"
MORE = r"\+|(?:and|or|und|oder|et|ou|y|o|e|en) (?:more|over|above|older|up|upwards|mehr|älter|plus|más|più|mais|meer)"
LESS = r"(?:and|or|und|oder|et|ou|y|o) (?:less|under|below|fewer|younger|weniger|jünger|moins|menos)"
BETWEEN = r"(?:from|between|von|zwischen|de|entre|da|tra)\s"
FORMS = tuple(
    (name, compile_late(rf"(?<![^\W_])(?:{pattern})(?![^\W_])", re.IGNORECASE))
    for name, pattern in (
        ("between", rf"(?:{BETWEEN})?{LOW}{TO}{HIGH}"),
        ("from", rf"{LOW}\s?(?:{MORE})"),
        ("up to", rf"{HIGH}\s?(?:{LESS})"),
        ("over", rf"(?:{OVER})\s?{LOW}"),
        ("under", rf"(?:{UNDER})\s?{HIGH}"),
        ("up to", rf"(?:{UP_TO})\s?{HIGH}"),
        ("from", rf"(?:{FROM})\s?{LOW}"),
    )
)
LONGEST = 60  # characters of a cell that is a range
# Behind a number of a question: part of a date, a time of day, a share, or of another number.
CLOCK = r"(?:[:.]\d\d)?\s?(?:[ap]\.?m\b|uhr\b|o['’]clock)|:\d\d"
MONTH = "|".join(month[:3] for month in MONTHS)
ASKED = compile_late(
    rf"(?<![\w.,:/#-])(?P<before>{CURRENCY})?\s?(?P<number>{NUMBER})(?!{CLOCK}|[.,-]?\d|%|\.?\s?(?:{MONTH})|/)"
    rf"(?:[\s-]?(?P<unit>{CURRENCY}|(?!jährig)[^\W\d_]+))?(?P<old>[\s-]old\b|[\s-]?jährig\w*)?",
    re.IGNORECASE,
)
CLOCK_TIME = compile_late(rf"(?<![\w.,:/#-])\d{{1,2}}(?:{CLOCK})", re.IGNORECASE)
BEHIND_MONTH = compile_late(rf"(?<![^\W_])(?:{MONTH})[^\W\d_]*\.?\s$", re.IGNORECASE)
AGED = compile_late(
    r"\b(?:aged?|age of|child of|children of|person of|adult of|im alter von|de edad)\s$", re.IGNORECASE
)
BEFORE = 40  # characters before a number that may say what it is of
CALENDAR = re.compile(r"(?:19|20)\d\d")
DAYS = (
    r"mon(?:days?)?|montags?|mo|lun(?:di|es)?",
    r"tue?s?(?:days?)?|dienstags?|di|mar(?:di|tes)?",
    r"wed(?:nesdays?)?|mittwochs?|mi|mer(?:credi)?|miércoles",
    r"thu(?:rs?)?(?:days?)?|donnerstags?|do|jeu(?:di)?|jueves",
    r"fri(?:days?)?|freitags?|fr|ven(?:dredi)?|viernes",
    r"sat(?:urdays?)?|samstags?|sonnabends?|sa|sam(?:edi)?|sábados?",
    r"sun(?:days?)?|sonntags?|so|dim(?:anche)?|domingos?",
)
ASKED_DAYS = (
    "mondays?|montags?|lundi|lunes",
    "tuesdays?|dienstags?|mardi|martes",
    "wednesdays?|mittwochs?|mercredi|miércoles",
    "thursdays?|donnerstags?|jeudi|jueves",
    "fridays?|freitags?|vendredi|viernes",
    "saturdays?|samstags?|sonnabends?|samedi|sábados?",
    "sundays?|sonntags?|dimanche|domingos?",
)
WEEK = frozenset(range(7))
ONE_DAY = "|".join(f"(?P<{{0}}{i}>{names})" for i, names in enumerate(DAYS))
DAY_RANGE = compile_late(
    rf"(?:{ONE_DAY.format('a')})\.?(?:(?:\s?[-–—]\s?|\s(?:to|through|bis|à|au|al?)\s)(?:{ONE_DAY.format('b')})\.?)?(?![^\W_])",
    re.IGNORECASE,
)
ASKED_DAY = compile_late(
    "(?<![^\\W_])(?:" + "|".join(f"(?P<a{i}>{names})" for i, names in enumerate(ASKED_DAYS)) + ")(?![^\\W_])",
    re.IGNORECASE,
)
DAYS_OF = {"weekend": frozenset((5, 6)), "daily": WEEK, "every day": WEEK, "weekday": frozenset(range(5))}
GROUP = re.compile(r"(?<![^\W_])(weekend|daily|every day|weekday)s?(?![^\W_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of a question in the base of its unit; the kind of that unit, or the word where none is known; `terms`
    are those of the question that say it."""

    value: float
    kind: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Interval:
    """The figures that a cell stands for, from `low` to `high`, and the unit that it writes."""

    low: float
    high: float
    unit: str = ""
    open_low: bool = False
    open_high: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether it has two ends."""
        return not math.isinf(self.low) and not math.isinf(self.high)

    def holds(self, value: float) -> bool:
        """Whether a figure lies in it."""
        above = value > self.low if self.open_low else value >= self.low
        return above and (value < self.high if self.open_high else value <= self.high)


def list_quantities(question: str) -> list[Quantity]:
    """The quantities that a question says; no dates, times of day and shares.

    >>> list_quantities("What does a parcel of 2 kg cost?")[0].value, list_quantities("Is it open at 7 pm on 2 May?")
    (2000.0, [])
    >>> [(one.value, one.kind) for one in list_quantities("a child of 8, a 15-year-old, in 2020")]
    [(8.0, 'age'), (15.0, 'age'), (2020.0, 'year of a calendar')]
    """
    return [one for match in ASKED.finditer(question) if (one := _read_asked(question, match)) is not None]


def _read_asked(question: str, match: re.Match[str]) -> Quantity | None:
    before, unit = question[max(0, match.start() - BEFORE) : match.start()], (match["unit"] or "").lower()
    if BEHIND_MONTH.search(before) or (value := read_number(match["number"])) is None:
        return None
    terms = frozenset(extract_terms(match[0]))
    if match["before"] or re.fullmatch(CURRENCY, unit, re.IGNORECASE):
        return Quantity(value, "money", terms)
    kind, size = find_kind(unit)
    if match["old"] or AGED.search(before):
        return Quantity(value, AGE, terms)
    if CALENDAR.fullmatch(match["number"]) and kind is None:
        return Quantity(value, YEAR, frozenset(extract_terms(match["number"])))
    return Quantity(value * size, kind or unit, terms)


def read_number(digits: str) -> float | None:
    """A number in English or German notation; None where it may be either.

    >>> read_number("1,000"), read_number("31.5"), read_number("2,5"), read_number("1.000")
    (1000.0, 31.5, 2.5, None)
    """
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    if re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+", digits):
        return None
    try:
        return float(digits.replace(",", "."))
    except ValueError:
        return None


def read_interval(cell: str) -> Interval | None:
    """The range that a cell writes; None where it is none, or more than one.

    >>> read_interval("10–20 kg"), read_interval("fewer than 50")
    (Interval(low=10.0, high=20.0, unit='kg', open_low=False, open_high=False), Interval(low=-inf, high=50.0, unit='', \
open_low=False, open_high=True))
    >>> read_interval("1,000 and more").low, read_interval("Children (4 to 11)").high, read_interval("7:00 – 20:00")
    (1000.0, 11.0, None)
    """
    text = " ".join(re.sub(r"[()\[\]*_]", " ", cell).split())
    if not 0 < len(text) <= LONGEST or not any(map(str.isdigit, text)):
        return None
    for form, pattern in FORMS:
        match = pattern.search(text)
        if match and not any(map(str.isdigit, text[: match.start()] + text[match.end() :])):
            return _make_interval(form, match)
    return None


def _make_interval(form: str, match: re.Match[str]) -> Interval | None:
    said = match.groupdict()
    low = read_number(said["low"]) if said.get("low") else -math.inf
    high = read_number(said["high"]) if said.get("high") else math.inf
    if low is None or high is None or low >= high:
        return None
    currency = re.search(rf"(?:{CURRENCY})", match[0], re.IGNORECASE)
    unit = currency[0] if currency else (said.get("unit2") or said.get("unit1") or "").strip()
    return Interval(low, high, unit.lower(), open_low=form == "over", open_high=form == "under")


def list_asked_days(question: str) -> tuple[frozenset[int], frozenset[str]]:
    """The days of the week that a question names, Monday 0, and the terms that say so.

    >>> list_asked_days("When do you close on Fridays?")[0], list_asked_days("What is open on weekends?")[0]
    (frozenset({4}), frozenset({5, 6}))
    """
    found = [*ASKED_DAY.finditer(question), *GROUP.finditer(question)]
    days = frozenset(day for match in found for day in _days_of(match))
    return days, frozenset(extract_terms(" ".join(match[0] for match in found)))


def list_clock_terms(question: str) -> frozenset[str]:
    """The terms of the times of day in a question.

    >>> sorted(list_clock_terms("Is it open at 7 pm, or at 18:30?"))
    ['18', '30', '7', 'pm']
    """
    return frozenset(extract_terms(" ".join(match[0] for match in CLOCK_TIME.finditer(question))))


def _days_of(match: re.Match[str]) -> frozenset[int]:
    if match.re is GROUP:
        return DAYS_OF[match[1].lower()]
    return frozenset((int((match.lastgroup or "a0")[1:]),))


def read_days(cell: str) -> frozenset[int]:
    """The days of the week with which a cell begins, and further ones that it names; none where it begins otherwise.

    >>> sorted(read_days("Mon–Fri 9–12, Sun 10–11")), sorted(read_days("Saturday")), sorted(read_days("Market"))
    ([0, 1, 2, 3, 4, 6], [5], [])
    """
    text = cell.strip(" *_-•")
    if group := GROUP.match(text):
        return DAYS_OF[group[1].lower()]
    if len(text) > LONGEST or DAY_RANGE.match(text) is None:
        return frozenset()
    starts = (match for match in DAY_RANGE.finditer(text) if not match.start() or not text[match.start() - 1].isalnum())
    return frozenset(day for match in starts for day in _list_range(match))


def _list_range(match: re.Match[str]) -> Iterator[int]:
    ends = [int(name[1:]) for name, said in match.groupdict().items() if said]
    first, last = ends[0], ends[-1]
    yield from ((first + step) % 7 for step in range((last - first) % 7 + 1))
