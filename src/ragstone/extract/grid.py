"""Tables and preformatted text in the tree of a page."""

from collections.abc import Iterator

from ragstone.extract.page import BLOCKS, Node
from ragstone.extract.tables import Raw

GROUPS = frozenset(("thead", "tbody", "tfoot"))
# Things that a cell of data does not hold: a table around them only lays out the page.
LAYOUT = frozenset("table h1 h2 h3 h4 h5 h6 pre article section nav header footer".split())
WIDE = 500  # characters in a cell of a table without any header
WIDEST = 4000  # characters in a cell of any table


def rows_of(table: Node) -> list[list[Raw]] | None:
    """The rows of a table of data; None for one that only lays out the page, or holds text outside its cells."""
    rows: list[list[Raw]] = []
    headed = False
    for row in _rows(table):
        if row is None:
            return None
        cells = [child for child in row.children if isinstance(child, Node)]
        if any(isinstance(child, str) and child.strip() for child in row.children):
            return None
        if any(cell.tag not in ("td", "th") or cell.text > WIDEST or _lays_out(cell) for cell in cells):
            return None
        headed = headed or any(cell.tag == "th" for cell in cells)
        rows.append([_raw(cell) for cell in cells])
    if not headed and not caption(table):
        widest = max((len(raw.text) for row in rows for raw in row), default=0)
        if widest > WIDE or len(rows) < 2 or max(map(len, rows)) < 2:
            return None
    return rows


def caption(table: Node) -> str:
    """The text of the table's caption."""
    return " ".join(flat_text(child) for child in table.children if isinstance(child, Node) and child.tag == "caption")


def flat_text(node: Node) -> str:
    """All text of an element on one line."""
    return " ".join("".join(_pieces(node, " ", " ")).split())


def raw_text(node: Node) -> str:
    """All text of an element as it is written: what `pre` shows."""
    return "".join(_pieces(node, "\n", ""))


def classes(node: Node) -> str:
    """The classes of an element, of its parent and of the one inside it: one of them names code's language."""
    inner = next((child for child in node.children if isinstance(child, Node)), None)
    around = (node.parent, node, inner)
    return " ".join(one.get("class") for one in around if one is not None)


def _rows(table: Node) -> Iterator[Node | None]:
    """The rows in order; None where there is text that belongs to no row."""
    waiting: list[Node | str] = list(reversed(table.children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, str):
            if child.strip():
                yield None
        elif child.tag in GROUPS:
            waiting.extend(reversed(child.children))
        elif child.tag == "tr":
            yield child
        elif child.tag not in ("caption", "colgroup", "col"):
            yield None


def _raw(cell: Node) -> Raw:
    return Raw(flat_text(cell), _number(cell.get("rowspan")), _number(cell.get("colspan")), cell.tag == "th")


def _number(text: str) -> int:
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) < 6 else 1


def _lays_out(cell: Node) -> bool:
    waiting: list[Node | str] = list(cell.children)
    while waiting:
        child = waiting.pop()
        if isinstance(child, Node):
            if child.tag in LAYOUT:
                return True
            waiting.extend(child.children)
    return False


def _pieces(node: Node, line_break: str, between_blocks: str) -> Iterator[str]:
    waiting: list[Node | str] = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield line_break
        else:
            if child.tag in BLOCKS and between_blocks:
                yield between_blocks
                waiting.append(between_blocks)
            waiting.extend(reversed(child.children))
