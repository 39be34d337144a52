"""Page headers, footers and page numbers: what returns at the edge of page after page, or counts the pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragstone.core.contents import CONTENTS_TITLE
from ragstone.core.types import Role
from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import LEADER
from ragstone.extraction.pdf.characters.table import Table, collect_rows
from ragstone.extraction.pdf.page import Page

ENTRIES = 3  # fewer entries are no table of contents
ENTRY_SHARE = 0.7  # of the rows lead to a page
PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}")
ZONE = 0.14  # of the height, at the top and at the bottom
MARGIN = 0.07  # of the height: text begins and ends inside it on most pages
LINES = 4  # of one piece of furniture, at the most
PLACE = 0.02  # of the height: pieces further apart are not the same furniture
LEVEL = 0.005  # of the height: lines that count pages stand as high as one another
SHARE = 0.3  # of the pages, where the document is short
OFTEN = 3  # pages, where it is long
COUNTED = 4  # pages on which a line counts them
RISING = 0.9  # of the steps from page to page go up by one a page at most
LONGEST = 120  # characters of a line that counts pages
DEEP = 2  # such lines above one another
DIGITS = re.compile(r"\d+")
NUMBER = re.compile(
    r"(?:page|seite|p\.|pg\.?)?\s*[-–—|\[(]?\s*(?P<number>\d{1,4}|[ivxlc]{1,7})\s*[-–—|\])]?\s*(?:(?:of|/|von|de)\s*\d{1,4})?",
    re.IGNORECASE,
)


class CountingLine(NamedTuple):
    """A line with a number, at the top or the bottom of the page at this place."""

    place: int
    number: int
    piece: Piece


def mark_furniture(pages: Sequence[Page]) -> None:
    """Give headers and footers their role, from the edge inwards, as far as they return."""
    counts = _count_pages(pages)
    shifts = _count_number_shifts(pages)
    needed = 2 if len(pages) < 8 else OFTEN
    for page in pages:
        pieces = [piece for piece in page.pieces if piece.turn == 0 and piece.role == "body"]
        boxes = [piece.box for piece in pieces]
        for piece, (_, y0, _, y1) in zip(pieces, boxes, strict=True):
            aside = y1 <= MARGIN * page.height or y0 >= (1 - MARGIN) * page.height
            piece.edge = aside and len(pages) < OFTEN  # in longer documents furniture is what returns
        numbers = range(len(pieces))
        for role, ordered in (
            ("header", sorted(numbers, key=lambda n: boxes[n][1])),
            ("footer", sorted(numbers, key=lambda n: -boxes[n][3])),
        ):
            for piece in map(pieces.__getitem__, ordered):
                if not _is_at_edge(piece, page, role):
                    break
                returns = counts[_furniture_key(piece, page)] >= max(needed, min(OFTEN, SHARE * len(pages)))
                if not returns and not _is_page_number(piece, page, shifts, len(pages)):
                    break
                piece.role = "header" if role == "header" else "footer"
                if piece.kind != "table":
                    piece.kind = "paragraph"


def mark_counting_lines(pages: Sequence[Page]) -> None:
    """Give header or footer to the first or last line of pages where it counts them, at any height.

    A page printed from a web page ends where its text does: its foot is not at the edge of the sheet. The line returns
    with the same words, and its number rises with the pages and no faster.
    """
    for _ in range(DEEP):
        for (role, _), lines in _collect_outermost(pages).items():
            steps = [(later.number - line.number, later.place - line.place) for line, later in pairwise(lines)]
            if len(lines) >= COUNTED and sum(0 < n <= apart for n, apart in steps) >= RISING * len(steps):
                for line in lines:
                    line.piece.role, line.piece.kind = role, "paragraph"


def _collect_outermost(pages: Sequence[Page]) -> dict[tuple[Role, str], list[CountingLine]]:
    """The first and last lines of pages that have a number, by their words."""
    found: dict[tuple[Role, str], list[CountingLine]] = defaultdict(list)
    for place, page in enumerate(pages):
        pieces = sorted((p for p in page.pieces if p.turn == 0 and p.role == "body"), key=lambda p: p.box[1])
        if len(pieces) < 2:
            continue
        outermost: tuple[tuple[Role, Piece], ...] = (("header", pieces[0]), ("footer", pieces[-1]))
        for role, piece in outermost:
            numbers = DIGITS.findall(piece.text) if not piece.table and len(piece.lines) == 1 else ()
            if numbers and len(piece.text) <= LONGEST:
                words = DIGITS.sub("#", piece.text).casefold()
                found[role, words].append(CountingLine(place, int(numbers[-1][-9:]), piece))
    return found


def mark_running_titles(pages: Sequence[Page]) -> None:
    """Give header or footer to a line that counts the pages as the furniture in its place does: running titles name
    the chapter, and one of two pages returns nowhere."""
    places: Counter[tuple[Role, int, int]] = Counter()
    for page in pages:
        for piece in page.pieces:
            if piece.role in ("header", "footer"):
                places.update((piece.role, shift, place) for shift, place in _find_shifts(piece, page))
    known = {
        (role, shift, place + near) for (role, shift, place), n in places.items() if n >= COUNTED for near in (-1, 0, 1)
    }
    roles: tuple[Role, Role] = ("header", "footer")
    for page in pages:
        for piece in page.pieces:
            for role in roles if piece.role == "body" and piece.turn == 0 else ():
                if any((role, shift, place) in known for shift, place in _find_shifts(piece, page)):
                    piece.role, piece.kind = role, "paragraph"


def _find_shifts(piece: Piece, page: Page) -> set[tuple[int, int]]:
    """How far the numbers at both ends of a line are off the page's own, with the line's height on the page."""
    if piece.table or len(piece.lines) != 1 or len(piece.text) > LONGEST:
        return set()
    words = piece.text.split()
    place = round(piece.box[1] / max(1.0, page.height) / LEVEL)
    return {
        (int(word) - page.number, place) for word in (words[0], words[-1]) if PAGE.fullmatch(word) and word.isdecimal()
    }


def _is_at_edge(piece: Piece, page: Page, role: str) -> bool:
    if (piece.table.rows if piece.table else len(piece.lines)) > LINES:
        return False
    _, y0, _, y1 = piece.box
    return y1 <= ZONE * page.height if role == "header" else y0 >= (1 - ZONE) * page.height


def _piece_text(piece: Piece) -> str:
    return " ".join(square.text for square in piece.table.text_squares) if piece.table else piece.text


def _furniture_key(piece: Piece, page: Page) -> tuple[str, int]:
    """What the same furniture has in common: its words without numbers, and its height on the page."""
    text = " ".join(DIGITS.sub("#", _piece_text(piece)).lower().split())
    return text, round(piece.box[1] / max(1.0, page.height) / PLACE)


def _count_pages(pages: Iterable[Page]) -> Counter[tuple[str, int]]:
    """On how many pages each piece at an edge returns; a shift over the border of two places counts as none."""
    counts: Counter[tuple[str, int]] = Counter()
    for page in pages:
        keys = {
            (text, place + near)
            for piece in page.pieces
            if piece.turn == 0 and (_is_at_edge(piece, page, "header") or _is_at_edge(piece, page, "footer"))
            for text, place in (_furniture_key(piece, page),)
            for near in (-1, 0, 1)
        }
        counts.update(keys)
    return counts


def _page_number(piece: Piece) -> int | None:
    """The page number that a piece consists of; 0 for a Roman one."""
    match = NUMBER.fullmatch(_piece_text(piece).strip())
    if not match:
        return None
    return int(match["number"]) if match["number"].isdecimal() else 0


def _count_number_shifts(pages: Sequence[Page]) -> Counter[int]:
    """How often a number at an edge of a page is off the page's own by the same amount."""
    shifts: Counter[int] = Counter()
    for page in pages:
        found = {
            number - page.number
            for piece in page.pieces
            if (_is_at_edge(piece, page, "header") or _is_at_edge(piece, page, "footer"))
            for number in (_page_number(piece),)
            if number
        }
        shifts.update(found)
    return shifts


