"""Tables of contents: entries that lead to pages, with or without dots between."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.rows import LEADER
from ragstone.extraction.pdf.characters.table import Table, collect_rows

ENTRIES = 3  # fewer entries are no table of contents
ENTRY_SHARE = 0.7  # of the rows lead to a page
PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}")
CONTENTS_TITLE = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|index|sommaire|table des matières", re.IGNORECASE
)


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
