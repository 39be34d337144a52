"""Which paragraphs are headings, and of which level: by size, weight, capitals and numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.record.caption_and_list_markers import is_bullet

INDENT_STEP = 0.8  # letter heights between the marks of two levels
DEEPEST_ITEM = 8
LARGER = 1.15  # of the body's size
SMALLER = 0.92  # of the body's size: what is below is no heading
BOLD_SMALLER = 0.75  # the same for bold lines
TEXT_BELOW = 60  # letters of the text below a heading that is told by its capitals only
STATEMENT = 9  # words: a longer bold line with a full stop is a sentence, as is one that is only a little larger
TITLE = 1.3  # of the body's size: smaller lines at the edge of a page are its running title
LEADS = re.compile(r"\s[.…_]+\s*\d{1,4}$")  # an entry of a table of contents whose dots found no room
LONGEST = 160  # characters
LINES = 3
CLOSE = 1.7  # letter heights between the lines of one heading
NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|annex|appendix|article)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,5}|[A-Z])[.:)]?\s+\S",
    re.IGNORECASE,
)
DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+[A-Z]")
DEEPEST = 6


def mark_headings(pieces: Sequence[Piece]) -> None:
    """Turn paragraphs that are headings into such, with levels over the whole document."""
    body, bold = _find_body_style(pieces)
    found: list[Piece] = []
    pieces = [piece for piece in pieces if piece.role == "body"]
    for number, piece in enumerate(pieces):
        if _is_heading(piece, body, bold, _next_body_piece(pieces, number)):
            found.append(piece)
    ranks = _rank_styles(found)
    for piece in found:
        piece.kind = "heading"
        piece.marker = 0
        piece.level = ranks[_heading_style(piece)]
    for above, below in pairwise(pieces):
        if above.kind == below.kind == "heading" and _is_one_heading(above, below):
            below.lines[:0] = above.lines
            above.lines = []


def _is_one_heading(above: Piece, below: Piece) -> bool:
    """Whether a heading's second line was taken for another heading."""
    last, first = above.lines[-1], below.lines[0]
    alike = _heading_style(above) == _heading_style(below) and above.page == below.page and above.turn == below.turn
    near = 0 < first.base - last.base <= CLOSE * last.size and min(last.x1, first.x1) > max(last.x0, first.x0)
    return alike and near and len(above.lines) + len(below.lines) <= LINES and not NUMBERED.match(below.text)


def _find_body_style(pieces: Iterable[Piece]) -> tuple[float, bool]:
    """The size that most letters have, and whether most of them are bold."""
    sizes: Counter[float] = Counter()
    heavy: Counter[bool] = Counter()
    for piece in pieces:
        if piece.role == "body" and not piece.table:
            for line in piece.lines:
                sizes[round(line.size * 2) / 2] += len(line.text)
                heavy[line.bold] += len(line.text)
    if not sizes:
        return 10.0, False
    most = max(sizes.values())
    size = min(size for size, count in sizes.items() if count == most)
    return size, heavy[True] > heavy[False]


def _next_body_piece(pieces: Sequence[Piece], number: int) -> Piece | None:
    return next((p for p in pieces[number + 1 : number + 6] if p.role == "body"), None)


def _is_heading(piece: Piece, body: float, bold: bool, below: Piece | None) -> bool:
    if piece.table or piece.role != "body" or piece.kind not in ("paragraph", "list") or piece.parts:
        return False
    text = piece.text.strip() if len(piece.lines) <= LINES else ""
    letters = [c for c in text if c.isalpha()] if len(text) <= LONGEST else []
    if len(letters) < 3 or len(letters) < 0.4 * len(text.replace(" ", "")):
        return False
    numbered = NUMBERED.match(text) is not None
    if piece.kind == "list" and (not numbered or is_bullet(text[0])):
        return False
    heavy = all(line.bold for line in piece.lines) and not bold
    if text[-1] in ",;" or text[0].islower() or piece.size < (BOLD_SMALLER if heavy else SMALLER) * body:
        return False
    if text[-1] == "." and not numbered and not (heavy and len(text.split()) <= STATEMENT):
        return False
    if "@" in text or LEADS.search(text) or text.count(")") > text.count("("):
        return False
    if piece.edge and piece.size < TITLE * body:
        return False
    if heavy or (piece.size >= LARGER * body and piece.kind != "list"):
        # Sizes of running text vary a little, and a long line that is only a little larger is a sentence.
        return heavy or piece.size >= TITLE * body or len(text.split()) <= STATEMENT
    if below is None:
        return False
    if (
        DECIMAL.match(text)
        and text[-1] not in ".:"
        and len(piece.lines) == 1
        and len(text) < 90
        and piece.kind != "list"
    ):
        return True
    if below.table or below.kind == "list" or len(below.text) < TEXT_BELOW or below.text.upper() == below.text:
        return False
    return (
        len(letters) > 3 and text.upper() == text and len(piece.lines) <= 2 and len(text) < 90 and text[-1] not in ".:"
    )


def _heading_style(piece: Piece) -> tuple[float, bool, bool, int]:
    """What headings of one level share: size, weight, capitals, depth of their number."""
    text = piece.text
    match = DECIMAL.match(text)
    depth = match[1].count(".") if match else 0
    return -round(piece.size * 2) / 2, not piece.lines[0].bold, text.upper() != text, depth


def _rank_styles(found: Iterable[Piece]) -> dict[tuple[float, bool, bool, int], int]:
    """Levels by style: larger, bolder, louder, less deeply numbered first; one used once opens no level below it."""
    counts = Counter(_heading_style(piece) for piece in found)
    levels: dict[tuple[float, bool, bool, int], int] = {}
    level = 0
    deeper = True
    for style in sorted(counts):
        level += deeper
        levels[style] = min(DEEPEST, level)
        deeper = counts[style] > 1 or level == 1
    return levels


def mark_list_levels(pieces: Sequence[Piece]) -> None:
    """Give list items their depth, from 1; an item of another column or page may begin anew at its own indent."""
    indents: list[float] = []
    place: tuple[int, float] | None = None
    for piece in pieces:
        if piece.kind != "list":
            if piece.role == "body" and piece.kind in ("heading", "table"):
                indents = []
            continue
        first = piece.lines[0]
        here = (piece.page, first.y0)
        if place is not None and (here[0] != place[0] or here[1] < place[1]):
            indents = []
        place = here
        step = INDENT_STEP * first.size
        while indents and first.x0 < indents[-1] - step:
            indents.pop()
        if not indents or first.x0 > indents[-1] + step:
            indents.append(first.x0)
        piece.level = min(DEEPEST_ITEM, len(indents))
