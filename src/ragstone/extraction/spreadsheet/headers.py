"""Which rows of a table say what its columns are, and which above it say what it is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ragstone.extraction.spreadsheet.rows import SAMPLE, Line
from ragstone.extraction.spreadsheet.values import NUMBER, TEXT, classify_text

MOST = 3  # rows of a header
TITLES = 5  # rows above it
LONGEST = 200  # characters of a label
YEARS = range(1900, 2101)
SHARED = 0.8  # of a column's cells have one shape with digits or signs in it: its values are codes
DIGITS, UPPER, LOWER = re.compile(r"\d+"), re.compile(r"[A-Z]+"), re.compile(r"[a-z]+")
NOTES, FEWEST = 12, 2  # notes below a table of so many rows
WORDS, LONG_NOTE = 3, 80  # blanks of a sentence, characters of a note: no label of a row has so many
NOTE = re.compile(
    r"(?:sources?|notes?|footnotes?|quellen?|anmerkung(?:en)?|fuentes?|notas?|remarques?|fonte)\s*[:.]|[*†‡§¹²³⁴⁵]"
    r"|[(\[]?(?:\d{1,2}|[a-z])[)\]/]\s",
    re.IGNORECASE,
)
MARK = re.compile(r"[^A-Za-z ]")


def count_titles(lines: Sequence[Line]) -> int:
    """How many rows at the top have one cell only, above rows with more."""
    alone = next((i for i, line in enumerate(lines) if len(line.cols) > 1), 0)
    return alone if alone <= TITLES else 0


def count_notes(lines: Sequence[Line]) -> int:
    """How many rows at the end are remarks on the table: a text alone in the first column that names a source, begins
    with a mark or is a sentence."""
    wide = sum(len(line.cols) > 1 for line in lines)
    first = min((line.cols[0] for line in lines), default=1)
    count = 0
    while wide >= FEWEST and count < NOTES and count < len(lines) and _is_note(lines[-1 - count], first):
        count += 1
    return count


def _is_note(line: Line, first: int) -> bool:
    if list(line.cols) != [first] or line.kinds != TEXT:
        return False
    text = line.texts[0]
    sentence = text[-1:] in ".!?" and text.count(" ") >= WORDS
    return sentence or len(text) > LONG_NOTE or NOTE.match(text) is not None


def count_headers(lines: Sequence[Line]) -> int:
    """How many rows at the top are labels of columns; 0 where the first row looks like the others."""
    if len(lines) < 2:
        return 0
    down = max((rows for rows, _ in (lines[0].merged or {}).values()), default=1)
    if not _is_label_row(lines[0], lines[down:] or lines[1:]):
        return 0
    rows = 1
    while rows < min(MOST, len(lines) - 1):
        across = any(cols > 1 for _, cols in (lines[rows - 1].merged or {}).values())
        if not (
            rows < down
            or _is_unit_row(lines[rows], lines[0].cols[0])
            or (across and set(_label_kinds(lines[rows])) == {TEXT} and _is_label_row(lines[rows], lines[rows + 1 :]))
        ):
            break
        rows += 1
    return rows


def _is_unit_row(line: Line, first: int) -> bool:
    """Whether a row holds one text over several columns, none of them the first: the unit of all figures below."""
    own = [col for col in line.cols if col not in line.repeated]
    return own == list(line.merged or ()) and len(own) == 1 and own[0] > first and set(line.kinds) == {TEXT}


def _is_label_row(first: Line, below: Sequence[Line]) -> bool:
    """Whether a row names what stands below it: by kinds where there are other kinds than text, else by its words."""
    if any(len(text) > LONGEST for text in first.texts):
        return False
    body = below[:SAMPLE]
    usual = _find_usual_kinds(body)
    kinds = dict(zip(first.cols, _label_kinds(first), strict=True))
    unlike = sum(usual.get(col, kind) != kind for col, kind in kinds.items())
    alike = sum(usual.get(col) == kind != TEXT for col, kind in kinds.items())
    if unlike or alike:
        return unlike > alike
    return _has_label_words(first, body)


def _label_kinds(line: Line) -> str:
    """The kinds of a row, years in a run as the labels that they are."""
    numbers = [text for text, kind in zip(line.texts, line.kinds, strict=True) if kind == NUMBER]
    years = len(numbers) > 1 and all(len(text) == 4 and text.isdecimal() and int(text) in YEARS for text in numbers)
    in_a_row = years and len({abs(int(b) - int(a)) for a, b in pairwise(numbers)}) == 1
    return line.kinds.replace(NUMBER, TEXT) if in_a_row and len(set(numbers)) == len(numbers) else line.kinds


def _find_usual_kinds(body: Sequence[Line]) -> Mapping[int, str]:
    """The kind of more than half of the cells of each column."""
    counted: dict[int, Counter[str]] = {}
    for line in body:
        for col, kind, text in zip(line.cols, line.kinds, line.texts, strict=True):
            counted.setdefault(col, Counter())[classify_text(text) if kind == TEXT else kind] += 1
    most = {col: kinds.most_common(1)[0] for col, kinds in counted.items()}
    return {col: kind for col, (kind, n) in most.items() if n * 2 > counted[col].total()}


def _has_label_words(first: Line, body: Sequence[Line]) -> bool:
    """All is text: labels are different, fill their row, do not come back below, and are no codes among codes."""
    widest = max(len(line.cols) for line in body)
    if len({text.casefold() for text in first.texts}) < len(first.texts) or len(first.cols) * 2 < widest:
        return False
    columns: dict[int, list[str]] = {}
    for line in body:
        for col, text in zip(line.cols, line.texts, strict=True):
            if col not in line.repeated:
                columns.setdefault(col, []).append(text)
    pairs = [(text, columns[col]) for col, text in zip(first.cols, first.texts, strict=True) if col in columns]
    if any(text in values for text, values in pairs):
        return False
    shapes = [
        (_text_shape(text), Counter(map(_text_shape, values)).most_common(1)[0], len(values)) for text, values in pairs
    ]
    codes = [own == usual for own, (usual, n), of in shapes if MARK.search(usual) and n >= SHARED * of]
    return not codes or not all(codes)


def _text_shape(text: str) -> str:
    """
    >>> _text_shape("AB-123"), _text_shape("Overview 1"), _text_shape("ann.b@example.org")
    ('A-9', 'Aa 9', 'a.a@a.a')
    """
    return LOWER.sub("a", UPPER.sub("A", DIGITS.sub("9", text[:LONGEST])))
