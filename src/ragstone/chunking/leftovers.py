"""Tables of contents that no extractor marked, which should not become chunks."""

from collections.abc import Sequence
from dataclasses import replace

from ragstone.core.contents import is_contents
from ragstone.core.types import Piece


def drop_leftovers(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without tables of contents in text, renumbered."""
    kept = [piece for piece in pieces if piece.kind in ("table", "code") or not is_contents(piece.text)]
    return kept if len(kept) == len(pieces) else [replace(piece, ordinal=i) for i, piece in enumerate(kept)]
