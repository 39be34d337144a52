"""Word documents to a text of record like Markdown, with blocks and spans in it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Role
from ragstone.extraction.docx.body import StoryReader
from ragstone.extraction.docx.notes import Notes
from ragstone.extraction.docx.numbering import Numbering
from ragstone.extraction.docx.styles import Styles
from ragstone.extraction.ooxml.elements import Element, R, W
from ragstone.extraction.ooxml.package import Package, read_related
from ragstone.extraction.ooxml.properties import attempt_properties
from ragstone.extraction.record.builder import BlockDraft, write_record

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES, LABELS = "styles were not read", "labels of lists were not read"
NAMED = 5  # embedded documents in a message
MARGINS: tuple[tuple[str, Role], ...] = (("header", "header"), ("footer", "footer"))


def parse_docx(data: bytes, *, path: str) -> Extraction:
    """The document as its reader sees it, all tracked changes accepted.

    Raises `Refused`: encrypted, unsupported (of before 2007), broken, too_large, empty, no_text (pictures only).
    """
    package = Package(data, path=path)
    part, root = package.main()
    body = root.find(W + "body")
    if body is None:
        raise Refused("broken", f"{path} holds no text body; open it in Word and save it again")
    styles = package.attempt(STYLES, lambda: Styles(read_related(package, part, "styles"))) or Styles(None)
    numbering = package.attempt(LABELS, lambda: Numbering(read_related(package, part, "numbering"), styles))
    numbering = numbering or Numbering(None, styles)
    notes = Notes(package, part)
    story = StoryReader(package, part, styles=styles, numbering=numbering, notes=notes)
    text = story.read(body, part=part)
    heads, feet = (_attempt_margins(body, story, package, part, kind, role) for kind, role in MARGINS)
    read = [*heads, *text, *feet]
    drafts = package.attempt("captions were not set before their tables", lambda: list(order_blocks(read))) or read
    promoted = not any(draft.role == "body" for draft in drafts)
    if promoted and story.inline.pictures + len(story.embedded.unread):
        raise _empty_refusal(path, story)
    record, blocks = write_record(replace(draft, role="body") if promoted else draft for draft in drafts)
    if not blocks:
        raise _empty_refusal(path, story)
    title, meta = attempt_properties(package)
    comments = package.attempt(
        "comments were not read", lambda: notes.read_comments(read_related(package, part, "comments"))
    )
    if comments:
        meta["comments"] = comments
    first = next((b.text for b in blocks if b.type == "heading" and b.level == 1 and b.role == "body"), None)
    return Extraction(
        record, blocks, MEDIA_TYPE, title or first, meta, tuple(_warnings(package, story, promoted=promoted))
    )


def _attempt_margins(
    body: Element, story: StoryReader, package: Package, part: str, kind: str, role: Role
) -> list[BlockDraft]:
    read = partial(_read_margins, body, story, package, part, kind, role)
    return package.attempt(f"{kind}s were not read", lambda: list(read())) or []


def _read_margins(
    body: Element, story: StoryReader, package: Package, part: str, kind: str, role: Role
) -> Iterator[BlockDraft]:
    """The headers or footers of all sections, each text once."""
    names: list[str] = []
    for section in body.iter(W + "sectPr"):
        for reference in section.iterchildren(W + f"{kind}Reference"):
            link = package.links(part).get(reference.get(R + "id") or "")
            if link is not None and not link.outside:
                names.append(link.target)
    seen: set[tuple[str, str]] = set()
    for name in dict.fromkeys(names):
        root = package.part(name)
        for draft in story.read(root, part=name, role=role) if root is not None else ():
            if (draft.type, draft.text) not in seen or draft.type == "table":
                seen.add((draft.type, draft.text))
                yield draft


def _empty_refusal(path: str, story: StoryReader) -> Refused:
    if unread := story.embedded.unread:
        what = f"nothing but embedded documents that are not read ({', '.join(unread[:NAMED])})"
        return Refused("unsupported", f"{path} holds {what}; open it in Word and save it again, which makes them text")
    if story.inline.pictures:
        return Refused(
            "no_text",
            f"{path} holds {story.inline.pictures} pictures and no text but in headers and footers; "
            "make it a PDF and read that with OCR",
        )
    return Refused("empty", f"{path} holds no text")


def _warnings(package: Package, story: StoryReader, *, promoted: bool) -> Iterator[str]:
    yield from package.warnings
    yield from package.failed_steps()
    yield from story.embedded.warnings
    inline = story.inline
    if promoted:
        yield "only headers, footers or contents hold text: it was read as the document's own"
    if story.notes.missing:
        yield f"{story.notes.missing} marks of notes were left out: the notes are missing"
    if inline.deleted:
        yield f"tracked changes were read as accepted: {inline.deleted} deleted or moved pieces are left out"
    if inline.hidden:
        yield f"{inline.hidden} characters of hidden text were left out"
    if inline.unknown:
        yield f"{inline.unknown} signs of symbol fonts are not known and were left out"
    if unread := story.embedded.unread:
        yield f"embedded documents were not read: {', '.join(unread[:NAMED])}"


def order_blocks(drafts: Iterable[BlockDraft]) -> Iterator[BlockDraft]:
    """The blocks as they are written."""
    yield from _move_captions_first(list(_join_code(drafts)))


def _join_code(drafts: Iterable[BlockDraft]) -> Iterator[BlockDraft]:
    code: list[BlockDraft] = []
    for draft in drafts:
        if code and (draft.type != "code" or draft.role != code[0].role):
            yield replace(code[0], text="\n".join(line.text for line in code).strip("\n"))
            code = []
        if draft.type == "code":
            code.append(draft)
        else:
            yield draft
    if code:
        yield replace(code[0], text="\n".join(line.text for line in code).strip("\n"))


def _move_captions_first(drafts: Sequence[BlockDraft]) -> Iterator[BlockDraft]:
    """A caption right behind a table that has none before it is set before it, for a table is read with its name."""
    at = 0
    captioned = False
    while at < len(drafts):
        draft = drafts[at]
        behind = drafts[at + 1] if at + 1 < len(drafts) else None
        after = drafts[at + 2] if at + 2 < len(drafts) else None
        if (
            draft.type == "table"
            and not captioned
            and behind is not None
            and behind.caption
            and (after is None or after.type != "table")
        ):
            yield behind
            yield draft
            at += 2
            captioned = False
            continue
        yield draft
        captioned = draft.caption
        at += 1
