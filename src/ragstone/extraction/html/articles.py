"""Several articles on one page: the posts of a discussion and the sections of a text, or teasers of other pages."""

from collections.abc import Iterable, Iterator, Mapping

from ragstone.extraction.html.tree import HEADING, HEADINGS, Node


def is_article(node: Node) -> bool:
    """Whether an element says that it is an article."""
    return node.tag == "article" or node.get("role") == "article"


def find_common_part(best: Node, own: Iterable[Node], mass: Mapping[int, int], posts: Mapping[int, int]) -> Node:
    """The part around all articles with prose or posts; `best` if it holds the page's title or another is a teaser."""
    heights = {id(up): n for n, up in enumerate(_list_upwards(best))}
    uppermost, found = 0, best
    for node in own:
        if (node.tag in HEADINGS or (node.tag == "a" and node.get("href"))) and _decides(node, best):
            return best
        if is_article(node) and (id(node) in mass or id(node) in posts):
            meeting = next(up for up in _list_upwards(node) if id(up) in heights)
            if heights[id(meeting)] > uppermost:
                uppermost, found = heights[id(meeting)], meeting
    return found


def _decides(node: Node, best: Node) -> bool:
    """Whether a heading or a link says that there is one article: a title in it, another one that leads elsewhere."""
    around = next(filter(is_article, _list_upwards(node)), None)
    if around is None:
        return False
    if around is best:
        return node.tag == "h1"
    return bool(node.links) if node.tag in HEADINGS else bool(node.holds & HEADING) or not node.text


def _list_upwards(node: Node) -> Iterator[Node]:
    up: Node | None = node
    while up is not None:
        yield up
        up = up.parent
