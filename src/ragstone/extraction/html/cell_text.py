"""All that an element of a page holds, on one line: what a cell says."""

from collections.abc import Iterator

from ragstone.extraction.html.inline import BREAK, Phrase
from ragstone.extraction.html.lists import LISTS, ListMarks
from ragstone.extraction.html.tree import BLOCKS, Node

CELL, ROW = "\x1f", "\x1e"  # end a cell and a row of a table in a cell; the parser gives none


def flat_text(node: Node, *, plain: bool = False) -> str:
    """All text of an element on one line: items with their marks; of a table in it the cells are parted by
    commas, the rows by semicolons."""
    phrase, marks = Phrase(), ListMarks()
    stack: list[tuple[Node, Iterator[Node | str]]] = [(node, iter(node.children))]
    while stack:
        now, children = stack[-1]
        child = next(children, None)
        if isinstance(child, str):
            phrase.put(child)
        elif child is not None:
            if _enter(child, phrase, marks, plain):
                stack.append((child, iter(child.children)))
        else:
            stack.pop()
            if stack:
                _leave(now, phrase, marks)
    text = phrase.take().replace(BREAK, " ")
    if CELL not in text and ROW not in text:
        return " ".join(text.split())
    rows = ([" ".join(cell.split()) for cell in row.split(CELL)] for row in text.split(ROW))
    return "; ".join(filter(None, (", ".join(filter(None, row)) for row in rows)))


def _enter(node: Node, phrase: Phrase, marks: ListMarks, plain: bool) -> bool:
    tag = node.tag
    if tag in LISTS:
        marks.enter(node)
    if tag == "li":
        phrase.put(f" {marks.next_mark(node)}")
    elif tag in BLOCKS:
        phrase.put(ROW if tag == "table" else " ")
    else:
        return phrase.enter(node, plain=plain)
    return True


def _leave(node: Node, phrase: Phrase, marks: ListMarks) -> None:
    tag = node.tag
    if tag in LISTS:
        marks.leave()
    if tag in BLOCKS:
        phrase.put(CELL if tag in ("td", "th") else ROW if tag in ("tr", "table") else " ")
    else:
        phrase.leave(node)