def _is_page_number(piece: Piece, page: Page, shifts: Counter[int], count: int) -> bool:
    number = _page_number(piece)
    if number is None:
        return False
    return count == 1 or number == 0 or shifts[number - page.number] >= 2


def mark_contents(pieces: Sequence[Piece]) -> None:
    """Give tables of contents the role `toc`: three entries with leaders, or a table of rising page numbers."""
    entries = sum(len(piece.lines) for piece in pieces if piece.kind == "entries")
    named = False
    for piece in pieces:
        if piece.role != "body":
            continue
        if piece.kind == "entries":
            if entries >= ENTRIES:
                piece.role = "toc"
        elif piece.table:
            if _leads_to_pages(piece.table, named=named):
                piece.role = "toc"
        elif CONTENTS_TITLE.fullmatch(piece.text.strip()):
            named = True
        elif piece.kind == "paragraph" and len(piece.text) > 200:
            named = False


def _leads_to_pages(table: Table, *, named: bool) -> bool:
    """Whether the last column holds page numbers that rise, under the name of a table of contents or after dots."""
    rows = [[s for s in row if s.lines] for row in collect_rows(table)]
    ends = [row[-1].text.strip() for row in rows if len(row) >= 2]
    numbers = [int(end) for end in ends if end.isdecimal() and PAGE.fullmatch(end)]
    if len(numbers) < ENTRIES or len(numbers) < ENTRY_SHARE * len(rows):
        return False
    rising = sum(a <= b for a, b in pairwise(numbers)) >= 0.9 * (len(numbers) - 1)
    dotted = sum(bool(LEADER.search(" ".join(s.text for s in row))) for row in rows) >= 0.5 * len(rows)
    return rising and (named or dotted)
