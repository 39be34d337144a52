"""An upper limit for the pieces of one document."""

from collections.abc import Sequence

from ragstone.core.types import Piece


def limit_pieces(pieces: Sequence[Piece], most: int | None) -> tuple[list[Piece], bool]:
    """The first `most` pieces (all with None), and whether some were left out."""
    if most is None or len(pieces) <= most:
        return list(pieces), False
    return list(pieces[:most]), True
