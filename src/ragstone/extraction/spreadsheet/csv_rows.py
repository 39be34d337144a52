"""The fields of a CSV file with their places in it: quotes, quoted line breaks, and what is broken about them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

QUOTE = '"'
ENDS = re.compile(r"\r\n|\n|\r")
DOUBLED = re.compile(r'(?:""|[^"])*+')


class CsvRow(NamedTuple):
    """A row: its characters [start, end) without the line's end, the texts of its fields, and where these stand."""

    start: int
    end: int
    texts: list[str]
    places: list[tuple[int, int]]


def parse_rows(text: str, delimiter: str, *, start: int = 0) -> Iterator[CsvRow]:
    """Every row of the file, empty ones too; a line end inside quotes ends no row.

    A quote that opens a field and is closed by no quote before a delimiter or a line's end stands for itself.
    """
    at = start
    while at < len(text):
        match = ENDS.search(text, at)
        end, behind = match.span() if match else (len(text), len(text))
        if text.find(QUOTE, at, end) < 0:
            yield _split_plain(text, at, end, delimiter)
            at = behind
            continue
        row = _split_quoted(text, at, delimiter)
        yield row
        match = ENDS.match(text, row.end)
        at = match.end() if match else row.end


def _split_plain(text: str, start: int, end: int, delimiter: str) -> CsvRow:
    texts = text[start:end].split(delimiter) if delimiter else [text[start:end]]
    places: list[tuple[int, int]] = []
    at = start
    for field in texts:
        places.append((at, at + len(field)))
        at += len(field) + 1
    return CsvRow(start, end, texts, places)


def _split_quoted(text: str, start: int, delimiter: str) -> CsvRow:
    texts: list[str] = []
    places: list[tuple[int, int]] = []
    stop = _compile_stop(delimiter)
    barren = 0
    at = start
    while True:
        first, last, end, barren = _scan_field(text, at, stop, barren)
        said = text[first:last]
        texts.append(said.replace('""', QUOTE) if first > at and text[first - 1] == QUOTE else said)
        places.append((first, last))
        if end == len(text) or text[end] != delimiter:
            return CsvRow(start, end, texts, places)
        at = end + 1


def _scan_field(text: str, at: int, stop: re.Pattern[str], barren: int) -> tuple[int, int, int, int]:
    """Where a field's text begins and ends, where the field does, and `barren` (see `_scan_loose_field`)."""
    opening = at
    while opening < len(text) and text[opening] == " ":
        opening += 1
    if text.startswith(QUOTE, opening):
        closing = DOUBLED.match(text, opening + 1)
        last = closing.end() if closing else len(text)
        if last < len(text) and stop.match(text, behind := _skip_spaces(text, last + 1)):
            return opening + 1, last, behind, barren
        if last < len(text) and ENDS.search(text, opening, last) is None:
            return _scan_loose_field(text, opening, last, stop, barren)
    end = _find_stop(text, at, stop)
    return at, end, end, barren


def _scan_loose_field(
    text: str, opening: int, last: int, stop: re.Pattern[str], barren: int
) -> tuple[int, int, int, int]:
    """A field that goes on behind its quote: `"He said "hi" to me",` ends at a quote that is followed by an
    end; where there is none in the line, the quotes are kept as text.

    `barren` is the end of the line once none was found: no later field of it need look again.
    """
    if last >= barren:
        end = ENDS.search(text, last)
        limit = end.start() if end else len(text)
        for match in re.compile(QUOTE).finditer(text, last, limit):
            if stop.match(text, behind := _skip_spaces(text, match.end())):
                return opening + 1, match.start(), behind, barren
        barren = limit
    behind = _find_stop(text, last, stop)
    return opening, behind, behind, barren


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def _find_stop(text: str, at: int, stop: re.Pattern[str]) -> int:
    match = stop.search(text, at)
    return match.start() if match else len(text)


@cache
def _compile_stop(delimiter: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(delimiter)}|[\r\n]|\Z" if delimiter else r"[\r\n]|\Z")
