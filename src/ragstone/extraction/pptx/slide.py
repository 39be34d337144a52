"""A slide of a presentation: its title, its shapes in reading order, its notes and comments."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from ragstone.core.types import Json, Role
from ragstone.extraction.ooxml.charts import read_chart, read_diagram
from ragstone.extraction.ooxml.drawings import CHART, alternative_text
from ragstone.extraction.ooxml.elements import (
    DGM,
    MC,
    A,
    C,
    Element,
    P,
    R,
    choose_alternative,
    local_name,
    parse_number,
)
from ragstone.extraction.ooxml.package import Link, Package
from ragstone.extraction.pptx.paragraphs import BODIES, ParagraphReader
from ragstone.extraction.record.builder import BlockDraft

TITLES = ("title", "ctrTitle")
MARGINS: Mapping[str, Role] = {"ftr": "footer", "hdr": "header", "dt": "footer"}
SHOWN = tuple(P + name for name in ("sp", "pic", "graphicFrame", "cxnSp", "nvGrpSpPr"))
ROW = 228_600  # a quarter of an inch: shapes whose tops are closer stand beside one another


@dataclass(frozen=True, slots=True)
class _Shape:
    """Something that stands on a slide: where (English metric units), and which place of the layout it fills."""

    element: Element
    top: int
    left: int
    order: int
    kind: str | None = None
    inherited: tuple[Element, ...] = ()

    @property
    def place(self) -> tuple[int, int, int]:
        return (self.top // ROW, self.left, self.order)


class Slide:
    """One slide with the layout and the master that its places come from."""

    def __init__(self, package: Package, part: str, root: Element) -> None:
        self._package = package
        self._part = part
        self._root = root
        self._links: Mapping[str, Link] = package.links(part)
        layout = package.find_related(part, "slideLayout")
        master = package.find_related(layout, "slideMaster") if layout else None
        above = (package.part(one, needed=False) for one in (layout, master))
        self._above = [one for one in above if one is not None]
        self._words = ParagraphReader(self._links, self._above[-1] if self._above else None)

    @property
    def is_hidden(self) -> bool:
        return self._root.get("show") in ("0", "false")

    @property
    def pictures(self) -> int:
        return sum(1 for _ in self._root.iter(P + "pic"))

    @property
    def has_embedded(self) -> bool:
        """Whether another document stands on it."""
        return next(self._root.iter(P + "oleObj"), None) is not None

    def read_drafts(self, page: int) -> Iterator[BlockDraft]:
        """The title, the shapes from the top left on, the notes; a slide without a title is called by its number."""
        shapes = sorted(self._find_shapes(), key=lambda shape: shape.place)
        title = next((one for one in shapes if one.kind in TITLES and self._words.read_plain_text(one.element)), None)
        level = 1 if any(shape.kind == "ctrTitle" for shape in shapes) else 2
        body = [draft for shape in shapes if shape is not title for draft in self._read_shape(shape)]
        notes = list(self._read_notes())
        if title is not None:
            yield BlockDraft("heading", self._words.read_plain_text(title.element), level=level)
        elif any(draft.text or draft.cells for draft in body) or notes:
            yield BlockDraft("heading", f"Slide {page}", level=level, made=True)
        yield from body
        yield from notes

    def read_plain_drafts(self, page: int) -> Iterator[BlockDraft]:
        """Its paragraphs as they stand in the file: for a slide of which more cannot be told."""
        texts = ("".join(run.text or "" for run in one.iter(A + "t")) for one in self._root.iter(A + "p"))
        drafts = [BlockDraft("paragraph", " ".join(text.split())) for text in texts if text.strip()]
        if drafts:
            yield BlockDraft("heading", f"Slide {page}", level=2, made=True)
        yield from drafts

    def comments(self, authors: Mapping[str, str]) -> Iterator[Json]:
        """The comments on the slide, replies too: author, date, text. `authors` are names by their ids."""
        for link in self._links.values():
            root = self._package.part(link.target) if link.kind == "comments" and not link.outside else None
            for one in root.iter() if root is not None else ():
                if local_name(one.tag) in ("cm", "reply") and (text := _comment_text(one)):
                    about = {"author": authors.get(one.get("authorId") or "", "")}
                    about |= {"date": one.get("dt") or one.get("created") or "", "text": text}
                    yield {key: said for key, said in about.items() if said}

    def _find_shapes(self) -> Iterator[_Shape]:
        """The shapes, those in groups at the place of their group."""
        tree = self._root.find(f"{P}cSld/{P}spTree")
        waiting: list[tuple[Element, tuple[int, int] | None]] = [(tree, None)] if tree is not None else []
        order = 0
        while waiting:
            element, group = waiting.pop()
            if element.tag == MC + "AlternateContent":
                choice = choose_alternative(element)
                waiting.extend((child, group) for child in reversed(choice if choice is not None else ()))
            elif element.tag in (P + "spTree", P + "grpSp"):
                own = _find_position(element) if element.tag == P + "grpSp" else None
                waiting.extend((child, group or own) for child in reversed(element))
            elif element.tag in SHOWN:
                order += 1
                yield self._place_shape(element, group, order)

    def _place_shape(self, element: Element, group: tuple[int, int] | None, order: int) -> _Shape:
        holder = next(element.iter(P + "ph"), None)
        kind = (holder.get("type") or "") if holder is not None else None
        inherited = tuple(self._find_inherited(holder, kind)) if holder is not None and kind is not None else ()
        places = (place for one in (element, *inherited) if (place := _find_position(one)) is not None)
        left, top = group or next(places, (0, 0))
        return _Shape(element, top, left, order, kind, inherited)

    def _find_inherited(self, holder: Element, kind: str) -> Iterator[Element]:
        """What the layout and the master have for the same place."""
        for above in self._above:
            for shape in above.iter(P + "sp"):
                other = next(shape.iter(P + "ph"), None)
                if other is None:
                    continue
                same = other.get("idx") == holder.get("idx") and holder.get("idx") is not None
                alike = (other.get("type") or "body") == (kind or "body") or (
                    kind in BODIES and other.get("type") == "body"
                )
                if same or alike:
                    yield shape
                    break

    def _read_shape(self, shape: _Shape) -> Iterator[BlockDraft]:
        element = shape.element
        if shape.kind == "sldNum":
            return
        if (role := MARGINS.get(shape.kind or "")) is not None:
            yield BlockDraft("paragraph", self._words.read_plain_text(element), role)
            return
        body = element.find(P + "txBody") if element.tag == P + "sp" else None
        drafts = list(self._words.read_drafts(body, shape.kind, shape.inherited)) if body is not None else []
        # What a text box shows, its text says already.
        if not drafts and (alt := _find_alternative_text(element)):
            yield BlockDraft("paragraph", f"![{alt}]")
        yield from drafts
        if element.tag == P + "graphicFrame":
            yield from self._read_frame(element)

    def _read_frame(self, element: Element) -> Iterator[BlockDraft]:
        for one in element.iter(A + "tbl", C + "chart", DGM + "relIds"):
            if one.tag == A + "tbl":
                yield BlockDraft("table", cells=self._words.cells(one))
                continue
            link = self._links.get(one.get(R + "id") or one.get(R + "dm") or "")
            root = self._package.part(link.target) if link is not None and not link.outside else None
            if root is not None:
                read = read_chart if one.tag == C + "chart" else read_diagram
                yield from self._package.attempt(CHART, partial(_list_drafts, read, root)) or ()

    def _read_notes(self) -> Iterator[BlockDraft]:
        root = self._package.part(self._package.find_related(self._part, "notesSlide"))
        first = True
        for shape in root.iter(P + "sp") if root is not None else ():
            holder = next(shape.iter(P + "ph"), None)
            if holder is not None and holder.get("type") != "body":
                continue
            for paragraph in shape.iter(A + "p"):
                if text := self._words.text(paragraph):
                    yield BlockDraft("paragraph", f"Notes: {text}" if first else text)
                    first = False


def _list_drafts(read: Callable[[Element], Iterator[BlockDraft]], root: Element) -> list[BlockDraft]:
    return list(read(root))


def _find_alternative_text(element: Element) -> str:
    """What somebody wrote to stand for a shape, "" for nothing."""
    return next(
        (text for one in element.iter() if local_name(one.tag) == "cNvPr" and (text := alternative_text(one))), ""
    )


def _comment_text(comment: Element) -> str:
    """A comment's text, without that of the answers in it."""
    for child in comment:
        if local_name(child.tag) in ("text", "txBody"):
            runs = (run.text or "" for run in child.iter() if local_name(run.tag) in ("text", "t"))
            return " ".join("".join(runs).split())
    return ""


def _find_position(element: Element) -> tuple[int, int] | None:
    """Where a shape begins: left, top."""
    for name in (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm"):
        form = element.find(name)
        offset = form.find(A + "off") if form is not None else None
        if offset is not None:
            return parse_number(offset.get("x")) or 0, parse_number(offset.get("y")) or 0
    return None
