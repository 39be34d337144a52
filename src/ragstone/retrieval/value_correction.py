"""A date or a number of a question as passages write it: who asks for "March 12" finds the minutes of 2026-03-12."""

import re
from collections import Counter
from collections.abc import Sequence

from ragstone import guard
from ragstone.core.types import Chunk
from ragstone.retrieval.passages_by_words import Corrections, read_best
from ragstone.retrieval.question import Question
from ragstone.retrieval.readers import SourceView
from ragstone.retrieval.written_values import MONTH_NUMBERS, Day, WrittenValue, list_dates, list_numbers

MOST = 3  # dates and numbers of a question that are looked up
LEAST = 1000  # smaller numbers are written in one way
TWO_READINGS = re.compile(r"\d{1,3}\.\d{3}")  # a thousand parted by a point, or three digits behind one
YEARS = range(1900, 2100)  # a number like these is one
PAST, COMING = 9, 1  # years around now that a date without one may be of
DAYS = range(1, 32)


async def find_written_values(views: Sequence[SourceView], question: Question) -> Corrections:
    """Each date and number of a question that no passage has in this form, and the form that passages have: of a date
    without a day or year only where all passages with it name one day."""
    found = {}
    for value in _list_asked(question.text)[:MOST]:
        asked = question.text[value.start : value.end]
        if question.text.count(asked) == 1 and (form := await _find_form(views, question, value, asked)) is not None:
            found[asked] = form
    return found


def _list_asked(text: str) -> list[WrittenValue]:
    dates = list_dates(text, months=True)
    numbers = [one for one in list_numbers(text) if one.number is not None and one.number >= LEAST]
    numbers = [one for one in numbers if not TWO_READINGS.fullmatch(text[one.start : one.end])]
    numbers = [one for one in numbers if not (text[one.start : one.end].isdecimal() and one.number in YEARS)]
    return [*dates, *(one for one in numbers if all(one.end <= day.start or one.start >= day.end for day in dates))]


async def _find_form(views: Sequence[SourceView], question: Question, value: WrittenValue, asked: str) -> str | None:
    """The form that most passages have; None where one has it as it is asked, or where they mean several days."""
    forms: Counter[str] = Counter()
    days: set[Day] = set()
    for view in views:
        for chunk in await read_best(view, _write_forms(value, asked, question.asked_at.year), question.where):
            text = _read_text(chunk)
            if _has_words(text, asked):
                return None
            same = [one for one in _list_values(text, value) if one.may_be(value)]
            forms.update({text[one.start : one.end] for one in same})
            days.update(day for one in same for day in one.days)
    if not forms or len(days) > 1:
        return None
    return max(forms, key=lambda form: (forms[form], form))


def _has_words(text: str, asked: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", text, re.IGNORECASE) is not None


def _list_values(text: str, value: WrittenValue) -> list[WrittenValue]:
    return list_dates(text) if value.days else list_numbers(text)


def _read_text(chunk: Chunk) -> str:
    """The text of a passage and its names, without its secrets."""
    names = [*chunk.heading_path, chunk.document.title or "", chunk.document.path]
    return "\n".join([guard.mask_secrets(chunk.text, chunk.spans, chunk.secrets), *names])


def _write_forms(value: WrittenValue, asked: str, now: int) -> str:
    """The words by which passages with the value are found."""
    if value.number is not None:
        return " ".join([asked, *_write_number(value.number)])
    words = [asked]
    for year, month, day in value.days:
        words += [name for name, number in MONTH_NUMBERS.items() if number == month]
        for one in [year] if year else range(now - PAST, now + COMING + 1):
            for each in [day] if day else DAYS:
                words += [f"{one}-{month:02}-{each:02}", f"{each:02}.{month:02}.{one}", f"{each}.{month}.{one}"]
                words += [f"{one}{month:02}{each:02}"]
        words += [f"{day} {day:02} {month} {month:02} {year}"] * bool(day and year)
    return " ".join(dict.fromkeys(words))


def _write_number(number: float) -> list[str]:
    """A number with each way of parting its thousands, and with two digits behind the point."""
    forms = []
    for spec in (",.0f", ",.2f") if number == int(number) else (",.2f", ",.1f"):
        made = format(number, spec)
        forms += [made, made.replace(",", ""), made.replace(",", " ")]
        forms += [made.replace(",", "'"), made.replace(",", "_").replace(".", ",").replace("_", ".")]
    return forms
