"""A web page as a tree of our own: what is never text left out, what is hidden counted, sizes of text and links too."""

import re
from dataclasses import dataclass, field

from lxml import etree

from ragstone.extraction.html.attributes import KEPT, SHADOW, STYLED, drop_attributes, read_attributes
from ragstone.extraction.html.editors import find_box, is_title
from ragstone.extraction.html.foreign_elements import collect_drawing_text, mathml_to_tex
from ragstone.extraction.html.hidden import (
    APART,
    NEVER,
    PAPER,
    UNKNOWN,
    UNSEEN,
    Appearance,
    derive_appearance,
    is_gone,
    replacement_text,
)
from ragstone.extraction.html.style_sheets import find_hiding_names, is_hidden_by_sheet
from ragstone.extraction.html.swallowed import release_swallowed
from ragstone.extraction.html.tabs import find_tab_panels, is_closed_panel

# To a browser `<html …/>` opens a page; to the parser it is a page of nothing.
CLOSED_ROOT = re.compile(r"(<(?:html|head|body)\b[^<>]{0,2000}?)/\s{0,9}>", re.IGNORECASE)
WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]+")
FRAMES = re.compile(r"</?(?:frameset|noframes)\b[^<>]*+>", re.IGNORECASE)
LONGEST = 2000  # characters of an attribute that are looked at
NOTHING: dict[str, str] = {}
BOX = {"type": "checkbox", "disabled": ""}
CHECKED = {**BOX, "checked": ""}
PEOPLE = ("mailto:", "tel:")  # links that lead to no other page
SHEET = re.compile(r"<style\b|\bstylesheet\b", re.IGNORECASE)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
FIELDS = frozenset(("textarea", "option"))  # their content stands apart from the words around
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre section "
    "summary table tbody td tfoot th thead tr ul xmp".split()
)
NAMES_A_PART = frozenset((*HEADINGS, "dt", "summary", "th", "legend"))  # a button in it says its name
NEAR = 4  # elements between the two
# What an element holds, in bits: asked for tables, which would else be searched again at each depth.
TABLE, HEADING, SECTION = 1, 2, 4
HOLDS = {"table": TABLE, **dict.fromkeys(HEADINGS, HEADING)}
HOLDS |= dict.fromkeys(("section", "article", "nav", "header", "footer", "main", "aside"), SECTION)


@dataclass(slots=True, eq=False)
class Node:
    """An element: its children are elements and texts.

    `text` counts the visible characters in it, `links` those in links to elsewhere, `anchors` those in
    links into the same page; `holds` says in bits what kinds of elements are in it.
    """

    tag: str
    parent: "Node | None"
    about: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)
    text: int = 0
    links: int = 0
    anchors: int = 0
    holds: int = 0
    role: str = ""

    def get(self, name: str) -> str:
        return self.about.get(name, "")


@dataclass(slots=True)
class Page:
    """The body of a page, what its head says, and what was left out as hidden: characters and parts.

    `aside` counts the characters of those that are only hidden from screen readers, `apart` those of controls and of
    what stands in for media and scripts, `controls` such elements with any; `frames` are other pages in this one.
    """

    body: Node
    title: str = ""
    language: str = ""
    meta: dict[str, str] = field(default_factory=dict)
    hidden: int = 0
    parts: int = 0
    aside: int = 0
    apart: int = 0
    controls: int = 0
    frames: int = 0


class TooDeep(Exception):
    """The parser gave up on the nesting; the rest of the page is missing from the tree."""


def parse_tree(text: str, *, aria: bool = True, scripts: bool = True, sheets: bool = True) -> Page:
    """The page; raises `TooDeep` when its elements nest by the thousand.

    `aria`: leave out what `aria-hidden` names. `scripts`: as a reader sees it who has them, without `noscript`.
    `sheets`: leave out what the page's own style sheets hide.
    """
    text = CLOSED_ROOT.sub(r"\1>", drop_attributes(text))
    if "<frameset" in text.lower():  # then what stands in for frames is what there is to read
        text = FRAMES.sub("", text)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(text.encode(errors="replace"), parser)
    except etree.LxmlError:
        root = None
    if any("depth" in error.message.lower() for error in parser.error_log):
        raise TooDeep
    page = Page(Node("body", None))
    if root is not None:
        release_swallowed(root)
        page.language = (root.get("lang") or root.get("xml:lang") or "")[:LONGEST]
        _TreeBuilder(page, styled=SHEET.search(text) is not None, aria=aria, scripts=scripts).build(
            root, find_hiding_names(root, text) if sheets else frozenset()
        )
    return page


