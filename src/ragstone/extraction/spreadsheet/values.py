"""How the value of a cell is shown: as its reader sees it, without what binary numbers add."""

import datetime
import re

# Kinds of values, one letter each: text, number, date or time, truth value, error.
TEXT, NUMBER, DATE, TRUTH, ERROR = "s", "n", "d", "b", "e"
EXACT = 2**53  # up to here a double holds every whole number
WHOLE = 1e21  # above this a number has more digits than anybody reads
AS_NUMBER = re.compile(
    r"[-+(]?\s?[$€£¥]?\s?[-+]?(?:\d{1,3}(?:[ ,.'\u00a0]\d{3})+|\d+)?(?:[.,]\d+)?(?:[eE][-+]?\d{1,3})?\s?[%$€£¥]?\)?"
)
AS_DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ]\d{1,2}:\d{2}.{0,16})?|\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
)
TRUTHS = frozenset(("true", "false", "yes", "no"))
LONGEST_TRUTH = 5
DIGIT = re.compile(r"\d")
LONGEST = 40  # characters of a number or a date


def format_value(value: object) -> tuple[str, str]:
    """A cell's value as text, and its kind.

    >>> format_value(3.0), format_value(0.1 + 0.2), format_value(datetime.datetime(2024, 5, 1, 9, 30))
    (('3', 'n'), ('0.3', 'n'), ('2024-05-01 09:30:00', 'd'))
    """
    if isinstance(value, str):
        return value.strip(), TEXT
    if isinstance(value, float):
        return format_number(value), NUMBER
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), TRUTH
    if isinstance(value, datetime.datetime):
        at_midnight = value.time() == datetime.time()
        return (value.date().isoformat() if at_midnight else value.isoformat(" ", "seconds")), DATE
    if isinstance(value, datetime.timedelta):
        return _format_duration(value), DATE
    if isinstance(value, datetime.date):
        return value.isoformat(), DATE
    if isinstance(value, datetime.time):
        return value.isoformat("seconds"), DATE
    return str(value), NUMBER


def format_number(value: float) -> str:
    """Whole numbers without a point, others with the 15 digits that a spreadsheet keeps.

    >>> format_number(1234567890123456.0), format_number(2.0**60), format_number(-0.1), format_number(1e300)
    ('1234567890123456', '1152921504606846976', '-0.1', '1e+300')
    """
    return str(int(value)) if value.is_integer() and abs(value) < WHOLE else format(value, ".15g")


def format_percent(value: object) -> str:
    """A share as a percentage, all of its digits kept.

    >>> format_percent(0.125), format_percent(0.07)
    ('12.5%', '7%')
    """
    return (
        f"{format_number(float(format(value * 100, '.13g')))}%"
        if isinstance(value, int | float)
        else format_value(value)[0]
    )


def pad_number(value: object, width: int) -> str:
    """A whole number with the leading zeros that its format asks for (codes, postcodes)."""
    whole = isinstance(value, int | float) and float(value).is_integer() and value >= 0
    return format_value(value)[0].zfill(width) if whole else format_value(value)[0]


def classify_text(text: str) -> str:
    """Classify a text of a CSV file, which must not be empty.

    >>> [classify_text(text) for text in ("1,234.50", "(12 %)", "2024-05-01", "true", "A-12")]
    ['n', 'n', 'd', 'b', 's']
    """
    if text.isdecimal() and len(text) <= LONGEST:
        return NUMBER
    if text[0].isalpha():
        return TRUTH if len(text) <= LONGEST_TRUTH and text.lower() in TRUTHS else TEXT
    if len(text) > LONGEST or not DIGIT.search(text):
        return TEXT
    return NUMBER if AS_NUMBER.fullmatch(text) else DATE if AS_DATE.fullmatch(text) else TEXT


def _format_duration(value: datetime.timedelta) -> str:
    seconds = round(value.total_seconds())
    minutes, rest = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02}:{rest:02}"
