"""The dates in a row of a table as questions write them: "Mar 1 2010" and 2010/03/01 are days of March 2010."""

import re
from datetime import date

from ragstone.core.analyzer import extract_terms

MONTHS = "january february march april may june july august september october november december".split()
# A date with the year first: no other order is certain.
DAY = re.compile(r"(?<![\d.])((?:19|20)\d\d)([-/.])(\d{1,2})\2(\d{1,2})(?![\d.])")
# A short name of a month beside a number; elsewhere it may be another word.
SHORT = re.compile(
    r"(?<![^\W_])(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b(?:(?=\.?[\s,'-]{0,2}\d)|(?<=\d[\s-]...)|(?<=\d[\s-]....))",
    re.IGNORECASE,
)

NAMED = rf"({'|'.join(month[:3] for month in MONTHS)})[a-z]{{0,6}}\.?"
WRITTEN = re.compile(
    rf"\b{NAMED}\s(\d{{1,2}})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)\b|\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s{NAMED},?\s((?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def list_days(text: str) -> frozenset[str]:
    """The days that a text names whole, in ISO 8601.

    >>> sorted(list_days("On January 5, 2012, 6 Feb 2012 and 2012/03/07, but not in May 2012."))
    ['2012-01-05', '2012-02-06', '2012-03-07']
    """
    found = [(match[1], match[3], match[4]) for match in DAY.finditer(text)]
    for match in WRITTEN.finditer(text):
        month, day, year = (match[1], match[2], match[3]) if match[1] else (match[5], match[4], match[6])
        found.append((year, f"{MONTHS.index(_name_month(month)) + 1}", day))
    return frozenset(day.isoformat() for parts in found if (day := _make_date(*parts)))


def extract_date_terms(text: str) -> frozenset[str]:
    """The terms of the dates in a text in other notations than its own.

    >>> sorted(extract_date_terms("IBM,Mar 1 2010,125.55")), "march" in extract_date_terms("2010/03/01,12")
    (['march'], True)
    >>> extract_date_terms("Mar vista,12"), extract_date_terms("2010.13.40")
    (frozenset(), frozenset())
    """
    said = [_name_month(match[1]) for match in SHORT.finditer(text)]
    for match in DAY.finditer(text):
        if (day := _make_date(match[1], match[3], match[4])) is None:
            continue
        said.append(f"{MONTHS[day.month - 1]} {MONTHS[day.month - 1][:3]} {day.day} {day.day:02} {day.isoformat()}")
    return frozenset(extract_terms(" ".join(said)))


def _name_month(short: str) -> str:
    return next(month for month in MONTHS if month.startswith(short[:3].lower()))


def _make_date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
