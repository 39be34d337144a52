"""The content of a feed's element: a text, or a page, escaped or as elements of its own."""

import copy
import html
import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.extraction.archive import Element
from ragstone.extraction.html.parse import Html
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks

ATOM = ("{http://www.w3.org/2005/Atom}", "{http://purl.org/atom/ns#}")
LONGEST = 2000  # characters of a title or name
DEEPEST = 6
# In RSS a text may be a page or not, and nothing says which: these are its elements, `<String>` is a word.
TAGS = (
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas caption "
    "center cite code col colgroup data dd del details dfn dialog dir div dl dt em embed fieldset figcaption "
    "figure font footer form frame frameset h[1-6] head header hr html i iframe img input ins kbd label legend li "
    "link main map mark math menu meta meter nav noscript object ol optgroup option output p param picture pre "
    "progress q rp rt ruby s samp script section select small source span strike strong style sub summary sup svg "
    "table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
)
NO_TAG = re.compile(rf"<(?!/?(?:{TAGS.replace(' ', '|')})(?![\w:.-])|!--)", re.IGNORECASE)


def element_name(element: Element) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def read_content(element: Element | None, title: str, warnings: list[str]) -> Iterator[BlockDraft]:
    """The content of an entry; its headings stand below the entry's own. `title` names the entry in warnings."""
    if element is None or not _raw_text(element).strip():
        return
    form = _detect_form(element)
    if form is None:
        warnings.append(f"{title or 'an entry'}: content of type {str(element.get('type'))[:80]} was not read")
        return
    said = _raw_text(element) if form == "text" else f"<body><article>{_build_page(element)}</article>"
    try:
        read = PlainText() if form == "text" else Html()
        extraction = read.extract(said.encode(errors="replace"), path="feed")
    except Refused:
        return
    warnings.extend(f"{title or 'an entry'}: {warning}" for warning in extraction.warnings)
    for draft in adopt_blocks(extraction):
        yield replace(draft, level=min(DEEPEST, draft.level + 2)) if draft.type == "heading" else draft


def read_title(element: Element | None, warnings: list[str] | None = None) -> str:
    """A name or title on one line; markup within a text that is a page is left out."""
    if element is None:
        return ""
    text = _raw_text(element)[: 4 * LONGEST]
    if _detect_form(element) != "text" and ("<" in text or "&" in text or len(element)):
        page = _build_page(element)[: 4 * LONGEST]
        with_blocks = _read_page_texts(f"<p>{page}")
        text = " ".join(with_blocks) if with_blocks else text
    text = " ".join(text.split())
    if warnings is not None and (len(text) > LONGEST or len(_raw_text(element)) > 4 * LONGEST):
        warnings.append(f"{text[:80]}…: a title was cut at {LONGEST:,} characters")
    return text[:LONGEST]


def _read_page_texts(page: str) -> list[str]:
    try:
        return [block.text for block in Html().extract(page.encode(errors="replace"), path="feed").blocks]
    except Refused:
        return []


def _detect_form(element: Element) -> str | None:
    """Whether it is a "text" or a "page"; None for what is neither, as a picture. Only Atom says so."""
    if len(element):
        return "page"
    if not str(element.tag).startswith(ATOM):
        return "page"
    kind = (element.get("type") or "text").strip().lower()
    if element.get("mode") == "base64" or not (kind in ("text", "html", "xhtml") or "html" in kind or "text/" in kind):
        return None
    return "page" if "html" in kind else "text"


def _raw_text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _build_page(element: Element) -> str:
    """The page within an element: its elements written as HTML, else its text."""
    if not len(element):
        return NO_TAG.sub("&lt;", _raw_text(element))
    whole = copy.deepcopy(element)
    for one in whole.iter(etree.Element):
        one.tag = element_name(one)
    inside = (etree.tostring(child, method="html", encoding="unicode") for child in whole)
    return html.escape(whole.text or "", quote=False) + "".join(inside)
