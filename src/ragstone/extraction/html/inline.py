"""The words of a page's paragraph as they are gathered: links, pictures, raised and lowered text, marks of notes."""

import re
from dataclasses import dataclass

from ragstone.extraction.html.superscripts import format_note_mark, format_subscript, format_superscript
from ragstone.extraction.html.tree import BLOCKS, Node
from ragstone.extraction.record.markdown_links import format_link

BREAK = "\v"  # stands for a line break among words; the parser gives none
# Where a link leads is said when it can be followed from elsewhere. The addresses of 488 links in the text of 91
# news pages have 62 characters in the middle and 279 at most; longer ones are those of counters and sessions.
ABROAD = re.compile(r"(?:https?|ftps?)://[^\s/]|(?:mailto|tel):[^\s]", re.IGNORECASE)
LONGEST = 300
COUNTED = re.compile(r"[A-Za-z0-9]{65}")  # no word and no checksum is as long: what follows who reads
BACK = re.compile(r"\b(?:backlinks?|fn-backref|footnote-back(?:ref)?|reversefootnote|headerlink)\b", re.IGNORECASE)
PLACE = re.compile(r"(?:cite|note|foot|fn|bib|ref|endnote)", re.IGNORECASE)
MADE = re.compile(
    r"[\w@%+.~-]{1,200}\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)|image|img|photo|picture|icon", re.IGNORECASE
)
FORMULA = re.compile(r"\b(?:math|tex|latex|equation)\b|\bmwe-math", re.IGNORECASE)
PICTURE = re.compile(r"!\[([^\[\]]{0,2000})\]")
BOXES = {True: "☒", False: "☐"}
UPWARDS = 6  # elements between a picture and its figure
SMALL = 200  # characters of raised text that is looked at


@dataclass(slots=True)
class _Open:
    """An element that is open, and the piece with which its words begin."""

    node: Node
    since: int
    spent: bool = False


class Phrase:
    """`put` text, `enter` and `leave` elements in order; `take` the text so far. Blanks are as in the page.

    Where a link leads is kept unless `enter` is told that it is `plain`.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[_Open] = []
        self._linked = False  # the last piece is a link's end
        self._captions: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def put(self, text: str) -> None:
        self._pieces.append(text.replace("\xad", "") if "\xad" in text else text)
        self._linked = False

    def enter(self, node: Node, *, plain: bool = False) -> bool:
        """Open an element; False when nothing in it is to be read. An element that is not opened is not left."""
        tag = node.tag
        if tag == "br":
            self.put(BREAK)
        elif tag == "img":
            self._put_picture(node)
        elif tag == "input":
            self.put(BOXES["checked" in node.about] + " ")
        elif node.get("role") == "doc-backlink" or BACK.search(node.get("class")):
            return False
        elif tag == "q":
            self.put("“")
        elif tag == "a" and node.get("href") and not any(one.node.tag == "a" for one in self._open):
            if self._linked:
                self.put(" ")
            self._open.append(_Open(node, len(self._pieces), plain))
        elif tag in ("sup", "sub") and node.text <= SMALL:
            self._open.append(_Open(node, len(self._pieces)))
        return tag not in ("br", "img", "input")

    def leave(self, node: Node) -> None:
        if node.tag == "q":
            self.put("”")
        if not self._open or self._open[-1].node is not node:
            return
        one = self._open.pop()
        text = "".join(self._pieces[one.since :])
        if node.tag == "a":
            text = self._format_link(node, text, one)
        elif BREAK not in text and not node.holds:
            before = self._text_before(one.since)
            text = format_superscript(text, before) if node.tag == "sup" else format_subscript(text, before)
        self._pieces[one.since :] = [text] if text else []
        self._linked = node.tag == "a" and bool(text)

    def take(self) -> str:
        """The text so far; the first part of a link that runs on in another block bears where it leads."""
        for one in reversed(self._open):
            if one.node.tag == "a" and not one.spent:
                text = "".join(self._pieces[one.since :])
                self._pieces[one.since :] = [self._format_link(one.node, text, one)]
                one.spent = bool(text.strip())
            one.since = 0
        text = "".join(self._pieces)
        self._pieces = []
        self._linked = False
        return text

    def _text_before(self, since: int) -> str:
        return "".join(self._pieces[max(0, since - 2) : since])[-2:]

    def _format_link(self, node: Node, text: str, one: _Open) -> str:
        target = node.get("href").strip()
        shown = text.strip()
        if not target or not shown:
            return text
        if "#" in target and self._is_note_mark(node, target):
            return format_note_mark(shown) or text
        if target.startswith("#"):
            return text if any(c.isalnum() for c in shown) else ""
        if one.spent or len(target) > LONGEST or not ABROAD.match(target) or BREAK in text or COUNTED.search(target):
            return _drop_repeated_picture(text)
        text = _drop_repeated_picture(text)
        return format_link(text, target) if PICTURE.sub("", text).strip() else text

    def _is_note_mark(self, node: Node, target: str) -> bool:
        """Whether a link is the mark of a note: raised, with its note on this page."""
        if node.get("role") == "doc-noteref":
            return True
        parent = node.parent
        raised_ = any(one.node.tag == "sup" for one in self._open) or (parent is not None and parent.tag == "sup")
        raised_ = raised_ or any(isinstance(child, Node) and child.tag == "sup" for child in node.children)
        return raised_ and (target[0] == "#" or PLACE.match(target.rpartition("#")[2]) is not None)

    def _put_picture(self, node: Node) -> None:
        alt = " ".join(node.get("alt").replace("\xad", "").split())
        if not alt or MADE.fullmatch(alt) or node.get("role") in ("presentation", "none"):
            return
        if FORMULA.search(node.get("class")) or alt.startswith("{\\displaystyle"):
            self.put(f" ${alt}$ ")
        elif not any(c.isalnum() for c in alt):
            self.put(alt)
        elif alt.lower() != self._find_caption(node):
            self.put(f" ![{alt.replace('[', '(').replace(']', ')')}] ")

    def _find_caption(self, node: Node) -> str:
        """What is written below a picture, in small letters; "" where nothing is."""
        up = node.parent
        for _ in range(UPWARDS):
            if up is None or up.tag == "figure":
                break
            up = up.parent
        if up is None or up.tag != "figure":
            return ""
        if id(up) not in self._captions:
            caption = next((c for c in up.children if isinstance(c, Node) and c.tag == "figcaption"), None)
            self._captions[id(up)] = " ".join("".join(collect_texts(caption)).lower().split()) if caption else ""
        return self._captions[id(up)]


def collect_texts(node: Node) -> list[str]:
    """The texts in an element, in order, a blank around each block."""
    out: list[str] = []
    waiting: list[Node | str] = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, str):
            out.append(child)
        else:
            waiting.extend((" ", *reversed(child.children), " ") if child.tag in BLOCKS else reversed(child.children))
    return out


def _drop_repeated_picture(text: str) -> str:
    """A link's text without the picture that only says the same."""
    if "![" not in text:
        return text
    rest = " ".join(PICTURE.sub(" ", text).split())
    same = [match[1].lower() for match in PICTURE.finditer(text)]
    return f" {rest} " if rest and any(rest.lower() == one for one in same) else text
