"""Which parts of a web page are its own text: the rest gets the role nav, header or footer."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Set
from itertools import pairwise

from ragstone.extraction.html.articles import find_common_part, is_article
from ragstone.extraction.html.furniture_hints import find_role_hint, find_titled
from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.link_boxes import assign_link_roles
from ragstone.extraction.html.page_title import find_around_both, find_around_title, find_title, find_titled_prose
from ragstone.extraction.html.prose import (
    GOOD,
    LINKED,
    find_misnamed,
    find_posts,
    is_answer,
    loses_own_text,
    measure_prose,
    measure_teasers,
)
from ragstone.extraction.html.reader_comments import find_reader_comments
from ragstone.extraction.html.teasers import find_beginnings, find_teaser_rows
from ragstone.extraction.html.tree import BLOCKS, HEADINGS, Node

CLOSED = frozenset("p li pre blockquote table ul ol dl h1 h2 h3 h4 h5 h6 figure".split())  # no search for text inside
HALF = 0.5  # of the main text, from which a box of links is text
SHARE = 0.7  # of the good text that the main element must hold
NAMED = 0.3  # of the good text, from which an element's own word is taken that it is the article
PROSE = frozenset(("p", "div", "figcaption"))
LINES = 2  # paragraphs beside a part of an article that are no caption or note
POSTS = 2  # elements of one class in an article that are no posts: its key points beside its text
ROUNDS = 5  # of elements in elements whose names are wrong
LEAST = 120  # characters of prose in the article around the page's title, from which it is the page's text
BESIDE = 0.1  # of the main text, from which prose beside the title is no caption
NEXT = 3  # pieces of prose among which one that is said again is a repetition


def assign_roles(body: Node, *, product: bool = False) -> None:
    """Give each part of the page that is not its own text a role; the writer hands it down.

    `product`: the page offers something, with prices and sizes beside its title.
    """
    nodes = list(_walk(body))
    beginnings, titled = find_beginnings(nodes), find_titled(nodes)
    every, misnamed = measure_prose(nodes), set[int]()
    title = find_title(nodes)
    around = find_around_title(title, every)
    rows = (find_teaser_rows(nodes, beginnings) - around) | find_reader_comments(nodes, every)
    teasers = measure_teasers(nodes, every, rows)
    for _ in range(ROUNDS):
        own = [node for node in nodes if not _assign_hint(node, body, rows, titled, around, misnamed)]
        mass = measure_prose(own)
        found = find_misnamed(nodes, every, teasers, mass.get(id(body), 0))
        if not found:
            break
        misnamed |= found
    answered = any(id(node) in misnamed and is_answer(node) for node in nodes)
    posts = find_posts(own)
    declared = _find_declared_main(own, mass, posts, answered=answered)
    within = declared is not None and not _is_main(declared)
    main = _narrow_main(declared or body, mass, beginnings, posts, within=within)
    if product and title is not None:
        main = find_around_both(main, title, declared or body)
    _assign_outside_roles(main, mass, answered=answered, declared=declared is not None)
    for node in _walk(main) if mass.get(id(main)) else ():
        assign_link_roles(node, mass, HALF * mass[id(main)])
    _drop_repeats(main)


def _drop_repeats(main: Node) -> None:
    """Give prose that is said again at once the role of furniture: galleries repeat captions."""
    latest: deque[str] = deque(maxlen=NEXT)
    for node in _walk(main):
        if node.role or node.tag not in PROSE or _holds_block(node):
            continue
        text = " ".join("".join(collect_texts(node)).split())
        if len(text) < GOOD:
            continue
        if text in latest and not _is_in_list_or_table(node):
            node.role = "nav"
        latest.append(text)


def _holds_block(node: Node) -> bool:
    """Whether an element has a block in it, be it in an inline element."""
    waiting = [child for child in node.children if isinstance(child, Node)]
    while waiting:
        child = waiting.pop()
        if child.tag in BLOCKS:
            return True
        waiting.extend(one for one in child.children if isinstance(one, Node))
    return False


def _is_in_list_or_table(node: Node) -> bool:
    up = node.parent
    while up is not None:
        if up.tag in ("table", "pre", "li", "dd"):
            return True
        up = up.parent
    return False


def _walk(body: Node) -> Iterator[Node]:
    """Every element in order of the page."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in reversed(node.children) if isinstance(child, Node))


def _assign_hint(
    node: Node, body: Node, rows: Set[int], titled: Set[int], around: Set[int], misnamed: Set[int]
) -> bool:
    """Whether the element is furniture by its tag, role or class, or lies in such an element; notes it."""
    parent = node.parent
    if parent is None:
        return False
    if id(node) in misnamed:
        node.role = ""
        return False
    if parent.role:
        node.role = parent.role
        return True
    node.role = find_role_hint(node, body, titled, around) or ("nav" if id(node) in rows else "")
    return bool(node.role)


def _find_declared_main(
    own: list[Node], mass: dict[int, int], posts: Mapping[int, int], *, answered: bool
) -> Node | None:
    """The element that says of itself that it is the article, if it holds a good part of the prose, or the page's title
    and no answers of readers are beside it."""
    own = [node for node in own if not _is_in_link(node)]  # that is a card, which leads to an article
    best = _find_largest(own, mass, is_article)
    return (
        _find_largest(own, mass, _is_article_body)
        or (find_common_part(best, own, mass, posts) if best is not None else None)
        or (None if answered else _find_titled_article(own, mass))
        or _find_largest(own, mass, _is_main)
    )


def _find_largest(own: list[Node], mass: dict[int, int], named: Callable[[Node], bool]) -> Node | None:
    best = max((node for node in own if named(node)), key=lambda node: mass.get(id(node), 0), default=None)
    return best if best is not None and mass.get(id(best), 0) > NAMED * max(mass.values(), default=0) else None