class _TreeBuilder:
    """Walks the parser's tree once, without recursion, and builds ours."""

    def __init__(self, page: Page, *, styled: bool, aria: bool, scripts: bool) -> None:
        self._page = page
        self._now = page.body
        self._styled = styled
        self._aria = aria
        self._scripts = scripts
        self._looks: list[Appearance] = [UNKNOWN if styled else PAPER]
        self._skipping = 0  # elements that are open in a part that is left out, its own among them
        self._silent = 0  # of these the first, from outside, whose text would not be shown anyway
        self._aside = False
        self._apart = False  # the part is one of those that are counted apart
        self._counted = False
        self._panels = frozenset[str]()
        self._hiding = frozenset[str]()
        self._body = NOTHING

    def build(self, root: "etree._Element", hiding: frozenset[str]) -> None:
        """Build the page of the parser's tree; `hiding` are the names that its style sheets hide."""
        self._hiding = hiding
        self._panels = find_tab_panels(root)
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag.lower() if isinstance(element.tag, str) else "script"
            if event == "start":
                self._start_element(tag, element)
            elif self._skipping:
                self._silent = 0 if self._silent == self._skipping else self._silent
                self._skipping -= 1
                self._add_text(element.tail)
            else:
                self._now = _close_node(self._now)
                self._looks.pop()
                if tag in FIELDS:
                    self._add_text(" ")
                self._add_text(element.tail)

    def _start_element(self, tag: str, element: "etree._Element") -> None:
        page = self._page
        if tag == "title" and not page.title:
            page.title = " ".join((element.text or "").split())
        elif tag == "meta":
            _note_meta(page, element)
        if self._skipping:
            self._skipping += 1
            quiet = tag in (NEVER if self._apart else UNSEEN) or tag == "math"
            self._silent = self._silent or (self._skipping if quiet else 0)
            self._add_text(element.text)
            return
        about = read_attributes(element) if element.attrib else NOTHING
        if self._is_omitted(tag, about):
            self._skipping = 1
            self._add_text(element.text)
            return
        if tag in ("math", "svg") and not self._looks[-1].is_unseen:
            self._put_foreign_element(tag, element)
            return
        if tag in FIELDS:
            self._add_text(" ")
        own = {key: about[key][:LONGEST] for key in KEPT & about.keys()} if about else NOTHING
        box = find_box(tag, own, self._now.about) if own or self._now.about else None
        self._body = own if tag == "body" else self._body
        node = Node(self._choose_tag(tag, own, is_box=box is not None), self._now, own, [])
        self._now.children.append(node)
        if box is not None:
            node.children.append(Node("input", node, CHECKED if box else BOX))
        self._now = node
        around = self._looks[-1]
        self._looks.append(derive_appearance(about, around, styled=self._styled) if STYLED & about.keys() else around)
        self._add_text(element.text)

    def _choose_tag(self, tag: str, about: dict[str, str], *, is_box: bool) -> str:
        """The tag of an element that stands for another one."""
        if tag == "template" or not about:
            return "div" if tag == "template" else tag
        return "span" if is_box and tag == "div" else "h1" if is_title(tag, about, self._body) else tag

    def _is_omitted(self, tag: str, about: dict[str, str]) -> bool:
        """Whether an element is no text or hidden; counts it as a hidden part."""
        self._silent = 0
        self._counted = self._apart = False
        self._page.frames += tag == "frame"
        if tag in UNSEEN and not (_is_shown(tag, about, self._now) or (tag == "noscript" and not self._scripts)):
            self._apart = tag in APART
            self._silent = int(not self._apart)
            self._skipping = 1
            self._add_text(replacement_text(tag, about))
            return True
        if not about or tag in ("html", "body") or (self._panels and is_closed_panel(about, self._panels)):
            return False
        # A picture is seen for all that: only its description is not read out.
        self._aside = self._aria and tag not in ("img", "input") and about.get("aria-hidden", "").strip() == "true"
        hidden = bool(self._hiding) and is_hidden_by_sheet(about, self._hiding)
        return self._aside or hidden or is_gone(about)

    def _put_foreign_element(self, tag: str, element: "etree._Element") -> None:
        """What an element of another language says, all at once."""
        if said := mathml_to_tex(element) if tag == "math" else collect_drawing_text(element):
            _append_text(self._now, f" ${said}$ " if tag == "math" else f" {said} ")
        self._skipping = self._silent = 1

    def _add_text(self, text: str | None) -> None:
        if not text:
            return
        if not self._skipping and not self._looks[-1].is_unseen:
            _append_text(self._now, text)
            return
        if self._silent or not text.strip():
            return
        page, n = self._page, len(text) - sum(map(text.count, " \n\t"))
        if self._skipping and self._apart:
            page.controls += not self._counted
            page.apart += n
        else:
            page.parts += not (self._skipping and self._counted)
            page.hidden += n
            page.aside += n if self._skipping and self._aside else 0
        self._counted = True


def _is_shown(tag: str, about: dict[str, str], within: Node) -> bool:
    """Whether an element says something that is hidden elsewhere: the box of a task, what is chosen, the button that is
    a heading's own text, a component's own part of the page (its shadow tree)."""
    if tag == "template":
        return not SHADOW.isdisjoint(about)
    if tag == "input":
        return about.get("type", "").lower() == "checkbox" and "disabled" in about
    if tag == "option":
        return "selected" in about
    up: Node | None = within if tag == "button" else None
    for _ in range(NEAR):
        if up is None:
            return False
        if up.tag in NAMES_A_PART:
            return True
        up = up.parent
    return False


def _append_text(node: Node, text: str) -> None:
    node.children.append(text)
    node.text += measure_text(text)


def measure_text(text: str) -> int:
    """Characters of a text without blanks around it; a sign of a script that needs half as many counts twice."""
    text = text.strip()
    return len(text) if text.isascii() else len(text) + sum(map(len, WIDE.findall(text)))


def _close_node(node: Node) -> Node:
    """Hand the counts of a finished element up to its parent."""
    parent = node.parent
    if parent is None:
        return node
    parent.text += node.text
    parent.holds |= node.holds | HOLDS.get(node.tag, 0)
    target = node.get("href") if node.tag == "a" else ""
    if target.startswith("#"):
        parent.anchors += node.text
    elif target and not target.lower().startswith(PEOPLE):
        parent.links += node.text
    else:
        parent.links += node.links
        parent.anchors += node.anchors
    return parent


def _note_meta(page: Page, element: "etree._Element") -> None:
    name = element.get("property") or element.get("name") or element.get("itemprop") or ""
    content = element.get("content")
    if name and content and name.lower() not in page.meta:
        page.meta[name.lower()] = " ".join(content[: 5 * LONGEST].split())
