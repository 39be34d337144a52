"""Lists and boxes of little but links within the text of a web page: navigation, or a table of contents."""

from collections.abc import Mapping

from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.tree import HEADINGS, Node

DENSE = 0.6


def assign_link_roles(node: Node, mass: Mapping[int, int], most: float) -> None:
    """Give the lists and boxes of links in an element their role; a list below a heading or behind a colon is text, and
    so is a box with more prose than `most`."""
    before: Node | None = None
    for child in node.children:
        if isinstance(child, str):
            before = None if child.strip() else before
            continue
        if not child.role:
            child.role = _find_link_role(child) if mass.get(id(child), 0) <= most else ""
            if child.role == "nav" and child.tag in ("ul", "ol") and before is not None and _is_lead_in(before):
                child.role = ""
        before = child if child.text else before


def _is_lead_in(node: Node) -> bool:
    if node.role:
        return False
    return node.tag in HEADINGS or (node.tag == "p" and "".join(collect_texts(node)).rstrip().endswith((":", "\uff1a")))


def _find_link_role(node: Node) -> str:
    """`nav` for a list or a box of little but links, `toc` for a list of links into the page."""
    if node.tag in ("ul", "ol") and node.anchors and node.anchors > DENSE * node.text:
        return "toc"
    if node.tag in ("ul", "ol", "div", "section", "p", "dl") and node.text and node.links > DENSE * node.text:
        return "nav"
    return ""
