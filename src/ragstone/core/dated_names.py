"""Dates and versions in names of files: what tells the states of one document apart, and which is the latest."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from ragstone.core.comparable_words import MONTHS
from ragstone.core.late_pattern import compile_late

Moment = tuple[int, ...]
YEAR, MONTH, DAY = r"((?:19|20)\d\d)", r"(0[1-9]|1[0-2])", r"(0[1-9]|[12]\d|3[01])"
NAME = f"({'|'.join(sorted(MONTHS, key=len, reverse=True))})"
PARTS = {"q": 3, "h": 6}  # months of a quarter and of a half


def _read_version(written: str) -> Moment:
    return tuple(int(part) for part in re.split("[._]", written))


Form = tuple[str, str, Callable[..., Moment]]  # a pattern, what it finds, and the numbers of its groups
FORMS: tuple[Form, ...] = (
    (rf"(?<!\d){YEAR}([-_./ ]?){MONTH}\2{DAY}(?!\d)", "date", lambda y, _, m, d: (int(y), int(m), int(d))),
    (rf"(?<!\d){DAY}\.{MONTH}\.{YEAR}(?!\d)", "date", lambda d, m, y: (int(y), int(m), int(d))),
    (rf"(?<!\d){YEAR}[-_./ ]?([qh])([1-4])(?![a-z\d])", "date", lambda y, p, n: (int(y), PARTS[p] * int(n), 0)),
    (rf"(?<![a-z\d])([qh])([1-4])[-_./ ]?{YEAR}(?!\d)", "date", lambda p, n, y: (int(y), PARTS[p] * int(n), 0)),
    (rf"(?<!\d){YEAR}[-_./ ]?{NAME}(?![a-z])", "date", lambda y, m: (int(y), MONTHS[m], 0)),
    (rf"(?<![a-z]){NAME}[-_./ ]?{YEAR}(?!\d)", "date", lambda m, y: (int(y), MONTHS[m], 0)),
    (rf"(?<!\d){YEAR}[-_/]{MONTH}(?!\d)", "date", lambda y, m: (int(y), int(m), 0)),
    (rf"(?<!\d){YEAR}(?:[-_/](?:20)?\d\d)?(?!\d)", "date", lambda y: (int(y), 0, 0)),
    (r"(?<![a-z])(?:v|ver|version|rev|revision)[-_. ]?(\d+(?:[._]\d+)*)(?!\w)", "version", _read_version),
    (r"(?<![\w.])(\d+(?:\.\d+)+)(?!\w)", "version", _read_version),
)
PATTERNS = tuple((compile_late(pattern), kind, read) for pattern, kind, read in FORMS)
BLANKS = re.compile(r"[\s_.-]+")
ENDING = re.compile(r"\.[a-z][a-z\d]{0,4}$")


def split_moment(path: str) -> tuple[str, Moment]:
    """A path without its ending, dates and versions, which is the same for all states of one document, and those as
    numbers, by which the later state is the greater; () where there are none.

    >>> split_moment("reports/2023 Q1 NVDA.pdf"), split_moment("reports/2023 Q3 NVDA.pdf")
    (('reports/<date> nvda', (2023, 3, 0)), ('reports/<date> nvda', (2023, 9, 0)))
    >>> split_moment("Prices_v1.10.xlsx"), split_moment("minutes/31.05.2024.md"), split_moment("plan.md")
    (('prices <version>', (1, 10)), ('minutes/<date>', (2024, 5, 31)), ('plan', ()))
    """
    series = ENDING.sub("", unquote(path).casefold())
    moment: Moment = ()
    for pattern, kind, read in PATTERNS:
        found = [read(*match.groups()) for match in pattern.finditer(series)]
        if found:
            series = pattern.sub(f"<{kind}>", series)
            moment += tuple(number for one in found for number in one)
    return BLANKS.sub(" ", series), moment
