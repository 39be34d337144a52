"""A page's tree as it was meant: rows without a table get one, definitions become list items."""

from collections.abc import Iterator

from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.lists import LISTS
from ragstone.extraction.html.tree import HEADING, SECTION, Node

GROUPS = frozenset(("thead", "tbody", "tfoot"))
ROWS = GROUPS | {"tr"}
LONG = 500  # characters: an item with a heading and more than this is a section of the page
WIDEST = 4000  # characters of a definition
ENDED = frozenset(":?!.…;,–—=→")  # after these a term needs no colon


def repair_tree(body: Node) -> None:
    """Put the tree right, from the outside in."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.tag == "dl":
            _convert_definitions(node)
        elif node.tag in LISTS:
            _open_sections(node)
        elif node.tag not in GROUPS and any(isinstance(c, Node) and c.tag in ROWS for c in node.children):
            _wrap_rows(node)
        waiting.extend(child for child in node.children if isinstance(child, Node))


def _open_sections(node: Node) -> None:
    for child in node.children:
        if isinstance(child, Node) and child.tag == "li" and child.holds & HEADING and child.text > LONG:
            child.tag = node.tag = "div"


def _wrap_rows(node: Node) -> None:
    """Put a table around rows that stand in none."""
    up: Node | None = node
    while up is not None and up.tag not in ("td", "th"):
        if up.tag == "table":
            return
        up = up.parent
    children, node.children = node.children, []
    table: Node | None = None
    for child in children:
        is_row = isinstance(child, Node) and child.tag in ROWS
        if isinstance(child, Node) and is_row and table is None:
            table = _make_node("table", node, [child])
            table.role = child.role
            node.children.append(table)
        elif table is not None and (is_row or (isinstance(child, str) and not child.strip())):
            _add_child(table, child)
        else:
            table = None
            node.children.append(child)


def _convert_definitions(node: Node) -> None:
    """Turn a list of terms and definitions into one of items, `term: definition`."""
    children, node.children = list(_definition_parts(node)), []
    terms: list[Node] = []
    said: list[Node] = []
    for child in children:
        if isinstance(child, Node) and child.tag == "dd":
            said.append(child)
        elif isinstance(child, Node) and child.tag == "dt":
            if said:
                _add_item(node, terms, said)
                terms, said = [], []
            terms.append(child)
        elif isinstance(child, Node) or child.strip():
            _add_item(node, terms, said)
            terms, said = [], []
            node.children.append(child)
    _add_item(node, terms, said)
    node.tag = "ul"


def _definition_parts(node: Node) -> Iterator[Node | str]:
    """What is in a `dl`; groups of terms and definitions may stand in a `div`."""
    for child in node.children:
        if isinstance(child, Node) and child.tag == "div" and any(_is_part(one) for one in child.children):
            for one in child.children:
                if isinstance(one, Node) and not one.role:
                    one.role = child.role
                yield one
        else:
            yield child


def _is_part(child: Node | str) -> bool:
    return isinstance(child, Node) and child.tag in ("dt", "dd")


def _add_item(within: Node, terms: list[Node], said: list[Node]) -> None:
    """Write the item of some terms and what is said of the last of them."""
    if any(one.text > WIDEST or one.holds & (HEADING | SECTION) for one in (*terms, *said)) or not terms:
        for one in (*terms, *said):
            one.tag = "div"
            _add_child(within, one)
        return
    for term in terms:
        term.tag = "li"
        _add_child(within, term)
    last = terms[-1]
    if len(said) > 1:
        for one in said:
            one.tag = "li"
        _add_child(last, _make_node("ul", last, list(said)))
    elif said:
        ending = _trim_end(last)
        _add_child(last, "" if not ending else " " if ending in ENDED else ": ")
        for child in _unwrap_paragraph(said[0]):
            _add_child(last, child)


def _unwrap_paragraph(node: Node) -> list[Node | str]:
    """What is in a definition, its first paragraph without a paragraph's break."""
    children = [child for child in node.children if isinstance(child, Node) or child.strip()]
    first = children[0] if children else None
    if isinstance(first, Node) and first.tag == "p" and not first.role:
        return [*first.children, *children[1:]]
    return list(node.children)


def _trim_end(node: Node) -> str:
    """Cut the blanks at the end of an element's text; the last character, "" where there is none."""
    if not "".join(collect_texts(node)).strip():
        return ""
    while True:
        while isinstance(last := node.children[-1], str) and not last.strip():
            node.children.pop()
        if isinstance(last, str):
            node.children[-1] = last.rstrip()
            return last.rstrip()[-1]
        if not last.text:
            return " "
        node = last


def _make_node(tag: str, parent: Node, children: list[Node | str]) -> Node:
    node = Node(tag, parent, {}, [])
    for child in children:
        _add_child(node, child)
    return node


def _add_child(parent: Node, child: Node | str) -> None:
    if isinstance(child, str):
        if child:
            parent.children.append(child)
            parent.text += len(child.strip())
        return
    child.parent = parent
    parent.children.append(child)
    parent.text += child.text
    parent.holds |= child.holds
