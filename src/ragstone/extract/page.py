"""A web page as a tree of our own: what is never text left out, sizes of text and links counted."""

import re
from dataclasses import dataclass, field

from lxml import etree

# Never text for a reader, whatever is in it.
UNSEEN = frozenset(
    "script style noscript template iframe frame frameset object embed applet svg canvas audio video map select option "
    "optgroup datalist input button textarea progress meter head math".split()
)
ATTRIBUTES = frozenset(("class", "id", "role", "itemprop", "rowspan", "colspan", "start", "href"))
NOTHING: dict[str, str] = {}
HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody "
    "td tfoot th thead tr ul".split()
)


@dataclass(slots=True, eq=False)
class Node:
    """An element: its children are elements and texts.

    `text` counts the visible characters in it, `links` those in links to elsewhere, `anchors` those in
    links into the same page.
    """

    tag: str
    parent: "Node | None"
    about: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)
    text: int = 0
    links: int = 0
    anchors: int = 0
    role: str = ""

    def get(self, name: str) -> str:
        return self.about.get(name, "")


@dataclass(slots=True)
class Page:
    """The body of a page, and what its head says."""

    body: Node
    title: str = ""
    language: str = ""
    meta: dict[str, str] = field(default_factory=dict)


class TooDeep(Exception):
    """The parser gave up on the nesting; the rest of the page is missing from the tree."""


def parsed(text: str) -> Page:
    """The page; raises `TooDeep` when its elements nest by the thousand."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(text.encode(errors="replace"), parser)
    except etree.LxmlError:
        root = None
    if any("depth" in error.message.lower() for error in parser.error_log):
        raise TooDeep
    page = Page(Node("body", None))
    if root is not None:
        page.language = root.get("lang") or ""
        _read(root, page)
    return page


def _read(root: "etree._Element", page: Page) -> None:
    """Walk the parser's tree once, without recursion, and build ours."""
    now, skipping = page.body, 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag.lower() if isinstance(element.tag, str) else "script"
        if event == "start":
            if tag == "title" and not page.title:
                page.title = " ".join((element.text or "").split())
            elif tag == "meta":
                _note(page, element)
            about = dict(element.items()) if element.attrib else NOTHING
            if skipping or _unseen(tag, about):
                skipping += 1
                continue
            node = Node(tag, now, {k: about[k] for k in ATTRIBUTES & about.keys()} if about else NOTHING, [])
            now.children.append(node)
            now = node
            if text := element.text:
                _put(now, text)
        elif skipping:
            skipping -= 1
            if not skipping and element.tail:
                _put(now, element.tail)
        else:
            now = _closed(now)
            if element.tail:
                _put(now, element.tail)


def _put(node: Node, text: str) -> None:
    node.children.append(text)
    node.text += len(text) if not text[:1].isspace() and not text[-1:].isspace() else len(text.strip())


def _closed(node: Node) -> Node:
    """Hand the counts of a finished element up to its parent."""
    parent = node.parent
    if parent is None:
        return node
    parent.text += node.text
    target = node.get("href") if node.tag == "a" else ""
    if target.startswith("#"):
        parent.anchors += node.text
    elif target:
        parent.links += node.text
    else:
        parent.links += node.links
        parent.anchors += node.anchors
    return parent


def _unseen(tag: str, about: dict[str, str]) -> bool:
    if tag in UNSEEN:
        return True
    if not about or tag in ("html", "body"):
        return False
    return "hidden" in about or about.get("aria-hidden") == "true" or HIDDEN.search(about.get("style", "")) is not None


def _note(page: Page, element: "etree._Element") -> None:
    name = element.get("property") or element.get("name") or element.get("itemprop") or ""
    content = element.get("content")
    if name and content and name.lower() not in page.meta:
        page.meta[name.lower()] = " ".join(content.split())
