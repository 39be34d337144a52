"""Comments of readers below an article, told by the heading that counts them where no class does."""

import re
from collections.abc import Mapping, Sequence

from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.prose import FEW
from ragstone.extraction.html.tree import HEADINGS, Node

NOUN = r"(?:comments?|kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|komentar\w*|комментари\w*)"
COUNT = r"(?:\(?\d{1,5}\)?|one)"
COUNTED = re.compile(rf"{COUNT}\s{NOUN}|{NOUN}\s?[(:]\s?\d{{1,5}}\)?", re.IGNORECASE)
ON_TITLE = re.compile(rf"{COUNT}\sthoughts? on\b(.+)", re.IGNORECASE)  # WordPress repeats the title of the article
LONGEST = 300  # characters of such a heading, which may repeat the title
AROUND = 3  # elements that hold nothing but the heading


def find_reader_comments(nodes: Sequence[Node], every: Mapping[int, int]) -> set[int]:
    """The elements (by identity) from such a heading to the end of the part around it, below the page's only title and
    its prose, `every` by element."""
    titles = [place for place, node in enumerate(nodes) if node.tag == "h1" and node.text]
    if len(titles) != 1:
        return set()
    above: set[str] = set()
    found: list[Node] = []
    for heading in nodes[titles[0] :]:
        if heading.tag in HEADINGS and 0 < heading.text <= LONGEST:
            text = " ".join("".join(collect_texts(heading)).split())
            on_title = ON_TITLE.fullmatch(text)
            if COUNTED.fullmatch(text) or (on_title and _list_words(on_title[1]) in above):
                found.append(heading)
            above.add(_list_words(text))
    # Several such headings are numbered sections.
    return _list_part(found[0], nodes[0], every) if len(found) == 1 else set()


def _list_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


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
