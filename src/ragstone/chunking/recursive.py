"""Sections at every heading, then the coarsest separator that fits: blank line, line, sentence, word."""

import re
from dataclasses import dataclass

from ragstone.chunking.greedy import (
    Unit,
    count_characters,
    fill_drafts,
    finish_pieces,
    split_large_units,
    split_paragraphs,
)
from ragstone.chunking.outline import list_passages
from ragstone.chunking.split import split_runs
from ragstone.core.errors import UsageError
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Extraction, Piece

SEPARATORS = (re.compile(r"\n"), re.compile(r"\. "))


@dataclass(frozen=True, slots=True)
class RecursiveOptions:
    """Sizes in characters. The overlap counts towards the size and gives way where there is no room."""

    size: int = 512
    overlap: int = 64

    def __post_init__(self) -> None:
        if not (self.size > 0 and 0 <= self.overlap < self.size):
            raise UsageError(f"needs size > 0 and 0 <= overlap < size; got size={self.size}, overlap={self.overlap}")


class RecursiveChunker:
    """A piece is as much of one section as fits into the size, split at the coarsest separator that works."""

    def __init__(self, window: RecursiveOptions, tokenizer: Tokenizer) -> None:
        self._window = window
        self._tokenizer = tokenizer

    @property
    def recipe(self) -> str:
        w = self._window
        return f"recursive/4(size={w.size},overlap={w.overlap},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order, none over the size."""
        record, size = extraction.record, self._window.size
        units = split_paragraphs(record, list_passages(extraction), opens=lambda passage: passage.opens)
        for separator in SEPARATORS:
            units = split_large_units(record, units, separator, over=size, measure=count_characters)
        units = [finer for unit in units for finer in _split_unit(record, unit, size)]
        drafts = fill_drafts(record, units, size=size, overlap=self._window.overlap, measure=count_characters)
        return finish_pieces(record, drafts, self._tokenizer, title=lambda first: first.path, note=self._note_oversize)

    def _note_oversize(self, piece: Piece) -> str:
        """Only a character with its marks can be over a tiny size."""
        n, size = len(piece.text), self._window.size
        return f"kept whole: {n} characters are over the size of {size}" if n > size else ""


def _split_unit(record: str, unit: Unit, size: int) -> list[Unit]:
    """A unit over the size as runs of words, a tenth of the size each so that they fill pieces well."""
    if unit.end - unit.start <= size:
        return [unit]
    # A run can be longer by the eight marks that belong to its last character.
    places = split_runs(record, unit.start, unit.end, max(1, min(size - 8, size // 10)))
    return [Unit(a, b, unit.passage, unit.fresh and i == 0) for i, (a, b) in enumerate(places)]
