"""Content that continues in the next column or on the next page: paragraphs, and tables with their header once."""

from collections.abc import Sequence

from ragstone.extraction.pdf.characters.pieces import Piece
from ragstone.extraction.pdf.characters.table import CellBox, Table, collect_rows, iter_rows
from ragstone.extraction.pdf.page import Page
from ragstone.extraction.pdf.tables.headers import mark_header
from ragstone.extraction.record.caption_and_list_markers import is_continued

EDGE = 12.0  # points: sides of a table's parts on two pages may differ by so much
LOW = 0.6  # of the page's height: a table that goes on reaches below it, and goes on above 0.5
HIGH = 0.5


def join_pieces(pages: Sequence[Page]) -> list[Piece]:
    """All pieces in order; one that goes on where another ended is part of that one."""
    out: list[Piece] = []
    last: Piece | None = None  # of the body
    again: Piece | None = None  # the caption above a table's further part
    heights = {page.number: page.height for page in pages}
    for page in pages:
        for piece in page.pieces:
            if piece.table:
                mark_header(piece.table)
            if piece.role != "body":
                out.append(piece)
                continue
            if last is not None and _continues_table(last, piece, heights):
                assert last.table is not None
                assert piece.table is not None
                last.table = _append_table(last.table, piece.table)
                last.page_end, last.tail = piece.page, piece.table.box
                if again is not None and again.page == piece.page:
                    again.role = "header"  # as the table's own header, said again
                continue
            if last is not None and _continues_text(last, piece):
                last.parts.append(piece)
                continue
            out.append(piece)
            if last is not None and last.table and piece.kind == "caption" and is_continued(piece.text):
                again = piece  # its table is looked at before it counts as text between the two
                continue
            last = piece
    return out


def _continues_text(above: Piece, below: Piece) -> bool:
    """Whether a paragraph was cut by the end of a column or page: no full stop above, a small letter below."""
    if above.table or below.table or below.kind != "paragraph" or above.kind not in ("paragraph", "list"):
        return False
    end = above.parts[-1] if above.parts else above
    first, last = below.lines[0], end.lines[-1]
    elsewhere = end.page != below.page or below.lines[0].y0 < end.lines[-1].y0 - 2 * last.size
    text = last.text.rstrip()
    return (
        elsewhere
        and below.page - end.page <= 1
        and first.text[:1].islower()
        and text[-1:] not in ".:;?!"
        and abs(first.size - last.size) < 0.1 * last.size
        and len(text) > 20
    )


def _continues_table(above: Piece, below: Piece, heights: dict[int, float]) -> bool:
    if not above.table or not below.table or above.turn != below.turn:
        return False
    if below.page != above.page_end + 1 or above.table.cols != below.table.cols:
        return False
    ends = above.tail or above.table.box
    starts = below.table.box
    if above.turn == 0 and (ends[3] < LOW * heights[above.page_end] or starts[1] > HIGH * heights[below.page]):
        return False
    if _count_repeated_rows(above.table, below.table):
        return True
    return abs(ends[0] - starts[0]) <= EDGE and abs(ends[2] - starts[2]) <= EDGE


def _count_repeated_rows(above: Table, below: Table) -> int:
    """How many rows at the top of a part say again what the header said."""
    count = 0
    for a, b in zip(iter_rows(above), iter_rows(below), strict=False):
        if not a[0].header or [s.text for s in a if s.lines] != [s.text for s in b if s.lines]:
            break
        count += 1
    return count


def _append_table(above: Table, below: Table) -> Table:
    """The rows of a further part under a table, without the header said again.

    They are put into the table's own list: a table of a thousand pages is not copied a thousand times.
    """
    taken = collect_rows(below)[_count_repeated_rows(above, below) :]
    if not taken:
        return above
    shift = above.rows - taken[0][0].row
    moved = [_move_square(square, square.row + shift) for row in taken for square in row]
    above.squares += moved
    return Table(above.box, above.squares, max(s.row + s.rowspan for s in moved), above.cols, above.ruled)


def _move_square(square: CellBox, row: int) -> CellBox:
    """A copy of the cell in another row, not as a header."""
    return CellBox(
        row, square.col, square.rowspan, square.colspan, square.lines, square.box, False, square.page, square.turn
    )
