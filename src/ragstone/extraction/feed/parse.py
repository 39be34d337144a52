"""XML files: feeds (RSS, Atom) to their entries, pages and documents that are written as XML, others as they are."""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from html.entities import name2codepoint

from ragstone.core.errors import Refused
from ragstone.core.plural import format_count
from ragstone.core.types import Extraction, Json
from ragstone.extraction.archive import PROLOG, Element, parse_xml
from ragstone.extraction.feed.document_elements import ROOTS
from ragstone.extraction.feed.documents import is_document, read_document
from ragstone.extraction.feed.elements import element_name, read_content, read_title
from ragstone.extraction.feed.fields import is_unseen, read_fields
from ragstone.extraction.feed.journal_articles import prepare_article
from ragstone.extraction.html.parse import Html
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.dates import iso_date
from ragstone.extraction.record.shared_words import covers

FEEDS = frozenset(("rss", "feed", "RDF"))
CONTENT = ("encoded", "content", "description", "summary")  # the fullest first
DATES = ("pubDate", "published", "date", "issued", "updated", "modified")
AUTHORS = ("creator", "author")
ADDRESS = re.compile(r"https?://[^\s<>]{3,500}")
# One that only names what it is, as RSS 0.91 does; one with a part of its own in brackets declares entities.
DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[\]<>]{0,1000}>")
# In a document such a part gives short names to words: manuals do so with their program and its version.
DECLARING = re.compile(rb"<!DOCTYPE\s+([\w.-]{1,40})[^\[\]<>]{0,1000}\[([^\]]{0,20000})\]\s*>")
DECLARED = re.compile(rb"<!ENTITY\s+([A-Za-z][\w.-]{0,60})\s+[\"']([^\"'&<%]{0,60})[\"']\s*>")
REFERENCE = re.compile(rb"&([A-Za-z][\w.-]{0,60});")
UNKNOWN = re.compile(rb"&(?!#|(?:amp|lt|gt|quot|apos);)([\w.-]{1,60});")
ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,9});")
OF_XML = ("amp", "lt", "gt", "quot", "apos")
UNREADABLE = "the file is not readable XML; it was kept as plain text"


