"""The message among the parts of a mail: all parts that are read, and one of those that say the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.html.parse import Html
from ragstone.extraction.mail.mime import filename, inside, kind, payload, text
from ragstone.extraction.plain_text import Text
from ragstone.extraction.record.builder import Draft, adopted
from ragstone.extraction.record.containment import covers

PAGES = ("text/html", "application/xhtml+xml")
PLAIN = ("text/plain", "text/enriched", "text/richtext")
# Texts by name that no reader is shown.
CODE = ("text/css", "text/javascript", "text/ecmascript", "text/rtf", "text/x-amp-html", "text/watch-html")
COMMAND = re.compile(r"<param>[^<]{0,1000}</param>|</?[a-z][\w-]{0,60}>", re.IGNORECASE)
CONTINUED = re.compile(r"\n[ \t]")


@dataclass(slots=True)
class Said:
    """What a part says, or several: its blocks, and the types of what was not read."""

    drafts: list[Draft] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, other: "Said") -> None:
        if self.drafts:
            self.drafts += other.drafts
        else:
            self.drafts = other.drafts
        self.warnings += other.warnings
        self.unread += other.unread
        self.kinds += other.kinds

    @property
    def is_page(self) -> bool:
        return any(one in PAGES for one in self.kinds)

    @property
    def is_plain(self) -> bool:
        return bool(self.kinds) and all(one in PLAIN for one in self.kinds)


@dataclass(slots=True)
class _Open:
    part: Message
    parts: Iterator[Message]
    found: list[Said] = field(default_factory=list)


def body(message: Message, *, path: str) -> Said:
    """Every part in order, attachments left out; of alternatives the plain text, else the page, else the last.

    The page goes before a plain text that does not say all of it.
    """
    stack = [_Open(message, iter((message,)))]
    while True:
        now = stack[-1]
        part = next(now.parts, None)
        if part is not None:
            parts = inside(part)
            if parts is None:
                now.found.append(_read(part, path=path, whole=part is message))
            else:
                stack.append(_Open(part, iter(parts)))
            continue
        stack.pop()
        said = _chosen(now.found) if now.part.get_content_type() == "multipart/alternative" else _joined(now.found)
        if not stack:
            return said
        stack[-1].found.append(said)


def attached(part: Message, *, whole: bool = False) -> str:
    """The name of an attachment; "" for a part of the message itself, as the `whole` mail is if it is a text."""
    disposition = part.get_content_disposition()
    is_text = kind(part).startswith("text/")
    if is_text and (whole or disposition == "inline"):
        return ""
    if name := filename(part):
        return name[:200]
    return kind(part) if disposition == "attachment" or part.get_content_maintype() == "message" else ""


def _joined(found: list[Said]) -> Said:
    said = Said()
    for one in found:
        said.add(one)
    return said


def _chosen(found: list[Said]) -> Said:
    """One of several that say the same; what is neither text nor page and was not chosen counts as unread."""
    plain = next((one for one in found if one.drafts and one.is_plain), None)
    page = next((one for one in reversed(found) if one.drafts and one.is_page), None)
    said = plain or page or next((one for one in reversed(found) if one.drafts), None)
    if said is None:
        return _joined(found)
    if plain is not None and page is not None and not covers(plain.drafts, page.drafts):
        said = page
    for one in found:
        if one is not said:
            said.unread += (name for name in (*one.unread, *one.kinds) if name not in (*PAGES, *PLAIN))
    return said


def _read(part: Message, *, path: str, whole: bool) -> Said:
    """What a leaf says; nothing of an attachment, which has its own warning."""
    name = kind(part)
    if attached(part, whole=whole) or not payload(part).strip():
        return Said()
    try:
        found, warnings = _extraction(part, name, path)
    except Refused:
        return Said(unread=[name])
    return Said(list(adopted(found)), [*warnings, *found.warnings], kinds=[name])


def _extraction(part: Message, name: str, path: str) -> tuple[Extraction, tuple[str, ...]]:
    if name in CODE or not (name.startswith("text/") or name in PAGES):
        raise Refused("unsupported", f"{path} holds a part of type {name}, which is not read")
    said, warnings = text(part)
    if name in ("text/enriched", "text/richtext"):
        said = COMMAND.sub("", said.replace("<<", "\0")).replace("\0", "<")
    elif name not in (*PLAIN, *PAGES):
        said = CONTINUED.sub("", said)  # calendars and cards, the rest of a long line on the next
    read = Html() if name in PAGES else Text()
    return read.extract(said.encode(errors="replace"), path=path), warnings
