"""From rows of one column to paragraphs, list items, headings and captions."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import LEADER, Row
from ragstone.extraction.record.caption_and_list_markers import CAPTION, LABEL, is_bullet, is_marker

APART = 1.38  # of the usual step between lines: a wider one begins a paragraph
LOOSE = 1.75  # letter heights between the lines of a bold heading
INDENT = 0.9  # letter heights
SLACK = 0.22  # of the column's width that a last line leaves white
SIZES = 0.08  # sizes that differ by more are two styles
WORD_LETTERS = 3  # of a word that shows its size: shorter ones are marks of notes
PAGE_AT_END = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})\s*$")


def build_paragraphs(rows: Sequence[Row], page: int, turn: int) -> list[Piece]:
    """The pieces that rows make, top down."""
    if not rows:
        return []
    flat = [_flatten_row(row) for row in rows]
    step = _usual_step(flat)
    right = max(line.x1 for line in flat)
    left = min(line.x0 for line in flat)
    out: list[Piece] = []
    for number, line in enumerate(flat):
        before = flat[number - 1] if number else None
        if out and before and not _begins_piece(out[-1], before, line, step, left, right):
            out[-1].lines.append(line)
            continue
        out.append(_start_piece(line, page, turn))
    return out


def _flatten_row(row: Row) -> Line:
    """A row as one line: what stands side by side is read from left to right."""
    if len(row.lines) == 1:
        return row.lines[0]
    return Line([word for line in row.lines for word in line.words])


def _usual_step(lines: Sequence[Line]) -> float:
    """The step between baselines over the letter height that most lines of a column have."""
    steps = [
        (b.base - a.base) / max(a.size, 1.0)
        for a, b in pairwise(lines)
        if abs(a.size - b.size) <= SIZES * max(a.size, b.size) and 0 < b.base - a.base < 2.2 * a.size
    ]
    if not steps:
        return 1.3
    # Steps inside paragraphs are the smaller and the more frequent ones.
    return min(max(_lower_middle(steps), 1.0), 1.8)


def _lower_middle(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[int(0.4 * (len(ordered) - 1))]


def count_marker_words(line: Line) -> int:
    """How many words at the start of a line are a list item's mark."""
    words = line.words
    if len(words) < 2 or words[1].glued:
        return 0
    first = words[0].text
    if is_bullet(first):
        return 1
    if is_marker(first) and not re.fullmatch(r"[A-Z]\.", first):
        return 1
    return 0


def _start_piece(line: Line, page: int, turn: int) -> Piece:
    if LEADER.search(line.text) and PAGE_AT_END.search(line.text):
        return Piece("entries", [line], page, turn)
    marker = count_marker_words(line)
    if marker:
        return Piece("list", [line], page, turn, marker=marker)
    if LABEL.match(line.text) or (line.bold and CAPTION.match(line.text)):
        return Piece("caption", [line], page, turn)
    return Piece("paragraph", [line], page, turn)


def _begins_piece(piece: Piece, before: Line, line: Line, step: float, left: float, right: float) -> bool:
    """Whether a line begins a new piece below the one that is open."""
    size = max(before.size, line.size, 1.0)
    down = line.base - before.base
    if LEADER.search(line.text) and PAGE_AT_END.search(line.text):
        return not (piece.kind == "entries" and down < 3 * size)
    if piece.kind == "entries":
        return True
    loose = LOOSE if before.bold and line.bold and piece.kind == "paragraph" and _is_bold(line) else APART * step
    if down > max(loose, APART * step) * size or down < -0.5 * size:
        return True
    if _differ_in_size(before, line, size) and min(len(before.text), len(line.text)) > 3:
        return True
    if before.bold != line.bold and _is_bold(before) != _is_bold(line):
        return True
    if count_marker_words(line):
        return piece.kind == "list" or is_bullet(line.words[0].text) or _is_short(before, line, right, left)
    if piece.kind == "list":
        return _leaves_list_item(piece, before, line, right)
    if LABEL.match(line.text) and line.x0 <= left + 2 * size and _ends_sentence(before):
        return True
    return _opens_paragraph(piece, before, line, left, right)


def _differ_in_size(before: Line, line: Line, size: float) -> bool:
    """Whether two lines are set in different sizes. Names of code are often a little smaller than the words around
    them, and may be most of a line."""
    if abs(before.size - line.size) <= SIZES * size:
        return False
    pairs = ((before, line.size), (line, before.size))
    return not any(_mixes_code(one) and _has_words_of_size(one, other) for one, other in pairs)


def _mixes_code(line: Line) -> bool:
    return len({word.style.mono for word in line.words}) > 1


def _has_words_of_size(line: Line, size: float) -> bool:
    """Whether a line has words proper, not only marks, that are no code and of this size."""
    found = (word for word in line.words if not word.style.mono and sum(map(str.isalpha, word.text)) >= WORD_LETTERS)
    return any(abs(word.style.size - size) <= SIZES * size for word in found)


def _is_bold(line: Line) -> bool:
    return all(word.style.bold for word in line.words)


def _ends_sentence(line: Line) -> bool:
    return line.text.rstrip(" \"'”’)")[-1:] in ".:;?!"


def _is_short(before: Line, line: Line, right: float, left: float) -> bool:
    """Whether the line above stops although the next word would have had room."""
    first = line.words[0].x1 - line.words[0].x0
    return before.x1 + first + 0.5 * line.size < right and right - before.x1 > 0.04 * (right - left)


def _leaves_list_item(piece: Piece, before: Line, line: Line, right: float) -> bool:
    """Whether a line is no longer part of a list item: it hangs further left than the item's text."""
    start = piece.lines[0]
    text = start.words[piece.marker].x0 if len(start.words) > piece.marker else start.x0
    if line.x0 >= text - 0.6 * line.size:
        return False
    if len(piece.lines) > 1 and abs(line.x0 - piece.lines[1].x0) < 0.6 * line.size:
        return False
    if len(piece.lines) == 1 and line.x0 <= start.x0 + 0.3 * line.size and not _ends_sentence(before):
        return right - before.x1 > SLACK * (right - start.x0)
    return line.x0 <= start.x0 + 0.6 * line.size or _ends_sentence(before)


def _opens_paragraph(piece: Piece, before: Line, line: Line, left: float, right: float) -> bool:
    """Whether a line opens a paragraph by an indent, or by the short end of the one above."""
    size = line.size
    shift = line.x0 - before.x0
    first = len(piece.lines) == 1
    if INDENT * size < shift < 5 * size and (_ends_sentence(before) or not first) and _is_near_left(before, left):
        return _ends_sentence(before) or right - before.x1 > SLACK * (right - left)
    return (
        _ends_sentence(before) and right - before.x1 > SLACK * (right - left) and _is_short(before, line, right, left)
    )


def _is_near_left(line: Line, left: float) -> bool:
    return line.x0 - left < 3 * line.size
