"""The words of a paragraph, and what hangs on it."""

from dataclasses import dataclass, field

from ragstone.extraction.ooxml.elements import Element
from ragstone.extraction.record.builder import BlockDraft


@dataclass(slots=True)
class ParagraphContent:
    """A paragraph: `raw` keeps its blanks, `text` does not; tabs and line breaks stand in both.

    `boxes` are text boxes and `blocks` charts that hang on it; `notes` the notes it refers to; `counted` says
    that it counts tables or figures, `contents` that it is an entry of a table of contents.
    """

    raw: str = ""
    boxes: list[Element] = field(default_factory=list)
    blocks: list[BlockDraft] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    mono: bool = False
    counted: bool = False
    contents: bool = False

    @property
    def text(self) -> str:
        lines = (
            "\t".join(filter(None, (" ".join(cell.split()) for cell in _split_cells(line)))) for line in self._lines()
        )
        return "\n".join(filter(None, lines))

    def _lines(self) -> list[str]:
        return self.raw.split("\n")


def _split_cells(line: str) -> list[str]:
    return line.split("\t")
