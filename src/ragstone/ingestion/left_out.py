"""The blocks of a document that became no chunk: page furniture, navigation, tables of contents."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from ragstone.core.types import Block, Extraction, Piece


def count_left_out(extraction: Extraction, pieces: Sequence[Piece]) -> dict[str, int]:
    """How many blocks of each role stand in no piece."""
    spans = sorted((span.char_start, span.char_end) for piece in pieces for span in piece.spans)
    starts = [start for start, _ in spans]
    ends = [end for _, end in spans]

    def is_kept(block: Block) -> bool:
        for span in block.spans:
            at = bisect_right(starts, span.char_end - 1) - 1
            if at >= 0 and ends[at] > span.char_start:
                return True
        return False

    return dict(sorted(Counter(block.role for block in extraction.blocks if not is_kept(block)).items()))
