"""The title of a web page says where its text begins: prose beside it is text."""

from collections.abc import Iterable, Iterator, Mapping

from ragstone.extraction.html.furniture_hints import find_words
from ragstone.extraction.html.inline import collect_texts
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


def find_named_title(body: Node) -> str:
    """The first text of a page, if it is a paragraph that is called title: word processors write their titles so."""
    node = body
    while True:
        first = next((one for one in node.children if (one.strip() if isinstance(one, str) else one.text)), None)
        if first is None or isinstance(first, str):
            return ""
        if first.tag == "p":
            return " ".join("".join(collect_texts(first)).split()) if "title" in find_words(first) else ""
        node = first


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


def find_around_both(main: Node, title: Node, most: Node) -> Node:
    """The smallest element around the main part and the title; the main part itself if that is larger than `most`."""
    above = {id(up) for up in _list_ancestors(title)}
    up: Node | None = main
    while up is not None and id(up) not in above:
        up = None if up is most else up.parent
    return main if up is None else up


def _list_ancestors(node: Node | None) -> Iterator[Node]:
    up = node.parent if node is not None else None
    while up is not None:
        yield up
        up = up.parent
