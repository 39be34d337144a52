"""A piece of a page: a paragraph, a heading, an item or a table, before the document is put together."""

from dataclasses import dataclass, field
from typing import Literal

from ragstone.core.page_layout import Box
from ragstone.core.types import CaptionTarget, Role
from ragstone.extraction.pdf.characters.lines import Line, join_words
from ragstone.extraction.pdf.characters.table import Table

Kind = Literal["heading", "paragraph", "list", "table", "caption", "code", "entries"]


@dataclass(slots=True)
class Piece:
    """Lines from the top down, or a table. `turn` is the frame in which they run to the right, -1 for
    lines on a slant, which are boxes on the page as it is.

    `marker` says how many words (once frozen: characters) at the start are a list item's mark;
    `entries` are lines that stay lines, as in a table of contents.
    """

    kind: Kind
    lines: list[Line]
    page: int
    turn: int = 0
    table: Table | None = None
    role: Role = "body"
    level: int = 0
    marker: int = 0
    parts: list["Piece"] = field(default_factory=list)  # what goes on in the next column or on the next page
    edge: bool = False  # stands where page headers and footers do
    page_end: int = 0  # where a table that was joined ends
    tail: Box | None = None  # the box of its last part
    captions: list["Piece"] = field(default_factory=list)  # of a table
    names: CaptionTarget | None = None  # what a caption is of …
    figure: Box | None = None  # … and where that figure stands

    def __post_init__(self) -> None:
        self.page_end = self.page

    def freeze(self) -> None:
        """Drop what only the making needs; see `Line.freeze`."""
        if self.marker:
            self.marker = len(join_words(self.lines[0].words[: self.marker]))
        for line in self.lines:
            line.freeze(apart=self.turn < 0)
        for square in self.table.squares if self.table else ():
            square.page, square.turn = self.page, self.turn
            for line in square.lines:
                line.freeze()

    @property
    def box(self) -> Box:
        if self.table:
            return self.table.box
        lines = self.lines
        return (
            min([line.x0 for line in lines]),
            min([line.y0 for line in lines]),
            max([line.x1 for line in lines]),
            max([line.y1 for line in lines]),
        )

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        return max(line.size for line in self.lines) if self.lines else 0.0
