"""Word documents to a text of record like Markdown, with blocks and spans in it."""

from collections.abc import Iterator

from ragstone.errors import Refused
from ragstone.extract.docx.notes import Notes
from ragstone.extract.docx.numbering import Numbering
from ragstone.extract.docx.ooxml import Element, R, W
from ragstone.extract.docx.order import ordered
from ragstone.extract.docx.package import Package, named
from ragstone.extract.docx.properties import properties
from ragstone.extract.docx.record import Draft, written
from ragstone.extract.docx.story import Story
from ragstone.extract.docx.styles import Styles
from ragstone.types import Extraction, Role

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARGINS: tuple[tuple[str, Role], ...] = (("header", "header"), ("footer", "footer"))


def parse(data: bytes, *, path: str) -> Extraction:
    """The document as its reader sees it, all tracked changes accepted.

    Raises `Refused`: encrypted, unsupported (of before 2007), broken, too_large, empty, no_text (pictures only).
    """
    package = Package(data, path=path)
    part, root = package.main()
    body = root.find(W + "body")
    if body is None:
        raise Refused("broken", f"{path} holds no text body; open it in Word and save it again")
    styles = Styles(named(package, part, "styles"))
    numbering = Numbering(named(package, part, "numbering"), styles)
    notes = Notes(package, part)
    story = Story(package, part, styles=styles, numbering=numbering, notes=notes)
    text = story.read(body, part=part)
    heads, feet = ([*_margins(body, story, package, part, kind, role)] for kind, role in MARGINS)
    record, blocks = written(ordered([*heads, *text, *feet]))
    if not any(block.role == "body" for block in blocks):
        raise _empty(path, story)
    title, meta = properties(package)
    if comments := notes.comments(named(package, part, "comments")):
        meta["comments"] = comments
    first = next((b.text for b in blocks if b.type == "heading" and b.level == 1 and b.role == "body"), None)
    return Extraction(record, blocks, MEDIA_TYPE, title or first, meta, tuple(_warnings(package, story)))


def _margins(body: Element, story: Story, package: Package, part: str, kind: str, role: Role) -> Iterator[Draft]:
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


def _empty(path: str, story: Story) -> Refused:
    if story.inline.pictures:
        return Refused(
            "no_text",
            f"{path} holds {story.inline.pictures} pictures and no text; make it a PDF and read that with OCR",
        )
    return Refused("empty", f"{path} holds no text")


def _warnings(package: Package, story: Story) -> Iterator[str]:
    yield from package.warnings
    if story.inline.deleted:
        yield f"tracked changes were read as accepted: {story.inline.deleted} deleted or moved pieces are left out"
    if story.inline.hidden:
        yield f"{story.inline.hidden} characters of hidden text were left out"
    if story.inline.unknown:
        yield f"{story.inline.unknown} signs of symbol fonts are not known and were left out"
    if story.unread:
        yield f"embedded documents were not read: {', '.join(story.unread[:5])}"
