"""The result of a survey of a worksheet: its size, its hidden parts, cells that show another text."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# Those that programs write; any other is kept as the text of its own cell.
ERRORS = (
    *("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#ERROR!"),
    *("#GETTING_DATA", "#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#BUSY!", "#PYTHON!"),
)
FIRST_ERROR = 32  # codes below are of styles
OWN_TEXT = 63  # code of a cell with a text of its own
COLUMNS, CODES = 16_384, 64  # radixes of a mark
MAX_OWN_TEXTS = 100_000  # texts of a sheet


@dataclass(slots=True)
class Survey:
    """Rows and columns count from 1. `marks` are (row, column, code) as one number each, in the order of the file;
    `said` are texts by row and column as one number. `begins`: there is an element for rows, without which a
    reader takes the sheet for an empty one."""

    hidden_rows: set[int] = field(default_factory=set)
    hidden_cols: set[int] = field(default_factory=set)
    marks: "array[int]" = field(default_factory=lambda: array("Q"))
    said: dict[int, str] = field(default_factory=dict)
    in_order: bool = True
    begins: bool = True
    uncomputed: int = 0
    first_row: int = 0
    last_row: int = 0
    last_col: int = 0

    @property
    def area(self) -> int:
        """Cells of the rectangle from the first filled row and column A to the last: what a reader holds in memory."""
        return (self.last_row - self.first_row + 1) * self.last_col if self.last_row else 0

    def mark(self, row: int, col: int, code: int) -> None:
        """Say that a cell's style has this code."""
        self.marks.append((row * COLUMNS + min(col, COLUMNS) - 1) * CODES + code)

    def mark_error(self, row: int, col: int, text: str) -> None:
        """Say that a cell is an error, and which."""
        if text in ERRORS:
            self.mark(row, col, FIRST_ERROR + ERRORS.index(text))
        elif not self.mark_text(row, col, text):
            self.mark(row, col, FIRST_ERROR + ERRORS.index("#ERROR!"))

    def mark_text(self, row: int, col: int, text: str) -> bool:
        """Say how a cell is to be shown; False where there are too many of those."""
        if not text or len(self.said) >= MAX_OWN_TEXTS:
            return False
        self.said[row * COLUMNS + min(col, COLUMNS) - 1] = text
        self.mark(row, col, OWN_TEXT)
        return True


def group_marks(survey: Survey) -> Iterator[tuple[int, dict[int, int | str]]]:
    """By row from the first, for some of its columns: the code of a style, or the text of an error or a number."""
    row, codes = 0, dict[int, int | str]()
    marks: Iterable[int] = survey.marks if survey.in_order else sorted(survey.marks)
    for mark in marks:
        place, code = divmod(mark, CODES)
        number, col = divmod(place, COLUMNS)
        if number != row and codes:
            yield row, codes
            codes = {}
        row = number
        codes[col + 1] = code if code < FIRST_ERROR else survey.said[place] if code == OWN_TEXT else _error_text(code)
    if codes:
        yield row, codes


def _error_text(code: int) -> str:
    """
    >>> _error_text(32)
    '#DIV/0!'
    """
    return ERRORS[code - FIRST_ERROR]
