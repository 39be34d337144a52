"""OpenDocument presentations: a section a slide, its shapes from the top left on, notes behind them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.media_types import ODP
from ragstone.extraction.odt import CONTENT, attempt_meta, open_archive, read_body
from ragstone.extraction.odt_lists import ListNumbers, read_attribute
from ragstone.extraction.optional_steps import FailedStep, warn_failed_steps
from ragstone.extraction.record.builder import BlockDraft, flatten_blocks, write_record

MARGINS = frozenset(("footer", "header", "date-time", "page-number"))  # what stands on each slide
LENGTH = re.compile(r"(-?\d{1,7}(?:\.\d{1,7})?)(cm|mm|in|pt)")
MILLIMETRES = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 25.4 / 72}
ROW = 6.0  # millimetres: shapes whose tops are closer stand beside one another


@dataclass(frozen=True, slots=True)
class _Shape:
    """A shape of a slide: which place of the layout it fills, and the row and column where it stands."""

    element: Element
    kind: str
    place: tuple[int, float, int]


def parse_odp(data: bytes, *, path: str) -> Extraction:
    """The slides in order; the spans of a block carry its slide as `page`. Raises `Refused`: broken, encrypted,
    too_large, empty, no_text (pictures only)."""
    archive = open_archive(data, path)
    root = archive.read_xml(CONTENT)
    show = next((one for one in root.iter() if element_name(one) == "presentation"), None)
    slides = [one for one in (() if show is None else show) if element_name(one) == "page"]
    drafts = [replace(one, page=at) for at, slide in enumerate(slides, 1) for one in _read_slide(slide, at)]
    record, blocks = write_record(drafts)
    if all(draft.made for draft in drafts if draft.text or draft.cells):
        if any(element_name(one) == "image" for slide in slides for one in slide.iter()):
            raise Refused("no_text", f"{path} holds pictures and no text; make it a PDF and read that with OCR")
        raise Refused("empty", f"{path} holds no text")
    failed: list[FailedStep] = []
    meta = attempt_meta(archive, failed)
    first = next((draft.text for draft in drafts if draft.type == "heading" and not draft.made), None)
    title = meta.pop("title", None) or first
    return Extraction(record, blocks, ODP, title, {**meta, "slides": len(slides)}, tuple(warn_failed_steps(failed)))


def _read_slide(slide: Element, number: int) -> Iterator[BlockDraft]:
    shapes = sorted(_find_shapes(slide), key=lambda shape: shape.place)
    title = next((one for one in shapes if one.kind == "title" and _read_line(one.element)), None)
    body = [draft for one in shapes if one is not title for draft in _read_shape(one.element)]
    notes = [draft for one in slide if element_name(one) == "notes" for draft in _read_notes(one)]
    if title is not None:
        yield BlockDraft("heading", _read_line(title.element), level=2)
    elif any(draft.text or draft.cells for draft in (*body, *notes)):
        yield BlockDraft("heading", f"Slide {number}", level=2, made=True)
    yield from body
    yield from notes


def _find_shapes(slide: Element) -> Iterator[_Shape]:
    """The shapes of a slide that belong to it alone, those in groups one by one."""
    waiting, order = list(reversed(slide)), 0
    while waiting:
        element = waiting.pop()
        name, kind = element_name(element), read_attribute(element, "class")
        if name in ("g", "a"):
            waiting.extend(reversed(element))
        elif name != "notes" and kind not in MARGINS:
            order += 1
            row = int(_read_length(element, "y") // ROW)
            yield _Shape(element, kind, (row, _read_length(element, "x"), order))


def _read_shape(shape: Element) -> Iterator[BlockDraft]:
    """What a shape says: its text, its table; else what stands for it."""
    drafts = [draft for draft in read_body(shape, ListNumbers()) if draft.text or draft.cells]
    yield from drafts
    if not drafts:
        said = (" ".join((one.text or "").split()) for one in shape.iter() if element_name(one) in ("title", "desc"))
        yield from (BlockDraft("paragraph", text) for text in dict.fromkeys(said) if text)


def _read_notes(notes: Element) -> Iterator[BlockDraft]:
    first = True
    for shape in _find_shapes(notes):
        for draft in read_body(shape.element, ListNumbers()) if shape.kind != "page" else ():
            if draft.text:
                yield replace(draft, text=f"Notes: {draft.text}") if first else draft
                first = False


def _read_line(shape: Element) -> str:
    return " ".join(flatten_blocks(list(read_body(shape, ListNumbers()))).split())


def _read_length(element: Element, name: str) -> float:
    found = LENGTH.fullmatch(read_attribute(element, name))
    return float(found[1]) * MILLIMETRES[found[2]] if found else 0.0
