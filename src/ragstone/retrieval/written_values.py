"""Dates and numbers as texts write them: "March 12" and 2026-03-12 are one day, 10000 and 10,000 one number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.comparable_words import MONTHS
from ragstone.core.dated_names import OWN_MONTHS

Day = tuple[int, int, int]  # year, month, day; 0 for what is not said
MONTH_NUMBERS = {**OWN_MONTHS, **MONTHS}
LETTERS = re.compile(r"[^\W\d_]+")
YEAR, DAY = r"(?P<year>(?:19|20)\d\d)(?!\d)", r"(?P<day>0?[1-9]|[12]\d|3[01])"
MONTH = r"(?P<month>0?[1-9]|1[0-2])"
NAME = rf"(?P<month>{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})(?![^\W_])\.?"
# Before the name of a month alone, which may be another word: "in May", "la réunion d'avril", "im Mai".
LEAD = "in|of|for|since|until|by|during|last|this|next|early|late|mid|from|im|vom|seit|bis|en|de|du|d'|di|del|em|van|op"
MEETING = "meeting|minutes|report|review|update|newsletter|board|release|invoice"
DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d.])(?P<year>(?:19|20)\d\d)(?P<sign>[-_/.]){MONTH}(?P=sign){DAY}(?!\d)",
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        rf"(?<![\d.]){DAY}(?P<sign>[-.]){MONTH}(?P=sign){YEAR}",
        rf"(?<![\d/]){DAY}(?P<either>/){MONTH}/{YEAR}",
        rf"(?<![\d/]){MONTH}/{DAY}/{YEAR}",
        rf"(?<![\d.]){DAY}(?:st|nd|rd|th|er|[ºª.])? ?(?:of |de )?{NAME}(?:,? (?:del? )?{YEAR})?",
        rf"(?<![^\W_]){NAME} {DAY}(?:st|nd|rd|th)?(?![\d:%]|[.,]\d)(?:,? {YEAR})?",
        rf"(?<![^\W_]){NAME},? (?:de )?{YEAR}",
        rf"(?<!\d)(?P<year>(?:19|20)\d\d)-{MONTH}(?![-\d])",
    )
)
MONTHS_ALONE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![^\W_])(?:{LEAD}) ?(?:(?:the|la|le|el|il|der|dem|den) )?{NAME}",
        rf"(?<![^\W_]){NAME}(?='s | (?:{MEETING})(?![^\W_]))",
    )
)
# The thousands parted or not; plain digits also behind a comma, as the fields of a CSV are.
NUMBER = re.compile(
    r"(?<![\w.,'’])\d{1,3}(?P<parting>[.,'’\u00a0\u202f ])\d{3}(?:(?P=parting)\d{3})*(?:[.,]\d{1,2})?(?![\w.,'’]?\d)"
    r"|(?:(?<![\w.,'’])\d{1,3}|(?<![\w.'’])\d{4,})(?:[.,]\d{1,2})?(?![.'’]?\d)"
)


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A date or a number at a place of a text. A date may have two readings: 3/4/2026."""

    start: int
    end: int
    days: tuple[Day, ...] = ()
    number: float | None = None

    def may_be(self, other: "WrittenValue") -> bool:
        """Whether both say one thing, one of them perhaps less of it: a day lies in its month."""
        if self.number is not None or other.number is not None:
            return self.number == other.number
        return any(_agree(mine, its) for mine in self.days for its in other.days)


def _agree(one: Day, other: Day) -> bool:
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def list_dates(text: str, *, months: bool = False) -> list[WrittenValue]:
    """The dates of a text, none inside another, in their order; with `months` also those that are a month alone.

    >>> [one.days for one in list_dates("On 3 March 2026, 12.04.2026, 3/4/2026 and May 5th, not 3.5.1.")]
    [((2026, 3, 3),), ((2026, 4, 12),), ((2026, 4, 3), (2026, 3, 4)), ((0, 5, 5),)]
    >>> [one.days for one in list_dates("May we meet in May?", months=True)]
    [((0, 5, 0),)]
    """
    found: list[WrittenValue] = []
    alone = months and any(word in MONTH_NUMBERS for word in LETTERS.findall(text.casefold()))
    for pattern in (*(DATES if any(map(str.isdigit, text)) else ()), *(MONTHS_ALONE if alone else ())):
        for match in pattern.finditer(text):
            start, end = match.span("month") if pattern in MONTHS_ALONE else match.span()
            if all(end <= one.start or start >= one.end for one in found):
                found.append(WrittenValue(start, end, days=tuple(_read_days(match))))
    return sorted(found, key=lambda one: one.start)


def _read_days(match: re.Match[str]) -> Iterator[Day]:
    said = match.groupdict()
    month, day = said["month"].casefold(), int(said.get("day") or 0)
    number = int(month) if month.isdecimal() else MONTH_NUMBERS[month]
    yield int(said.get("year") or 0), number, day
    if said.get("either") and day <= 12 and day != number:
        yield int(said["year"]), day, number


def list_numbers(text: str) -> list[WrittenValue]:
    """The numbers of a text, however their thousands are parted.

    >>> [one.number for one in list_numbers("10,000 seats for 12500.00, 1.250,50 or 3.5 in v1.2.3; a,14,1250.00")]
    [10000.0, 12500.0, 1250.5, 3.5, 1250.0]
    """
    return [
        WrittenValue(*match.span(), number=float(_drop_parting(match).replace(",", ".")))
        for match in NUMBER.finditer(text)
    ]


def _drop_parting(match: re.Match[str]) -> str:
    return match.group().replace(match["parting"], "") if match["parting"] else match.group()
