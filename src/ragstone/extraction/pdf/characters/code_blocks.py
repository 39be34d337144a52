"""Blocks of code: lines in a font of fixed width, with their indents and gaps as the page shows them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import Row
from ragstone.extraction.pdf.characters.words import Word

LINES = 2  # a single line may be a name in a paragraph
STEP = 2.2  # letter heights between lines; an empty line lies between lines up to twice so far apart
SIZES = 0.04  # sizes that differ by more are two blocks
EVEN = 0.08  # of the step, a letter: how far a word may be off the columns of fixed width
FITS = 0.9  # of the words do so
LEAST, LONG = 3, 4  # letters of a word that tells whether it stands so
TYPEWRITTEN_SHARE = 0.8  # of a page's letters in such fonts: it is typewritten, and only signs of code tell its code
SIGN_SHARE = 0.4  # of such lines have them
SIGNS = re.compile(r"[{};=<>\\|]|\w\(|\w_\w|^\s*(?:#|//|\$ )|->|::")
ADDRESS = re.compile(r"[^\s@]{1,80}@[^\s@]{1,80}|https?://\S+|www\.\S+")


def split_code_runs(rows: Sequence[Row], typed: float) -> Iterator[tuple[bool, Sequence[Row]]]:
    """Runs of rows, in order: whether they are code, and the rows. `typed` is the page's share of fixed fonts."""
    at = plain = 0
    while at < len(rows):
        end = _find_run_end(rows, at)
        if end - at >= LINES and _is_code(rows[at:end], typed):
            if plain < at:
                yield False, rows[plain:at]
            yield True, rows[at:end]
            plain = end
        at = max(end, at + 1)
    if plain < len(rows):
        yield False, rows[plain:]


def build_code_piece(rows: Sequence[Row], page: int, turn: int) -> Piece:
    """The block that such rows make: columns and empty lines as on the page."""
    step = _letter_step(rows)
    left = min(_row_left(row) for row in rows)
    lines = [Line(_add_spaces(row, left, step)) for row in rows]
    return Piece("code", lines, page, turn)


def count_breaks(above: Line, below: Line, usual: float) -> int:
    """How many line breaks stand between two lines of a block whose lines are `usual`ly so far apart."""
    return max(1, min(3, round((below.base - above.base) / usual))) if usual > 0 else 1


def usual_step(lines: Sequence[Line]) -> float:
    """The step between the lines of a block: the least, for empty lines make it larger."""
    return min((b.base - a.base for a, b in pairwise(lines) if b.base > a.base), default=0.0)


def monospace_share(words: Sequence[Word]) -> float:
    """How much of a page's letters stand in fonts of fixed width."""
    letters = sum(len(word.text) for word in words)
    return sum(len(word.text) for word in words if word.style.step) / letters if letters else 0.0


def _row_words(row: Row) -> list[Word]:
    return [word for line in row.lines for word in line.words]


def _is_monospace(row: Row) -> bool:
    return all(word.style.step for line in row.lines for word in line.words)


def _find_run_end(rows: Sequence[Row], at: int) -> int:
    """The row behind a run of lines in one fixed font; `at` where none begins there."""
    if not _is_monospace(rows[at]):
        return at
    end = at + 1
    while end < len(rows) and _is_monospace(rows[end]):
        above, row = rows[end - 1], rows[end]
        if row.base - above.base > STEP * 2 * row.size or abs(row.size - above.size) > SIZES * row.size:
            break
        end += 1
    return end


def _is_code(rows: Sequence[Row], typed: float) -> bool:
    """Whether letters stand in columns, and whether what they say is no address and no typewritten prose."""
    if not _letter_step(rows):
        return False
    texts = [row.text for row in rows]
    if all(ADDRESS.search(text) for text in texts):
        return False
    return typed <= TYPEWRITTEN_SHARE or sum(bool(SIGNS.search(text)) for text in texts) >= SIGN_SHARE * len(rows)


def _letter_step(rows: Sequence[Row]) -> float:
    """How far one letter stands from the next; 0 where it is not as the font says, or differs from word to word."""
    words = [word for row in rows for word in _row_words(row)]
    step = words[0].style.step * words[0].size
    if any(abs(word.style.step * word.size - step) > EVEN * step for word in words):
        return 0.0
    # The outermost boundaries are those of the ink, the inner ones lie half-way between two letters.
    told = [word for word in words if len(word.text) >= LEAST]
    off = [abs(word.edges[-2] - word.edges[1] - step * (len(word.text) - 2)) for word in told]
    even = sum(one <= EVEN * step * max(LONG, len(word.text)) for one, word in zip(off, told, strict=True))
    return step if even >= FITS * len(told) else 0.0


def _first_letter_middle(word: Word) -> float:
    """The middle of a word's first letter."""
    return (word.edges[0] + word.edges[1]) / 2


def _row_left(row: Row) -> float:
    return min(_first_letter_middle(word) for word in _row_words(row))


def _add_spaces(row: Row, left: float, step: float) -> list[Word]:
    """The words of a row with the white before and between them as words of spaces."""
    out: list[Word] = []
    at = 0
    reach = left - step / 2
    for word in sorted(_row_words(row), key=_first_letter_middle):
        column = max(at, round((_first_letter_middle(word) - left) / step))
        if column > at:
            out.append(_make_blank(column - at, reach, word))
        word.glued = bool(out)
        out.append(word)
        at, reach = column + len(word.text), word.x1
    return out


def _make_blank(count: int, x0: float, word: Word) -> Word:
    x1 = max(x0, word.x0)
    edges = [x0 + (x1 - x0) * k / count for k in range(count + 1)]
    return Word(" " * count, edges, x0, word.y0, x1, word.y1, word.base, word.style, glued=True)
