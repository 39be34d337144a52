"""How much prose each element of a web page holds, and which elements hold too much of it to be furniture."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from ragstone.extraction.html.furniture_hints import ANSWERS, NAMES, find_words, is_marked
from ragstone.extraction.html.tree import BLOCKS, Node, measure_text

SCARCE = 600  # characters of good prose in all, too few to tell alone where a page's text stands
GOOD = 60  # characters of a paragraph that is certainly prose
LINKED = 0.5  # share of link text from which a piece is navigation
CAPTION = 700  # characters of the longest caption
CERTAIN = frozenset(  # words of parts that may be longer than all else on a page
    "cookie cookies consent gdpr footer copyright disclaimer nav navbar navigation menu modal popup tooltip newsletter "
    "subscribe subscription signup login".split()
)
LEAST = 300  # characters
FEW = 120
TIMES = 2
MOST = 0.5  # of a page's own prose
SHORT = 20  # characters of the shortest post
ROWS = 0.5  # of the prose of a part that is a row of teasers


def measure_prose(nodes: list[Node]) -> dict[int, int]:
    """Characters of good prose in each element (by identity), from the leaves up; captions are not counted."""
    mass: dict[int, int] = {}
    for node in reversed(nodes):
        if node.tag == "a" and node.get("href"):
            mass.pop(id(node), None)
            continue
        if node.tag in BLOCKS:
            direct = _count_direct_text(node)
            if direct >= GOOD and node.links <= LINKED * node.text:
                mass[id(node)] = mass.get(id(node), 0) + direct
        if id(node) in mass and _is_caption(node):
            del mass[id(node)]
        if node.parent is not None and id(node) in mass:
            mass[id(node.parent)] = mass.get(id(node.parent), 0) + mass[id(node)]
    return mass


def measure_teasers(nodes: list[Node], every: Mapping[int, int], rows: Set[int]) -> dict[int, int]:
    """Characters of that prose in rows of teasers in each element (by identity)."""
    mass: dict[int, int] = {}
    for node in reversed(nodes):
        if id(node) in rows:
            mass[id(node)] = every.get(id(node), 0)
        if node.parent is not None and id(node) in mass:
            mass[id(node.parent)] = mass.get(id(node.parent), 0) + mass[id(node)]
    return mass


def find_misnamed(nodes: Sequence[Node], every: Mapping[int, int], teasers: Mapping[int, int], own: int) -> set[int]:
    """The elements (by identity) called furniture that hold far more prose than all that is not called so.

    `every` is the prose of each element before the hints, `teasers` that of it in rows of teasers, `own` what the hints
    leave. Elements of one name count together. Answers of readers are the text of a page only in a discussion: where
    there is hardly any other, or where it stands in elements of the same class. Rows of teasers are that of a page
    without any other, also under a name.
    """
    kinds: dict[tuple[str, str], list[Node]] = {}
    for node in nodes:
        if node.role and node.parent is not None and not node.parent.role:
            kinds.setdefault((node.tag, node.get("class") or str(id(node))), []).append(node)
    found: set[int] = set()
    prose = {kind: sum(every.get(id(node), 0) for node in group) for kind, group in kinds.items()}
    posts, released = find_posts(nodes), set[tuple[str, str]]()
    for kind in sorted(kinds, key=prose.__getitem__, reverse=True):
        words = set[str]().union(*(find_words(node) for node in kinds[kind]))
        if not words.isdisjoint(CERTAIN) or any(map(is_marked, kinds[kind])):
            continue
        rows = sum(teasers.get(id(node), 0) for node in kinds[kind])
        is_row = words.isdisjoint(NAMES) or rows > ROWS * prose[kind]
        most = FEW if is_row else LEAST if words & ANSWERS else prose[kind]
        is_post = bool(words & ANSWERS) and any(id(node) in posts for node in kinds[kind])
        if is_post or (prose[kind] >= max(TIMES * own, LEAST) and own <= most):
            found.update(map(id, kinds[kind]))
            released.add(kind)
            own += prose[kind]
    return found | {id(node) for node in nodes if (node.tag, node.get("class")) in released}  # answers to answers


def find_posts(nodes: Sequence[Node]) -> Counter[int]:
    """How many posts each element (by identity) holds: elements of the class that holds most of the page's own prose.
    In a discussion the question and its answers have the same one."""
    prose: Counter[tuple[str, str]] = Counter()
    for node in nodes:
        if not node.role and (post := _find_post(node)) is not None:
            prose[_name(post)] += _count_direct_text(node)
    found: Counter[int] = Counter()
    least = MOST * prose.total()
    for node in reversed(nodes):  # from the leaves up
        if node.text - node.links >= SHORT and prose[_name(node)] > least:
            found[id(node)] += 1
        if node.parent is not None and id(node) in found:
            found[id(node.parent)] += found[id(node)]
    return found


def _find_post(node: Node) -> Node | None:
    """The element with a class around a piece of good prose; None for any other piece."""
    if node.tag not in BLOCKS or _count_direct_text(node) < GOOD:
        return None
    up: Node | None = node
    while up is not None and (up.tag == "p" or not up.get("class")):
        up = up.parent
    return up if up is not None and up.parent is not None else None


def _name(node: Node) -> tuple[str, str]:
    return node.tag, node.get("class")


def is_answer(node: Node) -> bool:
    """Whether the names of an element say that readers wrote it."""
    return not find_words(node).isdisjoint(ANSWERS)


def loses_own_text(main: Node, inner: Node, prose: int) -> bool:
    """Whether little prose (characters of `prose`) tells where a page's text stands, and more text stands beside an
    element of it: in short paragraphs, lists and tables, not in links."""
    if prose >= SCARCE:
        return False
    beside = (child for child in main.children if isinstance(child, Node) and child is not inner and not child.role)
    return sum(_count_own_text(child) for child in beside) > prose


def _count_own_text(node: Node) -> int:
    """Characters outside of links and of what is furniture by its names."""
    inner = (child for child in node.children if isinstance(child, Node) and child.role)
    return max(0, node.text - node.links - sum(child.text - child.links for child in inner))


def _is_caption(node: Node) -> bool:
    if node.tag in ("figcaption", "caption"):
        return True
    return node.text < CAPTION and "caption" in node.get("class").lower() and "caption" in find_words(node)


def _count_direct_text(node: Node) -> int:
    """Characters of text in the element itself and in inline elements of it."""
    return sum(
        measure_text(child) if isinstance(child, str) else 0 if child.tag in BLOCKS else child.text
        for child in node.children
    )
