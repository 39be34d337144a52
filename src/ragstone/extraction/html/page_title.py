"""The title of a web page says where its text begins: prose beside it is text."""

from collections.abc import Iterable, Iterator, Mapping

from ragstone.extraction.html.furniture_hints import find_words
from ragstone.extraction.html.prose import GOOD
from ragstone.extraction.html.tree import Node

# Words of parts that lie over a page and may have a title of their own.
OVER = frozenset(
    "cookie cookies consent gdpr popup modal overlay lightbox tooltip newsletter subscribe subscription signup login "
    "promo promotion advert advertisement footer comment comments".split()
)


def find_title(nodes: Iterable[Node]) -> Node | None:
    """The only heading of level 1 with text, None where there are several."""
    titles = [node for node in nodes if node.tag == "h1" and node.text]
    return titles[0] if len(titles) == 1 else None


def find_around_title(title: Node | None, every: Mapping[int, int]) -> set[int]:
    """The elements (by identity) around the title and prose. Their classes do not make them furniture: one called
    `nav-content-wrap` or `with-sidebar` holds the page beside its navigation."""
    found: set[int] = set()
    for around in _list_ancestors(title):
        if around.tag in ("nav", "footer", "dialog") or not find_words(around).isdisjoint(OVER):
            return set()
        if every.get(id(around), 0) >= GOOD:
            found.add(id(around))
    return found


def find_titled_prose(title: Node, part: Node, mass: Mapping[int, int], least: float) -> Node | None:
    """The innermost element of a part of the page that holds its title and `least` characters of prose."""
    for around in _list_ancestors(title):
        if mass.get(id(around), 0) >= max(least, GOOD):
            return around
        if around is part:
            break
    return None


def _list_ancestors(node: Node | None) -> Iterator[Node]:
    up = node.parent if node is not None else None
    while up is not None:
        yield up
        up = up.parent
