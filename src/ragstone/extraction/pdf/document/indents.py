"""How deep a list item stands: by how far its mark is indented among the items around it."""

from collections.abc import Sequence

from ragstone.extraction.pdf.characters.pieces import Piece

INDENT_STEP = 0.8  # letter heights between the marks of two levels
DEEPEST_ITEM = 8


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
