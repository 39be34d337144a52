"""Rows of teasers: boxes that each lead to another page by a heading of their own."""

import re
from collections.abc import Mapping, Sequence

from ragstone.extraction.html.articles import is_article
from ragstone.extraction.html.furniture_hints import find_words
from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.tree import BLOCKS, HEADINGS, Node

DENSE = 0.6
TEASER = 700  # characters
TEASERS = 3
LEADING = 0.9
NAME = 2  # words of a link that may be no more than a name
# Where a link to a person leads, and what it or an element around it is called; a short title leads elsewhere.
PERSON = re.compile(
    r"(?:^|[/?&=;])(?:u|uid|usr|by|(?:user|profile|member|author|account)s?|people|memberlist)\b|/[~@]\w", re.I
)
CALLED = frozenset("author user username poster nick nickname member profile".split())


def find_beginnings(nodes: Sequence[Node]) -> dict[int, Node]:
    """The elements (by identity) with the first one in each that is a heading or has text of its own."""
    own = (node for node in nodes if node.tag in HEADINGS or any(map(_is_text, node.children)))
    return _find_first(nodes, {id(node) for node in own})


def find_teaser_rows(nodes: Sequence[Node], beginnings: Mapping[int, Node]) -> set[int]:
    """The elements (by identity) that are a row of such boxes, and little else.

    The posts of a discussion begin with a link too, to their author. That leads nowhere unless a heading follows it.
    """
    headings = _find_first(nodes, {id(node) for node in nodes if node.tag in HEADINGS and _is_link(node)})
    leads: dict[int, Node] = {}
    for key, first in beginnings.items():
        lead: Node | None = first
        if _is_short(first):
            lead = headings.get(key) or (None if _is_person(first) else first)
        if lead is not None and _is_link(lead):
            leads[key] = lead
    return {id(node) for node in nodes if not _is_main(node) and _is_row(node, leads)}


def _find_first(nodes: Sequence[Node], wanted: set[int]) -> dict[int, Node]:
    """The elements (by identity) with the first one wanted (by identity) in each, itself included."""
    first: dict[int, Node] = {}
    for node in reversed(nodes):
        if id(node) in wanted:
            first[id(node)] = node
        else:
            inner = (id(child) for child in node.children if isinstance(child, Node))
            if (found := next((key for key in inner if key in first), None)) is not None:
                first[id(node)] = first[found]
    return first


def _is_row(node: Node, leads: Mapping[int, Node]) -> bool:
    if len(node.children) < TEASERS:
        return False
    boxes = [child for child in node.children if isinstance(child, Node) and child.tag in BLOCKS and child.text]
    found = [box for box in boxes if box.text < TEASER and id(box) in leads]
    if len(found) < TEASERS or len(found) < DENSE * len(boxes) or sum(box.text for box in found) < DENSE * node.text:
        return False
    headings = {_read(leads[id(box)]) for box in found}
    return len(headings) > len(found) / 2  # a word such as "Source" leads to no text of that name


def _is_main(node: Node) -> bool:
    return node.tag == "main" or node.get("role") == "main" or is_article(node)


def _is_text(child: Node | str) -> bool:
    return isinstance(child, str) and bool(child.strip())


def _is_link(node: Node) -> bool:
    """Whether all text of an element is a link."""
    return node.links >= LEADING * node.text or (node.tag == "a" and bool(node.get("href")))


def _is_short(node: Node) -> bool:
    """Whether a link outside of a heading may be no more than a name."""
    return node.tag not in HEADINGS and _is_link(node) and len(_read(node).split()) <= NAME


def _is_person(node: Node) -> bool:
    """Whether a link leads to a person, by its address or by the names of elements around it."""
    around = (node, node.parent, node.parent.parent if node.parent is not None else None)
    return any(
        up is not None
        and ("author" in up.get("rel") or PERSON.search(up.get("href")) or not find_words(up).isdisjoint(CALLED))
        for up in around
    )


def _read(node: Node) -> str:
    return "".join(collect_texts(node)).strip()
