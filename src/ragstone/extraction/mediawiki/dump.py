"""Dumps of wikis (MediaWiki's export as XML): a section for each page, with its last revision."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import SAFE, Element
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.media_types import MEDIAWIKI, WIKI_PAGE
from ragstone.extraction.mediawiki.markup import WikiNames, read_markup
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, write_record

FILES, CATEGORIES = "6", "14"  # namespaces by their numbers
WIKITEXT = ("", "wikitext")
# A heading, a link, a table or emphasis; other wikis write headings in other ways.
MARKED = re.compile(
    r"^={1,6}[^=\n].{0,200}=[ \t]*\r?$|^\{\|[^\n|]*\n(?:\|[-+|!]|!)|\'\'\'|\[\[[^\[\]\n]{1,200}\]\]", re.MULTILINE
)
FOREIGN = re.compile(r"^[ \t]*\{\{\{", re.MULTILINE)  # code in Trac, MoinMoin, Creole and Vimwiki
LARGEST_TEXT = 10_000_000  # bytes of a file that is kept as plain text


@dataclass(slots=True)
class _Dump:
    """What is known of a dump: its names, how many pages were read, and why no more were."""

    names: WikiNames
    title: str = ""
    pages: int = 0
    fault: str = ""


def parse_dump(data: bytes, *, path: str) -> Extraction:
    """A heading for each page with its title, below it when and by whom it was changed last, then what it says. Pages
    are read one after the other; of a damaged dump those before the damage, with a warning. Where no page can be read,
    a file that is not too large is kept as plain text.

    Raises `Refused`: broken (no page can be read), empty (no page has text), encoding (of plain text).
    """
    dump = _Dump(WikiNames())
    record, blocks = write_record(_read_pages(data, dump))
    if not dump.pages:
        why = f"no page of this dump of a wiki can be read: {dump.fault or 'it holds none'}"
        if len(data) > LARGEST_TEXT:
            raise Refused("broken", f"{path}: {why}; export it again")
        text = PlainText().extract(data.replace(b"\0", b""), path=path)
        return replace(text, warnings=(*text.warnings, f"{why}; the file was kept as plain text"))
    if not blocks:
        raise Refused("empty", f"{path} holds no page with text")
    warnings = (f"the dump is damaged after page {dump.pages:,}: {dump.fault}",) if dump.fault else ()
    return Extraction(record, blocks, MEDIAWIKI, dump.title or None, {"pages": dump.pages}, warnings)


def parse_page(data: bytes, *, path: str) -> Extraction:
    """A page in a file of its own, as wikis on GitHub keep them. One without marks of MediaWiki is plain text.

    Raises `Refused`: encoding, empty.
    """
    text, warnings = decode_text(data, path=path)
    if FOREIGN.search(text) or not MARKED.search(text):
        return replace(PlainText().extract(data, path=path), media_type=WIKI_PAGE)
    record, blocks = write_record(read_markup(text, WikiNames()))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    title = next((block.text for block in blocks if block.type == "heading"), None)
    return Extraction(record, blocks, WIKI_PAGE, title, {}, warnings)


def _read_pages(data: bytes, dump: _Dump) -> Iterator[BlockDraft]:
    try:
        for _, element in etree.iterparse(io.BytesIO(data), tag=("{*}siteinfo", "{*}page"), **SAFE):
            if element_name(element) == "siteinfo":
                _read_site(element, dump)
            else:
                dump.pages += 1
                yield from _read_page(element, dump)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        dump.fault = " ".join((error.msg or "it is no XML").split())[:200]


def _read_site(site: Element, dump: _Dump) -> None:
    dump.title = _text(site, "sitename")
    for namespace in site.iter("{*}namespace"):
        name = (namespace.text or "").strip().lower()
        if name and namespace.get("key") in (FILES, CATEGORIES):
            (dump.names.files if namespace.get("key") == FILES else dump.names.categories).add(name)


def _read_page(page: Element, dump: _Dump) -> Iterator[BlockDraft]:
    yield BlockDraft("heading", " ".join(_text(page, "title").split()) or f"Page {dump.pages:,}", level=1)
    revisions = list(page.iterfind("{*}revision"))
    if not revisions:
        return
    last = max(reversed(revisions), key=lambda revision: _text(revision, "timestamp"))  # of equal ones the last
    contributor = last.find("{*}contributor")
    who = _text(contributor, "username") if contributor is not None else ""
    yield BlockDraft("paragraph", " · ".join(filter(None, (_text(last, "timestamp"), who))))
    if _text(last, "model") in WIKITEXT:
        yield from read_markup(_text(last, "text"), dump.names)
    else:
        yield BlockDraft("code", _text(last, "text"))


def _text(element: Element, name: str) -> str:
    return (element.findtext(f"{{*}}{name}") or "").strip()
