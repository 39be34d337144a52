"""How deep a list item stands among the items before it."""

from dataclasses import dataclass, field

from ragstone.extraction.docx.numbering import Label

STEP = 100  # twentieths of a point by which a list of its own must be further in to be nested


@dataclass(slots=True)
class Nesting:
    """The items that are open above the next one.

    Levels count within one list; between lists the indent does, for many files nest by lists of one level each.
    """

    _open: list[Label] = field(default_factory=list)

    def enter_item(self, label: Label) -> int:
        """The depth (from 1) of the next item."""
        while self._open and not _holds(self._open[-1], label):
            self._open.pop()
        self._open.append(label)
        return len(self._open)

    def clear(self) -> None:
        """A heading or a table ends all lists."""
        self._open.clear()


def _holds(above: Label, label: Label) -> bool:
    if above.family == label.family:
        return above.level < label.level
    return above.indent + STEP < label.indent
