"""The cells of a column as figures that can be compared: prices, durations, sizes, dates, times of day."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.answering.extractive.row_dates import MONTHS, list_days
from ragstone.answering.verification.quantities import BASE

MONEY, TIME, LENGTH, WEIGHT, DATE, CLOCK, NUMBER = "money", "time", "length", "weight", "date", "clock", "number"
CURRENCY = r"[$€£¥]|(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|euros?|dollars?|pounds?|francs?)(?![^\W\d_])"
DIGITS = r"\d+(?:[.,'’\u00a0\u202f]\d+)*"
AMOUNT = re.compile(
    rf"(?:(?:ca|approx|max|min)\.?|about|up to|from|[~≈<>≤≥])?\s*(?P<minus>[-−]?)\s*(?P<before>{CURRENCY})?\s*"
    rf"(?P<sign>[-−]?)(?P<number>{DIGITS})(?![\w-]*\d)\s*(?P<after>{CURRENCY}|%|[^\W\d_]+²?)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
CURRENCIES = {"euro": "€", "eur": "€", "$": "usd", "dollar": "usd", "£": "gbp", "pound": "gbp", "¥": "jpy"}
CURRENCIES |= {"franc": "chf"}
MAGNITUDES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "mio": 1e6, "mrd": 1e9, "bn": 1e9}
OF_MONEY = MAGNITUDES | {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9}
PERIOD = re.compile(r"(?:/|\b(?:per|an?|each|every))\s*([^\W\d_]+)|\b(\w+ly)\b", re.IGNORECASE)
RANGE = re.compile(r"\s*[-–—/:]\s*\d")
UNIT_IN_HEADER = re.compile(r"\(([^()]+)\)\s*$|\bin ([^\W\d_]+)\s*$|^\s*([^\W\d_]+)\s*$")
CLOCK_TIME = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)(?:\s*(?:h|uhr|o'clock))?", re.IGNORECASE)
OF_MONEY_HEADER = re.compile(
    rf"(?<![^\W_])(?:prices?|costs?|fees?|charges?|fares?|rents?|amounts?|totals?|rates?|preise?|kosten|prix|precios?"
    rf"|{CURRENCY})(?![^\W_])",
    re.IGNORECASE,
)
MONTH = re.compile(
    rf"(?:(?P<year>(?:1[0-9]|20|21)\d\d)[-/.](?P<month>0?[1-9]|1[0-2])"
    rf"|(?P<name>{'|'.join(month[:3] for month in MONTHS)})[a-z]{{0,6}}\.? (?P<its>(?:1[0-9]|20|21)\d\d))",
    re.IGNORECASE,
)
GERMAN_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.((?:1[0-9]|20|21)\d\d)")
BRACKETED = re.compile(r"\(([^()]*\d[^()]*)\)")  # a loss, as accounts write it
YEAR = re.compile(r"(?:1[0-9]|20|21)\d\d")
BLANK = re.compile(r"\W*|n/?a|none|unknown|closed|tbd|tba", re.IGNORECASE)
ENDLESS = re.compile(r"unlimited|infinite|no limit|∞", re.IGNORECASE)
FREE = re.compile(r"free(?: of charge)?", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"(?<!\d),\d|\d,\d{1,2}(?!\d)|\d\.\d{3},")
DECIMAL_POINT = re.compile(r"\d\.\d{1,2}(?!\d)|\d\.\d{4}|(?<!\d)0\.\d|,\d{3}\.")
THOUSANDS_BY_POINT = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])")
SHORT_UNITS = {"min": "minute", "mins": "minute", "sec": "second", "s": "second", "h": "hour", "hr": "hour"}
SHORT_UNITS |= {"hrs": "hour", "d": "day", "yr": "year", "yrs": "year", "t": "tonne"}
KINDS = {BASE["hour"][0]: TIME, BASE["month"][0]: TIME, BASE["m"][0]: LENGTH, BASE["kg"][0]: WEIGHT}
MONTH_SECONDS = 30.4375 * 86400
FEWEST, LEAST_READ = 2, 0.75  # cells that hold a figure, and their share of those that are filled


@dataclass(frozen=True, slots=True)
class Column:
    """The figures of a column, None for a cell that holds none; `years` where all are numbers of years."""

    kind: str
    values: tuple[float | None, ...]
    years: bool = False


def read_column(header: str, cells: Sequence[str]) -> Column | None:
    """The figures of a column of one kind and one unit; None where there are few, or some cannot be compared.

    >>> read_column("Price", ["€0", "€6.50", "1,000 EUR"])
    Column(kind='money', values=(0.0, 6.5, 1000.0), years=False)
    >>> read_column("How long", ["90 minutes", "2 hours", "-"]).values
    (5400.0, 7200.0, None)
    >>> read_column("Price", ["4.50", "11.00"]).kind, read_column("Opens", ["4.50", "11.00"]).kind
    ('number', 'clock')
    >>> read_column("Size", ["2 GB", "7 days"]) is read_column("Room", ["north", "12"]) is None
    True
    """
    filled = [cell for cell in cells if not BLANK.fullmatch(cell)]
    if len(filled) < FEWEST:
        return None
    for kind, read in ((DATE, _read_date), (CLOCK, _read_clock)):
        if kind == CLOCK and OF_MONEY_HEADER.search(header):
            continue  # 4.50 is no ten to five
        days = [read(cell) for cell in cells]
        if sum(day is not None for day in days) == len(filled):
            return Column(kind, tuple(days))
    return _read_amounts(header, cells, len(filled))


def is_blank(cell: str) -> bool:
    """Whether a cell holds nothing, or says so."""
    return BLANK.fullmatch(cell) is not None


def _read_amounts(header: str, cells: Sequence[str], filled: int) -> Column | None:
    bracketed = [BRACKETED.fullmatch(cell.strip()) for cell in cells]
    if sum(map(bool, bracketed)) < filled:  # where all are, they are notes, and no losses
        cells = [f"-{match[1]}" if match else cell for match, cell in zip(bracketed, cells, strict=True)]
    every = "\n".join(cells)
    comma, point = bool(DECIMAL_COMMA.search(every)), bool(DECIMAL_POINT.search(every))
    if (comma and point) or (not comma and not point and THOUSANDS_BY_POINT.search(every)):
        return None  # 1.340 may be one or a thousand
    read = [_read_amount(cell, decimal_comma=comma) for cell in cells]
    figures = [one for one in read if one is not None]
    units = {unit for value, unit in figures if 0 < abs(value) < math.inf} or {""}
    if len(figures) < max(FEWEST, LEAST_READ * filled) or len(units) > 1:
        return None
    [unit] = units
    kind = MONEY if unit.startswith(MONEY) else unit
    values = tuple(one[0] if one else None for one in read)
    years = not kind and all(not cell or YEAR.fullmatch(cell) or BLANK.fullmatch(cell) for cell in cells)
    return Column(kind or find_unit(header) or NUMBER, values, years)


def find_unit(header: str) -> str | None:
    """The kind of the unit that a header names, in brackets, behind "in" or as its only word.

    >>> find_unit("Length (cm)"), find_unit("Duration in hours"), find_unit("Days"), find_unit("Requests per minute")
    ('length', 'time', 'time', None)
    """
    if re.search(rf"(?<![^\W\d_])(?:{CURRENCY})", header):
        return MONEY
    found = UNIT_IN_HEADER.search(header)
    unit = next(filter(None, found.groups()), "") if found else ""
    return find_kind(unit)[0] if unit else None


def _read_amount(cell: str, *, decimal_comma: bool) -> tuple[float, str] | None:
    """A figure in the base of its unit, and the kind of the unit, or the unit where its kind is not known."""
    text = cell.strip(" *_`~")
    if ENDLESS.fullmatch(text):
        return math.inf, ""
    if FREE.fullmatch(text):
        return 0.0, ""
    found = AMOUNT.fullmatch(text)
    if found is None or RANGE.match(found["rest"]):
        return None
    digits = re.sub(r"['’\u00a0\u202f]", "", found["number"])
    digits = digits.replace(".", "").replace(",", ".") if decimal_comma else digits.replace(",", "")
    try:
        value = float(digits) * (-1 if found["sign"] or found["minus"] else 1)
    except ValueError:
        return None
    after = (found["after"] or "").lower()
    if currency := found["before"] or (after if re.fullmatch(CURRENCY, after, re.IGNORECASE) else ""):
        return _read_money(value, currency.lower(), after if found["before"] else "", found["rest"])
    if after in MAGNITUDES:
        return value * MAGNITUDES[after], ""
    kind, size = find_kind(after)
    return value * size, kind or after


def _read_money(value: float, currency: str, after: str, rest: str) -> tuple[float, str]:
    """An amount, and its unit: the currency and what it is paid for, as a month."""
    name = currency.removesuffix("s")
    periods = (match[1] or match[2] for match in PERIOD.finditer(f"{'' if after in OF_MONEY else after}{rest}"))
    return value * OF_MONEY.get(after, 1.0), " ".join((MONEY, CURRENCIES.get(name, name), *map(str.lower, periods)))


def find_kind(unit: str) -> tuple[str | None, float]:
    """The kind of a unit, and its size."""
    name = unit.lower()
    name = SHORT_UNITS.get(name, name if name in BASE else name.removesuffix("s"))
    if name not in BASE:
        return None, 1.0
    measure, size = BASE[name]
    return KINDS.get(measure, f"measure {measure}"), size * (MONTH_SECONDS if measure == BASE["month"][0] else 1.0)


def _read_date(cell: str) -> float | None:
    """A day or a month as a number that grows with time."""
    if found := MONTH.fullmatch(cell.strip()):
        year = found["year"] or found["its"]
        names = [month[:3] for month in MONTHS]
        month = int(found["month"]) if found["month"] else names.index(found["name"].lower()) + 1
        return float(int(year) * 372 + month * 31)
    if found := GERMAN_DAY.fullmatch(cell.strip()):
        day, number, written = map(int, found.groups())
        return float(written * 372 + number * 31 + day)
    days = list_days(cell) if len(cell) < 40 else frozenset()
    if len(days) != 1:
        return None
    year, number, day = (int(part) for part in next(iter(days)).split("-"))
    return float(year * 372 + number * 31 + day)


def _read_clock(cell: str) -> float | None:
    found = CLOCK_TIME.fullmatch(cell.strip())
    return float(int(found[1]) * 60 + int(found[2])) if found else None
