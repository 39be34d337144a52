"""XML files: feeds (RSS, Atom) to their entries, pages that are written as XML, others as the text that they are."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime

from ragstone.errors import Refused
from ragstone.extract.archive import Element, xml
from ragstone.extract.dates import iso_date
from ragstone.extract.docx.record import Draft, adopted, written
from ragstone.extract.html import Html
from ragstone.extract.text import Text
from ragstone.types import Extraction, Json

FEEDS = frozenset(("rss", "feed", "RDF"))
CONTENT = ("encoded", "content", "description", "summary")  # the fullest first
DATES = ("pubDate", "published", "date", "issued", "updated", "modified")
AUTHORS = ("creator", "author")
ADDRESS = re.compile(r"https?://[^\s<>]{3,500}")
LONGEST = 500  # characters of a title or name
DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Feed:
    """XML. Of a feed each entry is a section: its title, when, who and where, then what it says.

    What is no feed and no page is kept as it is written, as plain text is.
    """

    recipe: str = "feed-1"
    media_type: str = "application/xml"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, and empty for a feed without an entry or title."""
        try:
            root = xml(data, path=path, name="the file")
        except Refused:
            return Text(media_type=self.media_type).extract(data, path=path)
        kind = _local(root)
        if kind == "html":
            return replace(Html().extract(data, path=path), media_type=self.media_type)
        if kind not in FEEDS:
            return Text(media_type=self.media_type).extract(data, path=path)
        about = next((child for child in root if _local(child) == "channel"), root)
        warnings: list[str] = []
        record, blocks = written(_drafts(root, about, warnings))
        if not blocks:
            raise Refused("empty", f"{path} is a feed without an entry")
        title = _words(_child(about, "title")) or None
        return Extraction(record, blocks, self.media_type, title, _meta(about), tuple(dict.fromkeys(warnings)))


def _drafts(root: Element, about: Element, warnings: list[str]) -> Iterator[Draft]:
    yield Draft("heading", _words(_child(about, "title")), level=1)
    yield Draft("paragraph", _words(_child(about, "description", "subtitle", "tagline")))
    for entry in (*root, *(about if about is not root else ())):
        if _local(entry) in ("item", "entry"):
            yield from _entry(entry, warnings)


def _entry(entry: Element, warnings: list[str]) -> Iterator[Draft]:
    title = _words(_child(entry, "title"))
    yield Draft("heading", title or "Untitled", level=2)
    yield Draft("paragraph", _about(entry))
    for name in CONTENT:
        drafts = list(_content(_child(entry, name), title, warnings))
        if drafts:
            yield from drafts
            return


def _about(entry: Element) -> str:
    """When, who, where: on one line."""
    names = (_words(_child(one, "name")) or _words(one) for one in _children(entry, AUTHORS))
    parts = (_date(entry), ", ".join(dict.fromkeys(filter(None, names))), _address(entry))
    return " · ".join(filter(None, parts))


def _content(element: Element | None, title: str, warnings: list[str]) -> Iterator[Draft]:
    """What an entry says, mostly a page within the text; its headings stand below the entry's own."""
    if element is None:
        return
    inside = "".join(str(text) for text in element.itertext())
    if not inside.strip():
        return
    try:
        extraction = Html().extract(f"<body><article>{inside}</article>".encode(errors="replace"), path="feed")
    except Refused:
        return
    warnings.extend(f"{title or 'an entry'}: {warning}" for warning in extraction.warnings)
    for draft in adopted(extraction):
        yield replace(draft, level=min(DEEPEST, draft.level + 2)) if draft.type == "heading" else draft


def _address(entry: Element) -> str:
    for link in _children(entry, ("link", "guid", "id")):
        rel = link.get("rel") or "alternate"
        target = (link.get("href") or link.text or "").strip()
        if rel == "alternate" and ADDRESS.fullmatch(target):
            return target
    return ""


def _date(entry: Element) -> str:
    text = _words(_child(entry, *DATES))
    with suppress(TypeError, ValueError, IndexError, OverflowError):
        return parsedate_to_datetime(text).isoformat()
    return iso_date(text) or ""


def _meta(about: Element) -> Json:
    meta: Json = {}
    if date := _date(about) or next(filter(None, map(_date, _children(about, ("item", "entry")))), ""):
        meta["date"] = date
    if description := _words(_child(about, "description", "subtitle")):
        meta["description"] = description
    if language := _words(_child(about, "language")) or about.get("{http://www.w3.org/XML/1998/namespace}lang"):
        meta["language"] = language
    return meta


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _children(element: Element, names: tuple[str, ...]) -> list[Element]:
    """The children of these names, the names in order."""
    return [child for name in names for child in element if _local(child) == name]


def _child(element: Element, *names: str) -> Element | None:
    """The first child with text by these names, the names in order."""
    found = _children(element, names)
    return next((one for one in found if "".join(map(str, one.itertext())).strip()), None)


def _words(element: Element | None) -> str:
    """A name or title on one line; markup within the text is left out."""
    if element is None:
        return ""
    text = "".join(map(str, element.itertext()))[: 4 * LONGEST]
    if "<" in text or "&" in text:
        with suppress(Refused):
            blocks = Html().extract(f"<p>{text}".encode(errors="replace"), path="feed").blocks
            text = " ".join(block.text for block in blocks)
    return " ".join(text.split())[:LONGEST]


def parse(data: bytes, *, path: str) -> Extraction:
    """What `Feed` makes of a file."""
    return Feed().extract(data, path=path)
