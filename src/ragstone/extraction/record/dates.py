"""Dates as documents write them, to ISO 8601."""

from datetime import date, datetime

LONGEST = 60
# Beside ISO 8601: forms that cannot be misread, as the year or the name of the month stands apart.
FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d.%m.%Y",
    "%a, %d %b %Y %H:%M:%S %z",
)


def iso_date(text: str, *more: str) -> str | None:
    """The date, or the date and time, in ISO 8601; None when it cannot be read for certain.

    `more` are further `strptime` patterns, for sources whose order of day and month is known.

    >>> iso_date("5 January 2024"), iso_date("2024-01-05T10:00:00Z"), iso_date("01/05/2024")
    ('2024-01-05', '2024-01-05T10:00:00+00:00', None)
    """
    text = " ".join(text[: LONGEST + 1].split())
    if len(text) > LONGEST:
        return None
    try:
        if len(text) == len("2025-01-31"):
            return date.fromisoformat(text).isoformat()
        if text[:4].isdigit() and "-" in text:
            zoned = text.replace(" UTC", "+00:00").replace(" GMT", "+00:00").replace(" +", "+").replace(" -", "-")
            return datetime.fromisoformat(zoned).isoformat()
    except ValueError:
        pass
    for pattern in (*FORMATS, *more):
        try:
            moment = datetime.strptime(text, pattern)
        except ValueError:
            continue
        return moment.isoformat() if "%H" in pattern else moment.date().isoformat()
    return None
