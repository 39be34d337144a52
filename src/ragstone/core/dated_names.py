"""Dates and versions in names of files: what tells the states of one document apart, and which is the latest."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from ragstone.core.comparable_words import MONTHS
from ragstone.core.late_pattern import compile_late

Moment = tuple[int, ...]
Mark = tuple[str, Moment]  # "date" or "version", and what it is
YEAR, MONTH, DAY = r"((?:19|20)\d\d)", r"(0[1-9]|1[0-2])", r"(0[1-9]|[12]\d|3[01])"
COUNT = r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
# The months as other languages write them behind a day.
OWN_MONTHS = {
    name: month
    for month, names in enumerate(
        "januar jänner janvier enero gennaio janeiro januari stycznia января"
        "/februar février febrero febbraio fevereiro februari lutego февраля"
        "/märz mars marzo março maart marts marca марта/avril abril aprile kwietnia апреля"
        "/mai mayo maggio maio mei maj maja мая/juni juin junio giugno junho czerwca июня"
        "/juli juillet julio luglio julho lipca июля/août agosto augustus augusti sierpnia августа"
        "/septembre septiembre settembre setembro września сентября"
        "/oktober octobre octubre ottobre outubro października октября/novembre noviembre novembro listopada ноября"
        "/dezember décembre diciembre dicembre dezembro desember grudnia декабря".split("/"),
        1,
    )
    for name in names.split()
}
NAME = f"({'|'.join(sorted(MONTHS, key=len, reverse=True))})"
OWN_NAME = f"({'|'.join(sorted(OWN_MONTHS, key=len, reverse=True))})"
PARTS = {"q": 3, "h": 6}  # months of a quarter and of a half


def _read_version(written: str) -> Moment:
    return tuple(int(part) for part in re.split("[._]", written))


Form = tuple[str, str, Callable[..., Moment]]  # a pattern, what it finds, and the numbers of its groups
FORMS: tuple[Form, ...] = (
    (rf"(?<!\d){YEAR}([-_./ ]?){MONTH}\2{DAY}(?!\d)", "date", lambda y, _, m, d: (int(y), int(m), int(d))),
    (rf"(?<!\d){DAY}\.{MONTH}\.{YEAR}(?!\d)", "date", lambda d, m, y: (int(y), int(m), int(d))),
    (rf"(?<!\d){YEAR}[-_./ ]?([qh])([1-4])(?![a-z\d])", "date", lambda y, p, n: (int(y), PARTS[p] * int(n), 0)),
    (rf"(?<![a-z\d])([qh])([1-4])[-_./ ]?{YEAR}(?!\d)", "date", lambda p, n, y: (int(y), PARTS[p] * int(n), 0)),
    (rf"(?<!\d){COUNT}[-_. ]+{NAME}[-_., ]+{YEAR}(?!\d)", "date", lambda d, m, y: (int(y), MONTHS[m], int(d))),
    (rf"(?<![a-z]){NAME}[-_. ]+{COUNT}[-_., ]+{YEAR}(?!\d)", "date", lambda m, d, y: (int(y), MONTHS[m], int(d))),
    (
        rf"(?<!\d){COUNT}(?:er|[ºª.])? (?:de )?{OWN_NAME},? (?:de[l ]? ?)?{YEAR}(?!\d)",
        "date",
        lambda d, m, y: (int(y), OWN_MONTHS[m], int(d)),
    ),
    (
        rf"(?<!\w)(?:(?<=\ben )|(?<=\bi )|(?!mars )){OWN_NAME} (?:de )?{YEAR}(?!\d)",
        "date",
        lambda m, y: (int(y), OWN_MONTHS[m], 0),
    ),
    (rf"(?<!\d){YEAR}[-_./ ]?{NAME}(?![a-z])", "date", lambda y, m: (int(y), MONTHS[m], 0)),
    (rf"(?<![a-z]){NAME}[-_./ ]?{YEAR}(?!\d)", "date", lambda m, y: (int(y), MONTHS[m], 0)),
    (rf"(?<!\d){YEAR}[-_/]{MONTH}(?!\d)", "date", lambda y, m: (int(y), int(m), 0)),
    (rf"(?<!\d){YEAR}(?:[-_/](?:20)?\d\d)?(?!\d)", "date", lambda y: (int(y), 0, 0)),
    (r"(?<![a-z])(?:v|ver|version|rev|revision)[-_. ]?(\d{1,9}(?:[._]\d{1,9})*+)(?!\w)", "version", _read_version),
    (r"(?<![\w.])(\d{1,9}(?:\.\d{1,9})++)(?!\w)", "version", _read_version),
)
PATTERNS = tuple((compile_late(pattern), kind, read) for pattern, kind, read in FORMS)
BLANKS = re.compile(r"[\s_.-]+")
ENDING = re.compile(r"\.[a-z][a-z\d]{0,4}$", re.IGNORECASE)


def split_marks(text: str) -> tuple[str, tuple[Mark, ...]]:
    """A text in lower case with "<date>" and "<version>" in the place of these, and each as it reads in numbers: year,
    month, day, with 0 for what is not said, and the last month of a quarter or half.

    >>> split_marks("What was decided on March 3, 2026?")
    ('what was decided on <date>?', (('date', (2026, 3, 3)),))
    >>> [split_marks(day)[1][0][1] for day in ("am 3. März 2026", "le 1er mars 2026", "3 de marzo de 2026")]
    [(2026, 3, 3), (2026, 3, 1), (2026, 3, 3)]
    """
    text = text.casefold()
    marks: list[Mark] = []
    for pattern, kind, read in PATTERNS:
        found = [read(*match.groups()) for match in pattern.finditer(text)]
        if found:
            text = pattern.sub(f"<{kind}>", text)
            marks += ((kind, moment) for moment in found)
    return text, tuple(marks)


def read_state(path: str) -> tuple[str, tuple[Mark, ...]]:
    """A path without its ending, dates and versions, which is the same for all states of one document, and those.

    >>> read_state("reports/2023 Q1 NVDA.pdf"), read_state("plan.md")
    (('reports/<date> nvda', (('date', (2023, 3, 0)),)), ('plan', ()))
    >>> read_state("Prices_v1.10.xlsx"), read_state("minutes/31.05.2024.md")
    (('prices <version>', (('version', (1, 10)),)), ('minutes/<date>', (('date', (2024, 5, 31)),)))
    """
    series, marks = split_marks(ENDING.sub("", unquote(path)))
    return BLANKS.sub(" ", series), marks


def is_of(state: Sequence[Mark], asked: Mark) -> bool:
    """Whether a state bears a date or version that is asked for: a day of a month that is, say.

    >>> is_of([("date", (2026, 3, 3))], ("date", (2026, 3, 0))), is_of([("date", (2026, 3, 0))], ("date", (2026, 3, 3)))
    (True, False)
    """
    kind, wanted = asked
    return any(
        own == kind and (moment == wanted if kind == "version" else _lies_in(moment, wanted)) for own, moment in state
    )


def _lies_in(moment: Moment, wanted: Moment) -> bool:
    return all(part in (0, own) for own, part in zip(moment, wanted, strict=True))
