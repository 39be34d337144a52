"""Presentations to a text of record like Markdown: a section a slide, text in reading order, notes behind it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Json
from ragstone.extraction.ooxml.elements import P, R, local_name
from ragstone.extraction.ooxml.package import Package
from ragstone.extraction.ooxml.properties import attempt_properties
from ragstone.extraction.pptx.slide import Slide
from ragstone.extraction.record.builder import BlockDraft, write_record

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
EMBEDDED = "documents that are embedded on slides are not in this text, but documents of their own if they are read"
AUTHORS = "the authors of comments were not read"
NAMED = 20  # slides in a warning


@dataclass(slots=True)
class _Presentation:
    """What was read of the slides, and the numbers of those that there is something to say about."""

    drafts: list[BlockDraft] = field(default_factory=list)
    comments: list[Json] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    embedding: list[int] = field(default_factory=list)
    painted: list[int] = field(default_factory=list)

    def warnings(self) -> Iterator[str]:
        """One for each kind of what is not as it seems."""
        yield from _warn_slides("slides that are missing or broken were left out", self.missing)
        yield from _warn_slides("slides that are listed again were read once", self.repeated)
        yield from _warn_slides("slides that are hidden in the show are kept", self.hidden)
        yield from _warn_slides("slides that show only pictures were not read", self.painted)
        yield from _warn_slides(EMBEDDED, self.embedding)


def parse_pptx(data: bytes, *, path: str) -> Extraction:
    """The slides in order; the spans of a block carry its slide as `page`, comments stand in `meta`.

    Raises `Refused`: encrypted, unsupported (of before 2007), broken, too_large, empty, no_text (pictures only).
    """
    package = Package(data, path=path)
    part, root = package.main()
    links = package.links(part)
    slides = [links.get(one.get(R + "id") or "") for one in root.iter(P + "sldId")]
    authors = package.attempt(AUTHORS, lambda: _read_authors(package, part)) or {}
    show = _Presentation()
    seen: set[str] = set()  # parts: a hostile file shows one on thousands of slides
    for page, link in enumerate(slides, 1):
        if link is not None and link.target in seen:
            show.repeated.append(page)
            continue
        slide = package.part(link.target) if link is not None and not link.outside else None
        if link is None or slide is None:
            show.missing.append(page)
        else:
            seen.add(link.target)
            _read_slide(show, Slide(package, link.target, slide), page, authors, package)
    record, blocks = write_record(show.drafts)
    if all(draft.made for draft in show.drafts if draft.text or draft.cells):
        raise _refusal(show, len(slides), path)
    title, meta = attempt_properties(package)
    first = next((one.text for one in show.drafts if one.type == "heading" and not one.made), None)
    if show.comments:
        meta["comments"] = show.comments
    meta["slides"] = len(slides)
    return Extraction(
        record, blocks, MEDIA_TYPE, title or first, meta, (*package.warnings, *package.failed_steps(), *show.warnings())
    )


def _read_slide(show: _Presentation, slide: Slide, page: int, authors: Mapping[str, str], package: Package) -> None:
    drafts = package.attempt(f"slide {page} was read as plain text", lambda: list(slide.read_drafts(page)))
    drafts = list(slide.read_plain_drafts(page)) if drafts is None else drafts
    said = package.attempt(f"comments on slide {page} were not read", lambda: list(slide.comments(authors)))
    show.drafts += (replace(draft, page=page) for draft in drafts)
    show.comments += ({**comment, "slide": page} for comment in said or ())
    if slide.is_hidden:
        show.hidden.append(page)
    if slide.has_embedded:
        show.embedding.append(page)
    if slide.pictures and not any(draft.text or draft.cells for draft in drafts):
        show.painted.append(page)


def _read_authors(package: Package, part: str) -> dict[str, str]:
    """Who wrote comments, by the ids that those name."""
    roots = [package.part(package.find_related(part, kind), needed=False) for kind in ("commentAuthors", "authors")]
    people = (
        one for root in roots if root is not None for one in root if local_name(one.tag) in ("cmAuthor", "author")
    )
    return {one.get("id") or "": " ".join((one.get("name") or "").split()) for one in people}


def _refusal(show: _Presentation, slides: int, path: str) -> Refused:
    if show.missing and len(show.missing) == slides:
        return Refused("broken", f"{path} holds none of its {slides:,} slides; save it again")
    if show.painted:
        return Refused("no_text", f"{path} holds pictures and no text; make it a PDF and read that with OCR")
    return Refused("empty", f"{path} holds no text")


def _warn_slides(what: str, pages: list[int]) -> Iterator[str]:
    if pages:
        more = f" and {len(pages) - NAMED:,} more" if len(pages) > NAMED else ""
        yield f"{what}: {', '.join(map(str, pages[:NAMED]))}{more}"
