"""HTML to a text of record like Markdown, with blocks and spans in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.chats.conversation import write_conversation
from ragstone.extraction.chats.pages import read_chat_page
from ragstone.extraction.decoding import decode_page
from ragstone.extraction.gc_pause import pause_gc
from ragstone.extraction.html.inline import collect_texts
from ragstone.extraction.html.main_content import assign_roles
from ragstone.extraction.html.page_title import find_named_title
from ragstone.extraction.html.repair import repair_tree
from ragstone.extraction.html.tree import Page, TooDeep, parse_tree
from ragstone.extraction.html.writer import Writer
from ragstone.extraction.markdown.embedded_html import find_visible_text
from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps
from ragstone.extraction.record.confidentiality import KEY, close_if_marked, find_marked_tags
from ragstone.extraction.record.dates import iso_date
from ragstone.extraction.record.table_of_contents import mark_toc_blocks

DATE_NAMES = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.date",
    "dcterms.created",
    "pubdate",
    "publishdate",
    "parsely-pub-date",
    "sailthru.date",
)
DESCRIPTION_NAMES = ("description", "og:description", "dc.description", "twitter:description")


COVERED = 0.4  # of a page's text: more is not decoration, whatever `aria-hidden` says (a page saved below a dialog)
# What pages of scripts alone say to who has none: no text of theirs.
SCRIPT_NOTICE = 300  # characters
SCRIPTS = re.compile(r"java\s?script", re.IGNORECASE)
CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f]+")
FURNITURE, FLAT = "what frames the page was not told from its text", "the page was read as a flat text"
XML = re.compile(r"\s*<\?xml\b")
# In XHTML any element may be closed at once; to a parser of HTML `<script/>` opens one that swallows the page.
SELF_CLOSED = re.compile(r"<([A-Za-z][\w:-]*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)(?<=/)>")
# How a page says that it offers something: in JSON-LD, by schema.org's attributes, or for previews of links.
PRODUCT = re.compile(
    r"\"@type\"\s{0,9}:\s{0,9}\[?\s{0,9}\"Product\"|schema\.org/Product\b|\bproduct:price:amount\b|"
    r"\"og:type\" content=\"product\b"
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


@dataclass(frozen=True, slots=True)
class Html:
    """A web page. The text of record is made here, like Markdown: `## ` headings, `- ` items, fenced code, `|` rows,
    `[text](address)` for links that lead elsewhere, `![description]` for pictures, `[^1]` for marks of notes.

    Text that is not the page's own (navigation, headers, footers, teasers) has the role nav, header or
    footer. Exports of chats are written message by message. Texts and choices in a form are read. Scripts are left
    out; so are hidden text, buttons, fields of one line, choices that are not made, and what stands in for scripts and
    media, which warnings count.
    """

    recipe: str = "html-3"
    media_type: str = "text/html"

    @pause_gc()
    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` ("empty") for a page without visible text."""
        text, warnings = decode_page(data)
        text = CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " "))
        text = SELF_CLOSED.sub(_expand_self_closed, text) if XML.match(text) else text
        if (chat := read_chat_page(text)) is not None:
            record, blocks = write_conversation(chat)
            return close_if_marked(
                Extraction(record, blocks, self.media_type, chat.title or None, chat.meta, warnings), text
            )
        failed: list[FailedStep] = []
        try:
            page = _read_page(text)
        except TooDeep:
            page = Page(parse_tree("").body)
            warnings = (*warnings, "elements nest too deep; the page was read as a flat text")
            writer = _write_flat(text)
        else:
            product = PRODUCT.search(text) is not None
            attempt_step(FURNITURE, lambda: assign_roles(page.body, product=product), failed)
            attempt_step("broken lists and tables were not mended", lambda: repair_tree(page.body), failed)
            writer = attempt_step(FLAT, partial(_write_page, page), failed, timed=False) or _write_flat(text)
        record = writer.record()
        blocks = tuple(mark_toc_blocks(writer.blocks(), record))
        if not blocks:
            raise Refused("empty", _explain_empty(page, path))
        warnings = (*warnings, *_warn_omissions(page), *warn_failed_steps(failed))
        heading = next((b.text for b in blocks if b.type == "heading" and b.level == 1 and b.role == "body"), None)
        title = page.meta.get("og:title") or page.title or find_named_title(page.body) or heading
        meta = _collect_meta(page) | ({KEY: RESTRICTED} if find_marked_tags(text) else {})
        return close_if_marked(Extraction(record, blocks, self.media_type, title, meta, warnings), text)


def _write_page(page: Page) -> Writer:
    writer = Writer()
    writer.put(page.body)
    return writer


def _write_flat(text: str) -> Writer:
    """What a page shows, without its structure."""
    writer = Writer()
    for found in find_visible_text(text, 0, len(text)):
        writer.put_piece(found)
    return writer


def _read_page(text: str) -> Page:
    page = parse_tree(text)
    if page.hidden and not page.body.text:  # a program shows it
        page = parse_tree(text, sheets=False)
    whole = page.body.text + page.aside
    page = page if page.aside <= COVERED * whole else parse_tree(text, aria=False)
    if page.body.text or "<noscript" not in text.lower():
        return page
    other = parse_tree(text, scripts=False)
    said = "".join(collect_texts(other.body)).strip()
    return other if said and not (len(said) <= SCRIPT_NOTICE and SCRIPTS.search(said)) else page


def _warn_omissions(page: Page) -> Iterator[str]:
    """What a reader may miss."""
    if page.hidden:
        yield f"hidden text was left out: {page.hidden:,} characters in {_format_count(page.parts, 'place')}"
    if page.apart:
        where = _format_count(page.controls, "place")
        yield f"controls, and text in place of scripts and media, were left out: {page.apart:,} characters in {where}"
    if page.frames:
        shown = _format_count(page.frames, "other page")
        yield f"the page shows {shown} in frames, of which it holds only the addresses"


def _format_count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' if n > 1 else ''}"


def _expand_self_closed(match: re.Match[str]) -> str:
    """An element that is closed at once, as HTML has it."""
    name = match[1].lower()
    return match[0] if name in VOID else f"<{match[1]}{match[2][:-1]}></{match[1]}>"


def _explain_empty(page: Page, path: str) -> str:
    if page.hidden:
        return f"{path} shows no text: all {page.hidden:,} characters of it are hidden; save the page as it is shown"
    if page.frames:
        return f"{path} only shows other pages in frames; save those pages themselves"
    return f"{path} holds no visible text; a page that scripts fill must be saved after they ran"


def _collect_meta(page: Page) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    dates = (iso_date(page.meta[name]) for name in DATE_NAMES if name in page.meta)
    if found := next(filter(None, dates), None):
        meta["date"] = found
    if description := next((page.meta[name] for name in DESCRIPTION_NAMES if name in page.meta), None):
        meta["description"] = description
    if author := page.meta.get("author"):
        meta["author"] = author
    if level := page.meta.get(KEY):
        meta[KEY] = level.lower()
    if page.language:
        meta["language"] = page.language
    return meta


def parse_html(data: bytes, *, path: str) -> Extraction:
    """Extract a page; see `Html`."""
    return Html().extract(data, path=path)
