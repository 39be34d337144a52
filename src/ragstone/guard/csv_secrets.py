"""Secrets in CSV and its kin, wherever in a text the rows stand: below a heading that names them, or beside a name."""

import re
from collections.abc import Generator, Iterator, Sequence

from ragstone.guard.pipe_table_secrets import CELL_LENGTH, HEADING_LENGTH, SecretValue, find_line_end, match_heading

MARKS = "\t;,"
MOST = 1000  # fields of a row that are looked at
# What columns are called; code and prose have other signs in some of their parts.
LABEL = re.compile(r"(?:\w(?:[\w &/%#'-]|\.(?=\w))*(?: ?\([^()]*\))?)?\s*")
OPTION, OTHER_OPTIONS = re.compile(r"[ \t]+:header:[ \t]+"), re.compile(r"(?:[ \t]*(?::[\w-]+:[^\n]*)?\r?\n){0,9}+")
Field = tuple[int, int]


def _compile_field(mark: str) -> re.Pattern[str]:
    """A field in quotes, which may go over lines, or one without; both without the blanks around them."""
    return re.compile(
        rf'[ ]*+(?:"(?P<quoted>(?:[^"]|""){{0,{CELL_LENGTH}}}+)"[ ]*+(?=[{mark}\r\n]|\Z)|(?P<plain>[^{mark}\r\n]*+))'
    )


FIELD = {mark: _compile_field(mark) for mark in MARKS}


def find_values(text: str, lower: str, names: Sequence[int]) -> Iterator[SecretValue]:
    """Each value in a column of secrets, and each one that stands beside the name of one, whose place says less.

    `names` are places of suspicious words, in order. The rows below a heading have its mark between their fields,
    the first of them as often as the heading. Each line is looked at once for each of three marks.
    """
    done = 0
    for at in names:
        if at < done:
            continue
        start = lower.rfind("\n", 0, at) + 1
        for mark in MARKS:
            if lower.find(mark, start, find_line_end(lower, at)) < 0:
                continue
            head, below = _read_head(text, start, mark)
            wanted = _secret_columns(text, head, names)
            yield from _values_beside(head, wanted)
            if wanted and _are_labels(text, head) and len(head) == len(_read_row(text, below, mark)[0]):
                # A comma and a blank are how prose goes on, too: a value of several words is none there.
                prose = mark == "," and lower.find(", ", start, below) >= 0
                done = yield from _values_below(text, below, mark, len(head), wanted, prose=prose)
                break
        done = max(done, find_line_end(lower, at))


def _read_head(text: str, at: int, mark: str) -> tuple[list[Field], int]:
    """The fields of the first row and where the next begins; an option of a directive may name them."""
    option = OPTION.match(text, at)
    head, below = _read_row(text, option.end() if option else at, mark)
    return head, OTHER_OPTIONS.match(text, below).end() if option else below  # type: ignore[union-attr]


def _secret_columns(text: str, head: Sequence[Field], names: Sequence[int]) -> dict[int, bool]:
    """The fields that name secrets, and whether these are passwords."""
    found = ((i, match_heading(text, field, names)) for i, field in enumerate(head if len(head) > 1 else ()))
    return {i: match["password"] is not None for i, match in found if match}


def _values_beside(row: Sequence[Field], wanted: dict[int, bool]) -> Iterator[SecretValue]:
    for i, password in wanted.items():
        if i + 1 < len(row) and i + 1 not in wanted and row[i + 1][1] - row[i + 1][0] <= CELL_LENGTH:
            yield SecretValue(*row[i + 1], password, loose=True)


def _are_labels(text: str, head: Sequence[Field]) -> bool:
    """Whether a row may be a heading; one that names a single column is an item of a list, with a comma behind it."""
    if sum(end > start for start, end in head) < 2:
        return False
    return all(end - start <= HEADING_LENGTH and LABEL.fullmatch(text, start, end) for start, end in head)


def _values_below(
    text: str, at: int, mark: str, width: int, wanted: dict[int, bool], *, prose: bool
) -> Generator[SecretValue, None, int]:
    """The values in the rows from `at` on; gives the end of the last row. A blank line may stand between two."""
    done, blank = at, False
    while at < len(text):
        row, end = _read_row(text, at, mark)
        if text[at:end].isspace() and not blank:
            at, blank = end, True
            continue
        if len(row) < 2 or (blank and len(row) != width):
            break
        for i, password in wanted.items():
            if i < len(row) and row[i][1] - row[i][0] <= CELL_LENGTH and not (prose and " " in text[slice(*row[i])]):
                yield SecretValue(*row[i], password)
        done = at = end
        blank = False
    return done


def _read_row(text: str, at: int, mark: str) -> tuple[list[Field], int]:
    """The places of a row's fields without their quotes and blanks, and where the next row begins."""
    fields: list[Field] = []
    field = FIELD[mark]
    while len(fields) < MOST and (match := field.match(text, at)):
        start, end = match.span("quoted" if match["plain"] is None else "plain")
        fields.append((start, start + len(text[start:end].rstrip())))
        at = match.end()
        if not text.startswith(mark, at):
            break
        at += 1
    else:
        at = max(text.find("\n", at), at)
    if text.startswith("\r", at):
        at += 1
    return fields, at + text.startswith("\n", at)
