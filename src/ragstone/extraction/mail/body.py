"""The message among the parts of a mail: all parts that are read, and one of those that say the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.message import Message

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.cards import NOTHING, Cards
from ragstone.extraction.html.parse import Html
from ragstone.extraction.mail.mime import cut_name, decode_part_text, decode_payload, part_filename, part_type, subparts
from ragstone.extraction.media_types import CALENDAR, CARD
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks
from ragstone.extraction.record.confidentiality import KEY, says_restricted
from ragstone.extraction.record.shared_words import covers

PAGES = ("text/html", "application/xhtml+xml")
PLAIN = ("text/plain", "text/enriched", "text/richtext")
# Texts by name that no reader is shown.
CODE = ("text/css", "text/javascript", "text/ecmascript", "text/rtf", "text/x-amp-html", "text/watch-html")
CARDS = {"text/calendar": CALENDAR, "text/x-vcalendar": CALENDAR, "text/vcard": CARD, "text/x-vcard": CARD}
SIGNATURES = frozenset(f"application/{kind}-signature" for kind in ("pgp", "pkcs7", "x-pkcs7"))
INVITATION = "invitation"  # in place of the type of a calendar that was read
DEEPEST = 6  # levels of headings
COMMAND = re.compile(r"<param>[^<]{0,1000}</param>|</?[a-z][\w-]{0,60}>", re.IGNORECASE)
CONTINUED = re.compile(r"\n[ \t]")


@dataclass(slots=True)
class PartContent:
    """The content of one or more parts: their blocks, the types of unread parts, and what says that not everyone may
    see it."""

    drafts: list[BlockDraft] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    def add(self, other: "PartContent") -> None:
        if self.drafts:
            self.drafts += other.drafts
        else:
            self.drafts = other.drafts
        self.warnings += other.warnings
        self.unread += other.unread
        self.kinds += other.kinds
        self.marks += other.marks

    @property
    def is_page(self) -> bool:
        return any(one in PAGES for one in self.kinds)

    @property
    def is_plain(self) -> bool:
        return bool(self.kinds) and all(one in PLAIN for one in self.kinds)

    @property
    def is_invitation(self) -> bool:
        return self.kinds == [INVITATION]


@dataclass(slots=True)
class _OpenPart:
    part: Message
    parts: Iterator[Message]
    found: list[PartContent] = field(default_factory=list)


def read_body(message: Message, *, path: str) -> PartContent:
    """Every part in order, attachments left out; of alternatives the plain text, else the page, else the last.

    The page goes before a plain text that does not say all of it.
    """
    stack = [_OpenPart(message, iter((message,)))]
    while True:
        now = stack[-1]
        part = next(now.parts, None)
        if part is not None:
            parts = subparts(part)
            if parts is None:
                now.found.append(_read_part(part, path=path, whole=part is message))
            else:
                stack.append(_OpenPart(part, iter(parts)))
            continue
        stack.pop()
        said = (
            _choose_content(now.found)
            if now.part.get_content_type() == "multipart/alternative"
            else _join_contents(now.found)
        )
        if not stack:
            return said
        stack[-1].found.append(said)


def attachment_name(part: Message, *, whole: bool = False) -> str:
    """The name of an attachment; "" for a part of the message itself, as the `whole` mail is if it is a text."""
    disposition = part.get_content_disposition()
    is_text = part_type(part).startswith("text/")
    if part_type(part) in CARDS and part.get_param("method"):  # an invitation, which many mailers name as a file too
        return ""
    if is_text and (whole or disposition == "inline"):
        return ""
    if name := part_filename(part):
        return cut_name(name)
    return part_type(part) if disposition == "attachment" or part.get_content_maintype() == "message" else ""


def _join_contents(found: list[PartContent]) -> PartContent:
    said = PartContent()
    for one in found:
        said.add(one)
    return said


def _choose_content(found: list[PartContent]) -> PartContent:
    """One of several that say the same; what is neither text nor page and was not chosen counts as unread."""
    plain = next((one for one in found if one.drafts and one.is_plain), None)
    page = next((one for one in reversed(found) if one.drafts and one.is_page), None)
    said = plain or page or next((one for one in reversed(found) if one.drafts), None)
    if said is None:
        return _join_contents(found)
    if plain is not None and page is not None and not covers(plain.drafts, page.drafts):
        said = page
    for one in found:
        if one is said:
            continue
        said.marks += one.marks
        if one.is_invitation:  # programs read it, and of some mails nothing else says when and where
            if not covers(said.drafts, one.drafts):
                said.drafts += one.drafts
            continue
        said.unread += (name for name in (*one.unread, *one.kinds) if name not in (*PAGES, *PLAIN))
    return said


def _read_part(part: Message, *, path: str, whole: bool) -> PartContent:
    """What a leaf says; nothing of a signature, nor of an attachment, which is a document of its own."""
    name = part_type(part)
    if name in SIGNATURES or attachment_name(part, whole=whole) or not decode_payload(part).strip():
        return PartContent()
    try:
        found, warnings = _extract_part(part, name, path)
    except Refused:
        return PartContent(unread=[name])
    is_card = found.media_type in CARDS
    drafts = [lower_heading(draft) if is_card else draft for draft in adopt_blocks(found)]
    marks = ["a part of a mail is marked as restricted"] if says_restricted(found.meta.get(KEY)) else []
    kinds = [INVITATION if found.media_type == CALENDAR else name]
    return PartContent(drafts, [*warnings, *found.warnings], kinds=kinds, marks=marks)


def lower_heading(draft: BlockDraft) -> BlockDraft:
    """A heading within a message stands below its subject."""
    return replace(draft, level=min(DEEPEST, draft.level + 1)) if draft.type == "heading" else draft


def _extract_part(part: Message, name: str, path: str) -> tuple[Extraction, tuple[str, ...]]:
    if name in CODE or not (name.startswith("text/") or name in PAGES):
        raise Refused("unsupported", f"{path} holds a part of type {name}, which is not read")
    said, warnings = decode_part_text(part)
    if name in ("text/enriched", "text/richtext"):
        said = COMMAND.sub("", said.replace("<<", "\0")).replace("\0", "<")
    elif name not in (*PLAIN, *PAGES):
        said = CONTINUED.sub("", said)  # calendars and cards, the rest of a long line on the next
    if name in CARDS:
        found = Cards(CARDS[name]).extract(said.encode(errors="replace"), path=path)
        if NOTHING not in found.warnings:
            return found, warnings
    read: Html | PlainText = Html() if name in PAGES else PlainText()
    return read.extract(said.encode(errors="replace"), path=path), warnings
