"""Outlines (OPML), mind maps (FreeMind, Freeplane) and maps of DITA: what has parts of several levels is a section, the
rest are lists."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ragstone.extraction.archive import Element
from ragstone.extraction.chats.formats import strip_tags
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.record.builder import BlockDraft

DEEPEST_SECTION = 6
ADDRESSES = ("xmlUrl", "htmlUrl", "url")  # of OPML: the feed, its site, a link
TOPICS = frozenset(("topicref", "topichead", "chapter", "part", "appendix", "mapref", "keydef", "topicgroup"))


class Point(NamedTuple):
    """A point of an outline: its text, its notes and its address."""

    text: str
    notes: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class OutlineFormat:
    """How a format tells its points, and the points below one."""

    read: Callable[[Element], Point]
    names: frozenset[str]

    def inner(self, element: Element) -> list[Element]:
        return [child for child in element if element_name(child) in self.names]


def read_opml(root: Element) -> Iterator[BlockDraft]:
    """The points of an outline, or the feeds of a list of feeds."""
    yield BlockDraft("heading", " ".join((root.findtext("head/title") or "").split()), level=1)
    for body in root.iterchildren("body"):
        yield from _read_points(OPML, body, 1, 1)


def read_mind_map(root: Element) -> Iterator[BlockDraft]:
    """The nodes of a mind map below the one in its middle. Encrypted nodes have their names alone."""
    for node in root.iterchildren("node"):
        point = MIND_MAP.read(node)
        yield BlockDraft("heading", _join(point.text), level=1)
        yield BlockDraft("paragraph", "\n".join(filter(None, (point.notes, point.address))))
        yield from _read_points(MIND_MAP, node, 1, 1)


def read_topic_map(root: Element) -> Iterator[BlockDraft]:
    """The topics of a manual in DITA by their titles, else their files."""
    title = next((one for one in root if element_name(one) in ("title", "booktitle")), None)
    if title is not None or root.get("title"):
        yield BlockDraft("heading", _read_words(title) if title is not None else root.get("title") or "", level=1)
    yield from _read_points(TOPIC_MAP, root, 1, 1)


def _read_points(form: OutlineFormat, parent: Element, level: int, depth: int) -> Iterator[BlockDraft]:
    """The points below another: those without parts of several levels as a list, then the others as sections."""
    sections: list[Element] = []
    for child in form.inner(parent):
        if depth < DEEPEST_SECTION and _is_section(form, child):
            sections.append(child)
        else:
            yield from _read_items(form, child)
    for child in sections:
        point = form.read(child)
        yield BlockDraft("heading", _join(point.text), level=level + 1 if point.text else level)
        yield BlockDraft("paragraph", "\n".join(filter(None, (point.notes, point.address))))
        yield from _read_points(form, child, min(5, level + 1) if point.text else level, depth + 1)


def _is_section(form: OutlineFormat, element: Element) -> bool:
    """Whether a point has points below those below it, or says more than a line."""
    inner = form.inner(element)
    return any(map(form.inner, inner)) or "\n" in form.read(element).notes or any(form.read(one).notes for one in inner)


def _read_items(form: OutlineFormat, element: Element) -> Iterator[BlockDraft]:
    waiting = [(element, 1)]
    while waiting:
        one, level = waiting.pop()
        point = form.read(one)
        said = ": ".join(filter(None, (_join(point.text), _join(point.notes), point.address)))
        yield BlockDraft("list", f"- {said}" if said else "", level=level)
        waiting += [(child, level + bool(said)) for child in reversed(form.inner(one))]


def _read_outline(element: Element) -> Point:
    text = strip_tags(element.get("text") or element.get("title") or "")
    address = next(filter(None, (element.get(name) for name in ADDRESSES)), "")
    return Point(text, strip_tags(element.get("_note") or ""), address if address != text else "")


def _read_node(node: Element) -> Point:
    """A node of a mind map: its label may be a page, as may its notes; its attributes are told behind them."""
    label, notes = strip_tags(node.get("TEXT") or ""), list[str]()
    for child in node:
        if child.tag == "richcontent" and child.get("TYPE") == "NODE":
            label = _read_page(child)
        elif child.tag == "richcontent":
            notes.append(_read_page(child))
        elif child.tag == "attribute" and child.get("VALUE"):
            notes.append(f"{child.get('NAME') or ''}: {child.get('VALUE')}")
    return Point(label, "\n".join(filter(None, notes)), _read_address(node.get("LINK") or ""))


def _read_topic(topic: Element) -> Point:
    title = next((one for one in topic.iter() if element_name(one) in ("navtitle", "linktext")), None)
    if title is not None and topic not in tuple(title.iterancestors())[:2]:
        title = None
    text = _read_words(title) if title is not None else topic.get("navtitle") or ""
    return Point(text or (topic.get("href") or ""))


def _read_page(parent: Element) -> str:
    """The lines of a page within a mind map."""
    lines = map(_read_words, parent.iter("p", "li", "td", "th", "h1", "h2", "h3", "pre"))
    return "\n".join(filter(None, lines)) or _read_words(parent)


def _read_words(element: Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def _read_address(link: str) -> str:
    return link if "://" in link or link.startswith("mailto:") else ""


def _join(lines: str) -> str:
    return " ".join(lines.split())


OPML = OutlineFormat(_read_outline, frozenset(("outline",)))
MIND_MAP = OutlineFormat(_read_node, frozenset(("node",)))
TOPIC_MAP = OutlineFormat(_read_topic, TOPICS)
