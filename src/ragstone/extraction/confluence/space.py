"""A space of Confluence exported as XML (`entities.xml`): a section for each page, with its comments below it."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.core.plural import format_count
from ragstone.core.types import Extraction
from ragstone.extraction.archive import SAFE, Element
from ragstone.extraction.confluence.storage import build_page
from ragstone.extraction.html.parse import Html
from ragstone.extraction.media_types import CONFLUENCE
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks, write_record
from ragstone.extraction.wiki.jira import JIRA, has_jira_marks
from ragstone.extraction.wiki.reader import read_wiki

PAGES = ("Page", "BlogPost")
PEOPLE = ("ConfluenceUserImpl", "InternalUser")
CURRENT = ("", "current")
OVER = ("containerContent", "owner", "page")  # of a comment: its page
VIEW = "View"  # the kind of permission that closes a page to others
DEEPEST = 6
NAMED = 3  # warnings of pages


@dataclass(slots=True)
class _Content:
    """A page, below the page `of` where there is one, or a comment on the page `of`."""

    title: str = ""
    when: str = ""
    who: str = ""
    of: str = ""


@dataclass(slots=True)
class _Space:
    """The current pages and comments by their ids, the texts by the ids of their content, names of people, and the ids
    of pages that only some people may view."""

    title: str = ""
    pages: dict[str, _Content] = field(default_factory=dict)
    comments: dict[str, _Content] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    fault: str = ""


def parse_space(data: bytes, *, path: str) -> Extraction:
    """A heading for each current page in the order of the file, below it when and by whom it was changed last, then its
    text and its comments. Earlier versions, drafts and deleted pages are left out, and with a warning pages that only
    some people may view. Of a damaged export the pages before the damage are read, with a warning.

    Raises `Refused`: broken (no page can be read), empty.
    """
    space = _read_space(data)
    if not space.pages:
        raise Refused("broken" if space.fault else "empty", f"{path} holds no page: {space.fault or 'it is empty'}")
    warnings = _leave_out_restricted(space)
    if not space.pages:
        raise Refused("empty", f"{path} holds no page that everyone may view; {warnings[0]}")
    record, blocks = write_record(_draft_pages(space, warnings))
    if space.fault:
        warnings.insert(0, f"the export is damaged after page {len(space.pages):,}: {space.fault}")
    meta = {"pages": len(space.pages)}
    return Extraction(record, blocks, CONFLUENCE, space.title or None, meta, tuple(warnings))


def _leave_out_restricted(space: _Space) -> list[str]:
    """Take out pages that only some people may view, and those below them, which Confluence shows to these alone; gives
    the warning."""
    known = dict.fromkeys(space.closed, True)
    for key in space.pages:
        path, at = [], key
        while at in space.pages and at not in known:
            known[at] = False  # ends a circle too
            path.append(at)
            at = space.pages[at].of
        known.update(dict.fromkeys(path, known.get(at, False)))
    shown = {key: page for key, page in space.pages.items() if not known[key]}
    left, space.pages = len(space.pages) - len(shown), shown
    return [f"{format_count(left, 'page')} left out that only some people may view"] if left else []


def _read_space(data: bytes) -> _Space:
    space = _Space()
    try:
        for _, element in etree.iterparse(io.BytesIO(data), tag="object", **(SAFE | {"huge_tree": False})):
            if element.getparent() is None or element.getparent().tag != "hibernate-generic":
                continue
            _read_object(element, space)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        space.fault = " ".join((error.msg or "it is no XML").split())[:200]
    return space


def _read_object(element: Element, space: _Space) -> None:
    kind, key = element.get("class") or "", _text(element, "id")
    if kind == "BodyContent":
        if owner := _reference(element, "content"):
            space.texts[owner] = _property(element, "body")
    elif kind == "Space":
        space.title = space.title or _property(element, "name")
    elif kind == "ContentPermissionSet" and _property(element, "type") == VIEW:
        space.closed.add(_reference(element, "owningContent"))
    elif kind in PEOPLE:
        space.people[key] = _property(element, "name")
    elif kind in (*PAGES, "Comment") and _is_current(element):
        found = _Content(
            " ".join(_property(element, "title").split()),
            _property(element, "lastModificationDate") or _property(element, "creationDate"),
            _reference(element, "lastModifier") or _reference(element, "creator"),
            _find_above(element, OVER if kind == "Comment" else ("parent",)),
        )
        (space.comments if kind == "Comment" else space.pages)[key] = found


def _find_above(element: Element, names: tuple[str, ...]) -> str:
    return next(filter(None, (_reference(element, name) for name in names)), "")


def _is_current(element: Element) -> bool:
    return not _reference(element, "originalVersion") and _property(element, "contentStatus") in CURRENT


def _draft_pages(space: _Space, warnings: list[str]) -> Iterator[BlockDraft]:
    by_page: dict[str, list[str]] = {}
    for key, comment in space.comments.items():
        by_page.setdefault(comment.of, []).append(key)
    warned = 0
    for key, page in space.pages.items():
        yield BlockDraft("heading", page.title or "Untitled", level=1)
        yield BlockDraft("paragraph", _byline(page, space))
        drafts, more = _read_text(space.texts.get(key, ""), space)
        yield from drafts
        for text in more:
            warned += 1
            if warned <= NAMED:
                warnings.append(f"{page.title[:80]}: {text}")
        comments = [(space.comments[one], *_read_text(space.texts.get(one, ""), space)) for one in by_page.get(key, ())]
        yield BlockDraft("heading", "Comments" if any(drafts for _, drafts, _ in comments) else "", level=2)
        for comment, said, _ in comments:
            if said:
                yield BlockDraft("paragraph", _byline(comment, space))
                yield from said
    if warned > NAMED:
        warnings.append(f"{format_count(warned - NAMED, 'more warning')} about other pages")


def _byline(content: _Content, space: _Space) -> str:
    return " · ".join(filter(None, (content.when.partition(".")[0], space.people.get(content.who, ""))))


def _read_text(storage: str, space: _Space) -> tuple[list[BlockDraft], tuple[str, ...]]:
    """The blocks of a text, headings below that of its page, and what its reader warns of."""
    if not storage.strip():
        return [], ()
    if "</" not in storage and has_jira_marks(storage):  # a page of before version 4
        return list(read_wiki(storage, JIRA, above=1)), ()
    try:
        page = f"<html><body><main>{build_page(storage, space.people)}</main></body></html>"
        found = Html().extract(page.encode(errors="replace"), path="page")
    except Refused:
        return [], ()
    lowered = (
        replace(draft, level=min(DEEPEST, draft.level + 1)) if draft.type == "heading" else draft
        for draft in adopt_blocks(found)
    )
    return list(lowered), found.warnings


def _text(element: Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _property(element: Element, name: str) -> str:
    """The value of a property; "" for one that is not there."""
    found = (one for one in element.iterchildren("property") if one.get("name") == name)
    return next(((one.text or "").strip() for one in found), "")


def _reference(element: Element, name: str) -> str:
    """The id of the object that a property names."""
    found = (one for one in element.iterchildren("property") if one.get("name") == name)
    return next((_text(one, "id") for one in found), "")
