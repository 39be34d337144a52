"""Paragraphs within limits of bytes: a soft one that lines respect, a hard one that nothing passes."""

import re
from dataclasses import dataclass, replace

from ragstone.chunking.greedy import Unit, fill_drafts, finish_pieces, split_large_units, split_paragraphs
from ragstone.chunking.outline import list_passages
from ragstone.chunking.split import split_runs
from ragstone.core.errors import UsageError
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Extraction, Piece

LINE = re.compile(r"\n")
# A character has four bytes at most, and a run may carry eight marks more than asked for.
BYTES_A_CHARACTER, MARKS = 4, 8


@dataclass(frozen=True, slots=True)
class BoundedOptions:
    """Limits in UTF-8 bytes. A line between the two stays whole."""

    soft: int = 4096
    hard: int = 8192

    def __post_init__(self) -> None:
        if not 64 <= self.soft <= self.hard:
            raise UsageError(f"needs 64 <= soft <= hard; got soft={self.soft}, hard={self.hard}")


class BoundedChunker:
    """A piece is one paragraph, with the headings right above it; a longer one is split between lines.

    Headings and blank lines end a piece.
    """

    def __init__(self, bounds: BoundedOptions, tokenizer: Tokenizer) -> None:
        self._bounds = bounds
        self._tokenizer = tokenizer

    @property
    def recipe(self) -> str:
        return f"bounded/5(soft={self._bounds.soft},hard={self._bounds.hard},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order, none over the hard limit."""
        record, bounds = extraction.record, self._bounds

        def byte_size(start: int, end: int) -> int:
            return _count_bytes(record[start:end])

        def split_unit(unit: Unit) -> list[Unit]:
            if byte_size(unit.start, unit.end) <= bounds.hard:
                return [unit]
            places = split_runs(record, unit.start, unit.end, bounds.soft // BYTES_A_CHARACTER - MARKS)
            return [Unit(a, b, unit.passage, unit.fresh and i == 0) for i, (a, b) in enumerate(places)]

        units = _mark_fresh(split_paragraphs(record, list_passages(extraction), opens=lambda passage: passage.opens))
        units = split_large_units(record, units, LINE, over=bounds.soft, measure=byte_size)
        units = [finer for unit in units for finer in split_unit(unit)]
        drafts = fill_drafts(record, units, size=bounds.soft, overlap=0, measure=byte_size)
        pieces = finish_pieces(record, drafts, self._tokenizer, title=lambda first: first.path, note=lambda _: "")
        return _locate_bytes(record, pieces)


def _locate_bytes(record: str, pieces: list[Piece]) -> list[Piece]:
    """The pieces with the bytes of the text of record from their first to their last character, counted once."""
    out: list[Piece] = []
    at = counted = 0
    for piece in pieces:
        start, end = piece.spans[0].char_start, piece.spans[-1].char_end
        counted += _count_bytes(record[at:start]) if start >= at else -_count_bytes(record[start:at])
        at = start
        out.append(replace(piece, byte_range=(counted, counted + _count_bytes(record[start:end]))))
    return out


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _mark_fresh(units: list[Unit]) -> list[Unit]:
    """Every paragraph begins a piece, but the first below a heading that stands alone; of a table the first row, of a
    whole block its beginning."""
    out: list[Unit] = []
    for unit in units:
        alone = bool(out) and out[-1].passage.opens and out[-1].end == out[-1].passage.end
        rest = bool(out) and unit.passage.block.whole and unit.passage.block is out[-1].passage.block
        row = bool(out) and unit.passage.where.rows is not None and unit.passage.block is out[-1].passage.block
        out.append(unit._replace(fresh=unit.passage.opens or not (alone or row or rest)))
    return out