@dataclass(frozen=True, slots=True)
class Feed:
    """XML. Of a feed each entry is a section: its title, when, who and where, then what it says.

    A document is its headings, paragraphs, lists, code and tables. Any other file is read as plain text.
    """

    recipe: str = "feed/3"
    media_type: str = "application/xml"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, and empty for a feed without an entry or title."""
        return self.read(parse_root(data, path), data, path=path)

    def read(self, root: Element | None, data: bytes, *, path: str) -> Extraction:
        """A file by its root, None if it is not XML. Raises as `extract` does."""
        if root is None:
            found = PlainText(media_type=self.media_type).extract(data, path=path)
            return replace(found, warnings=(*found.warnings, UNREADABLE))
        kind = element_name(root)
        if kind == "html":
            return replace(Html().extract(data, path=path), media_type=self.media_type)
        if is_document(root):
            meta = prepare_article(root) if kind == "article" else {}
            record, blocks = write_record(read_document(root))
            first = next((block.text for block in blocks if block.type == "heading"), None)
            return Extraction(record, blocks, self.media_type, first, meta, ())
        if kind not in FEEDS:
            return PlainText(media_type=self.media_type).extract(data, path=path)
        about = next((child for child in root if element_name(child) == "channel"), root)
        warnings: list[str] = []
        record, blocks = write_record(_read_feed(root, about, warnings))
        if not blocks:
            raise Refused("empty", f"{path} is a feed without an entry")
        title = read_title(_find_child(about, "title")) or None
        return Extraction(record, blocks, self.media_type, title, _collect_meta(about), tuple(dict.fromkeys(warnings)))


def parse_root(data: bytes, path: str) -> Element | None:
    """The root of the file, None if it is not XML. Names that only a document type declares are replaced first."""
    with suppress(Refused):
        return parse_xml(data, path=path, name="the file")
    with suppress(Refused):
        return parse_xml(ENTITY.sub(_replace_entity, _drop_doctype(data)), path=path, name="the file")
    with suppress(Refused):
        return parse_xml(_insert_words(data), path=path, name="the file")
    return None


def _drop_doctype(data: bytes) -> bytes:
    """The file without its document type, if that declares nothing."""
    start = PROLOG.match(data, len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    declared = DOCTYPE.match(data, start.end()) if start else None
    return data[: declared.start()] + data[declared.end() :] if declared else data


def _insert_words(data: bytes) -> bytes:
    """A document without its document type, with the words in place of the names that this declares; of names that
    other files declare the names."""
    start = PROLOG.match(data, len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    declaring = DECLARING.match(data, start.end()) if start else None
    if declaring is None or declaring[1].decode("latin-1") not in ROOTS:
        return data
    words = dict(DECLARED.findall(declaring[2]))

    def replace_name(reference: re.Match[bytes]) -> bytes:
        return words[reference[1]] if reference[1] in words else _replace_entity(reference)

    body = REFERENCE.sub(replace_name, data[declaring.end() :])
    return data[: declaring.start()] + UNKNOWN.sub(rb"\1", body)


def _replace_entity(entity: re.Match[bytes]) -> bytes:
    """A character by its name in HTML, as feeds write them."""
    name = entity[1].decode("ascii")
    return f"&#{name2codepoint[name]};".encode() if name in name2codepoint and name not in OF_XML else entity[0]


def _read_feed(root: Element, about: Element, warnings: list[str]) -> Iterator[BlockDraft]:
    title = read_title(_find_child(about, "title"), warnings)
    yield BlockDraft("heading", title, level=1)
    yield from read_content(_find_child(about, "description", "subtitle", "tagline"), title, warnings)
    unseen = 0
    for entry in (*root, *(about if about is not root else ())):
        if element_name(entry) in ("item", "entry"):
            if is_unseen(entry):
                unseen += 1
            else:
                yield from _read_entry(entry, warnings)
    if unseen:
        warnings.append(format_count(unseen, "entry was", "entries were") + " left out that the site does not show")


def _read_entry(entry: Element, warnings: list[str]) -> Iterator[BlockDraft]:
    title = read_title(_find_child(entry, "title"), warnings)
    yield BlockDraft("heading", title or "Untitled", level=2)
    yield BlockDraft("paragraph", _format_byline(entry))
    yield from _read_entry_content(entry, title, warnings)
    yield from read_fields(entry, title, warnings)


def _read_entry_content(entry: Element, title: str, warnings: list[str]) -> Iterator[BlockDraft]:
    """The fullest of what an entry says, before it what the others say beside: most are excerpts of it."""
    fullest: list[BlockDraft] = []
    kept: list[BlockDraft] = []
    for name in CONTENT:
        warned: list[str] = []
        drafts = list(read_content(_find_content(entry, name), title, warned))
        if not fullest:
            fullest = drafts
        elif not covers((*fullest, *kept), drafts):
            kept += drafts
        else:
            continue
        warnings += warned
    yield from kept
    yield from fullest


def _find_content(entry: Element, name: str) -> Element | None:
    """What an entry says by this name; one about a video says it in its group."""
    groups = (one for one in entry if element_name(one) == "group")
    return next((found for one in (entry, *groups) if (found := _find_child(one, name)) is not None), None)


def _format_byline(entry: Element) -> str:
    """When, who, where: on one line."""
    names = (read_title(_find_child(one, "name")) or read_title(one) for one in _find_children(entry, AUTHORS))
    parts = (_find_date(entry), ", ".join(dict.fromkeys(filter(None, names))), _find_address(entry))
    return " · ".join(filter(None, parts))


def _find_address(entry: Element) -> str:
    for link in _find_children(entry, ("link", "guid", "id")):
        rel = link.get("rel") or "alternate"
        target = (link.get("href") or link.text or "").strip()
        if rel == "alternate" and ADDRESS.fullmatch(target):
            return target
    return ""


def _find_date(entry: Element) -> str:
    text = read_title(_find_child(entry, *DATES))
    if not text:
        return ""
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        return parsedate_to_datetime(text).isoformat()
    return iso_date(text) or ""


def _collect_meta(about: Element) -> Json:
    meta: Json = {}
    if date := _find_date(about) or next(filter(None, map(_find_date, _find_children(about, ("item", "entry")))), ""):
        meta["date"] = date
    if description := read_title(_find_child(about, "description", "subtitle")):
        meta["description"] = description
    if language := read_title(_find_child(about, "language")) or about.get(
        "{http://www.w3.org/XML/1998/namespace}lang"
    ):
        meta["language"] = language
    return meta


def _find_children(element: Element, names: tuple[str, ...]) -> list[Element]:
    """The children of these names, the names in order."""
    return [child for name in names for child in element if element_name(child) == name]


def _find_child(element: Element, *names: str) -> Element | None:
    """The first child with text by these names, the names in order."""
    found = _find_children(element, names)
    return next((one for one in found if "".join(map(str, one.itertext())).strip()), None)
