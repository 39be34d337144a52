"""Comments of readers below an article, told by the heading that counts them where no class does."""

import re
from collections.abc import Mapping, Sequence

from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.prose import FEW
from ragstone.extraction.html.tree import HEADINGS, Node

NOUN = (
    r"(?:comments?|thoughts? on\b.*|kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|komentar\w*"
    r"|комментари\w*)"
)
COUNTED = re.compile(rf"\(?(?:\d{{1,5}}|one)\)?\s{NOUN}|{NOUN}\s?[(:]?\s?\d{{1,5}}\)?", re.IGNORECASE)
LONGEST = 300  # characters of such a heading, which may repeat the title
AROUND = 3  # elements that hold nothing but the heading


def find_reader_comments(nodes: Sequence[Node], every: Mapping[int, int]) -> set[int]:
    """The elements (by identity) from such a heading to the end of the part around it, below the page's only title and
    its prose, `every` by element."""
    titles = [place for place, node in enumerate(nodes) if node.tag == "h1" and node.text]
    if len(titles) != 1:
        return set()
    for heading in nodes[titles[0] + 1 :]:
        if heading.tag in HEADINGS and 0 < heading.text <= LONGEST:
            text = " ".join("".join(collect_texts(heading)).split())
            if COUNTED.fullmatch(text):
                return _list_part(heading, nodes[0], every)
    return set()


def _list_part(heading: Node, body: Node, every: Mapping[int, int]) -> set[int]:
    node = heading
    for _ in range(AROUND):
        parent = node.parent
        if parent is None:
            return set()
        place = next(number for number, child in enumerate(parent.children) if child is node)
        behind = [child for child in parent.children[place:] if isinstance(child, Node)]
        if any(child.text > child.links for child in behind[1:]):
            prose = sum(every.get(id(child), 0) for child in behind)
            return set(map(id, behind)) if every.get(id(body), 0) - prose >= FEW else set()
        if any(isinstance(child, Node) and child.text for child in parent.children[:place]):
            return set()
        node = parent
    return set()