def _is_in_link(node: Node) -> bool:
    if not (is_article(node) or _is_main(node)):
        return False
    up = node.parent
    while up is not None and not (up.tag == "a" and up.get("href")):
        up = up.parent
    return up is not None


def _find_titled_article(own: list[Node], mass: dict[int, int]) -> Node | None:
    """The innermost article around the only title of the page, also where a short one is beside many teasers."""
    titles = [node for node in own if node.tag == "h1"]
    up = titles[0] if len(titles) == 1 else None
    while up is not None and not is_article(up):
        up = up.parent
    return up if up is not None and mass.get(id(up), 0) >= LEAST else None


def _is_article_body(node: Node) -> bool:
    return node.get("itemprop") == "articleBody"


def _is_main(node: Node) -> bool:
    return node.tag == "main" or node.get("role") == "main"


def _narrow_main(
    main: Node, mass: dict[int, int], beginnings: Mapping[int, Node], posts: Mapping[int, int], *, within: bool
) -> Node:
    """The smallest element that holds most of the good prose of the one given."""
    whole = mass.get(id(main), 0)
    while whole:
        inner = max(
            (child for child in main.children if isinstance(child, Node) and child.tag not in CLOSED),
            key=lambda child: mass.get(id(child), 0),
            default=None,
        )
        if inner is None or mass.get(id(inner), 0) < SHARE * whole:
            break
        if posts.get(id(main), 0) > max(POSTS, posts.get(id(inner), 0)):
            break
        if _is_section_of(main, inner, mass, beginnings) or (within and _has_paragraphs(main, inner, mass)):
            break
        if loses_own_text(main, inner, whole):
            break
        main = inner
    return main


def _is_section_of(main: Node, inner: Node, mass: dict[int, int], beginnings: Mapping[int, Node]) -> bool:
    """Whether an element is one of several sections of a text, the one that follows the text's own beginning, or what
    explains the code beside it."""
    beside = [child for child in main.children if isinstance(child, Node) and child is not inner]
    kind = inner.tag, inner.get("class")
    is_kind = inner.tag == "section" or bool(inner.get("class"))  # a page's columns are divisions without a class too
    if is_kind and any(mass.get(id(child)) and (child.tag, child.get("class")) == kind for child in beside):
        return True
    if any(child.tag == "pre" and child.text >= GOOD and not child.role for child in beside):
        return True
    at = main.children.index(inner)
    before, after = (
        [one for one in part if isinstance(one, Node)] for part in (main.children[:at], main.children[at + 1 :])
    )
    if any(head.tag in HEADINGS and _is_said_here(text) for head, text in pairwise(after)):
        return True
    begins = beginnings.get(id(inner))
    has_heading = begins is not None and begins.tag in HEADINGS
    return has_heading and any(child.tag in CLOSED and mass.get(id(child)) for child in before)


def _has_paragraphs(main: Node, inner: Node, mass: Mapping[int, int]) -> bool:
    """Whether an article has paragraphs before or after one of its parts: divisions or not, without blocks in them."""
    at = main.children.index(inner)
    parts = main.children[:at], main.children[at + 1 :]
    return any(sum(isinstance(one, Node) and _is_paragraph(one, mass) for one in part) >= LINES for part in parts)


def _is_paragraph(node: Node, mass: Mapping[int, int]) -> bool:
    return node.tag in ("p", "div") and not node.role and bool(mass.get(id(node))) and not _holds_block(node)


def _is_said_here(node: Node) -> bool:
    """Whether an element has text of its own, which is not that of links elsewhere."""
    return not node.role and node.text >= GOOD and node.links <= LINKED * node.text


def _assign_outside_roles(main: Node, mass: Mapping[int, int], *, answered: bool, declared: bool) -> None:
    """What stands before the main element is its header, what stands after it its footer; the title stays, and so do
    paragraphs beside the main element that begin its text, and all prose before answers of readers: they answer it."""
    node = main
    title, is_titled = next((one for one in _walk(main) if one.tag == "h1"), None), False
    while node.parent is not None:
        parent, role = node.parent, "header"
        for place, child in enumerate(parent.children):
            if child is node:
                role = "footer"
            elif isinstance(child, str):
                if child.strip():
                    parent.children[place] = Node("span", parent, {}, [child], role=role)
            elif not child.role:
                is_lead = id(child) in mass and (answered or (node is main and child.tag == "p"))
                is_lead = is_lead or (is_titled and mass.get(id(child), 0) >= BESIDE * mass.get(id(main), 0))
                child.role = "body" if is_lead and role == "header" else role
                if role == "header" and title is None:
                    title = _keep_page_title(child)
                    if title is not None and not declared:  # what follows stands beside a title that is alone
                        is_titled = True
                        _keep_titled_prose(title, child, mass, mass.get(id(main), 0))
        node = parent


def _keep_page_title(part: Node) -> Node | None:
    """The last heading of level 1 in a part before the main one: it is the page's own."""
    found = None
    for node in _walk(part):
        if node.tag == "h1" and node.role in ("", part.role):
            found = node
    if found is not None:
        found.role = "body"
    return found


def _keep_titled_prose(title: Node, part: Node, mass: Mapping[int, int], most: int) -> None:
    """Keep the prose beside the page's title in a part before the main one: answers of readers may be longer than what
    they answer. `most` is the prose of the main part."""
    found = find_titled_prose(title, part, mass, BESIDE * most)
    if found is not None:
        found.role = "body"
        for node in _walk(found):
            assign_link_roles(node, mass, HALF * mass[id(found)])
