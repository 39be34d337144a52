"""Groups of text rows that touch, among which the rows of a table are sought."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.extraction.pdf.characters.rows import Row, is_value

Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class TextGroups:
    """Groups of text rows that touch, the columns of their phrases, which groups stand close below the one before."""

    rows: Sequence[Row]
    grid: Sequence[Places]
    groups: Sequence[Sequence[int]]
    close: Sequence[bool]

    def has_value(self, group: int) -> bool:
        return any(
            is_value(phrase.text) and first > 0
            for r in self.groups[group]
            for phrase, (first, _) in zip(self.rows[r].phrases, self.grid[r], strict=True)
        )

    def cells(self, group: int) -> dict[int, str]:
        """The first text in each column, where it begins."""
        out: dict[int, str] = {}
        for r in self.groups[group]:
            for phrase, (first, _) in zip(self.rows[r].phrases, self.grid[r], strict=True):
                out.setdefault(first, phrase.text)
        return out
