"""The marks of a web page's list items: bullets, numbers, letters."""

from ragstone.extraction.html.tree import Node
from ragstone.extraction.record.numerals import format_numeral

LISTS = frozenset(("ul", "ol", "menu", "dir"))
SHAPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
LARGEST = 999_999
LETTERS = 26


class ListMarks:
    """`enter` and `leave` lists, ask for the `mark` of each item: `- `, `3. `, `c. `, `iv. `."""

    def __init__(self) -> None:
        self._open: list[_Count | None] = []  # None for a list with bullets

    @property
    def depth(self) -> int:
        return len(self._open)

    def enter(self, node: Node) -> None:
        self._open.append(_Count(node) if node.tag == "ol" else None)

    def leave(self) -> None:
        if self._open:
            self._open.pop()

    def next_mark(self, item: Node) -> str:
        count = self._open[-1] if self._open else None
        return "- " if count is None else f"{count.next(item)}. "


class _Count:
    def __init__(self, node: Node) -> None:
        self._step = -1 if "reversed" in node.about else 1
        first = 1
        if self._step < 0:
            first = sum(isinstance(child, Node) and child.tag == "li" for child in node.children)
        self._at = _parse_number(node.get("start"), first)
        self._shape = SHAPES.get(node.get("type").strip(), "decimal")

    def next(self, item: Node) -> str:
        n = _parse_number(item.get("value"), self._at)
        self._at = n + self._step
        if "Letter" in self._shape and n > LETTERS:
            first, second = divmod(n - 1, LETTERS)
            return self._format(first) + format_numeral(second + 1, self._shape)
        return self._format(n)

    def _format(self, n: int) -> str:
        return format_numeral(n, self._shape) if n <= LETTERS or "Letter" not in self._shape else str(n)


def _parse_number(text: str, otherwise: int) -> int:
    text = text.strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and int(digits[:7]) <= LARGEST else otherwise
