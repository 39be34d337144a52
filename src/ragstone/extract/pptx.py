"""Presentations to a text of record like Markdown: a section a slide, text in reading order, notes behind it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ragstone.errors import Refused
from ragstone.extract.docx.addresses import linked
from ragstone.extract.docx.charts import chart, diagram
from ragstone.extract.docx.drawings import described
from ragstone.extract.docx.formula import latex
from ragstone.extract.docx.numerals import numeral
from ragstone.extract.docx.ooxml import DGM, MC, A, C, Element, M, P, R, chosen, local, number
from ragstone.extract.docx.package import Link, Package
from ragstone.extract.docx.properties import properties
from ragstone.extract.docx.record import Draft, written
from ragstone.extract.docx.table import flat
from ragstone.extract.tables import COLUMNS
from ragstone.types import Cell, Extraction

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
RECIPE = "pptx-1"
TITLES = ("title", "ctrTitle")
BODIES = ("body", "obj", "")
MARGINS = {"ftr": "footer", "hdr": "header", "dt": "footer", "sldNum": "footer"}
ROW = 228_600  # a quarter of an inch: shapes whose tops are closer stand beside one another
DEEPEST = 9
SHAPES = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


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


def parse(data: bytes, *, path: str) -> Extraction:
    """The slides in order; the spans of a block carry its slide as `page`.

    Raises `Refused`: encrypted, unsupported (of before 2007), broken, too_large, empty, no_text (pictures only).
    """
    package = Package(data, path=path)
    part, root = package.main()
    links = package.links(part)
    slides = [links.get(one.get(R + "id") or "") for one in root.iter(P + "sldId")]
    drafts: list[Draft] = []
    hidden: list[str] = []
    pictures = 0
    for page, link in enumerate(slides, 1):
        slide = package.part(link.target) if link is not None and not link.outside else None
        if link is None or slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden.append(str(page))
        pictures += sum(1 for _ in slide.iter(P + "pic"))
        drafts += (replace(draft, page=page) for draft in _Slide(package, link.target, slide).drafts(page))
    record, blocks = written(drafts)
    if not any(draft.text and not draft.text.startswith("Slide ") for draft in drafts) and not any(
        d.cells for d in drafts
    ):
        if pictures:
            raise Refused("no_text", f"{path} holds pictures and no text; make it a PDF and read that with OCR")
        raise Refused("empty", f"{path} holds no text")
    title, meta = properties(package)
    first = next((b.text for b in blocks if b.type == "heading"), None)
    warnings = list(package.warnings)
    if hidden:
        warnings.append(f"slides that are hidden in the show are kept: {', '.join(hidden)}")
    return Extraction(record, blocks, MEDIA_TYPE, title or first, {**meta, "slides": len(slides)}, tuple(warnings))


class _Slide:
    """One slide with the layout and the master that its places come from."""

    def __init__(self, package: Package, part: str, root: Element) -> None:
        self._package = package
        self._part = part
        self._root = root
        self._links: Mapping[str, Link] = package.links(part)
        layout = package.kind(part, "slideLayout")
        master = package.kind(layout, "slideMaster") if layout else None
        self._above = [above for above in (package.part(layout), package.part(master)) if above is not None]

    def drafts(self, page: int) -> Iterator[Draft]:
        """The title, the shapes from the top left on, the notes; a slide without a title is called by its number."""
        shapes = sorted(self._shapes(), key=lambda shape: shape.place)
        titles = [shape for shape in shapes if shape.kind in TITLES]
        title = next((text for shape in titles if (text := self._plain(shape.element))), "")
        level = 1 if any(shape.kind == "ctrTitle" for shape in titles) else 2
        body = [draft for shape in shapes if shape.kind not in TITLES for draft in self._read(shape)]
        notes = list(self._notes())
        if title or body or notes:
            yield Draft("heading", title or f"Slide {page}", level=level)
        yield from body
        yield from notes

    def _shapes(self) -> Iterator[_Shape]:
        """The shapes, those in groups at the place of their group."""
        tree = self._root.find(f"{P}cSld/{P}spTree")
        waiting: list[tuple[Element, tuple[int, int] | None]] = [(tree, None)] if tree is not None else []
        order = 0
        while waiting:
            element, group = waiting.pop()
            if element.tag == MC + "AlternateContent":
                choice = chosen(element)
                waiting.extend((child, group) for child in reversed(choice if choice is not None else ()))
            elif element.tag in (P + "spTree", P + "grpSp"):
                own = _place(element) if element.tag == P + "grpSp" else None
                waiting.extend((child, group or own) for child in reversed(element))
            elif element.tag in (P + "sp", P + "pic", P + "graphicFrame", P + "cxnSp"):
                order += 1
                yield self._shape(element, group, order)

    def _shape(self, element: Element, group: tuple[int, int] | None, order: int) -> _Shape:
        holder = next(element.iter(P + "ph"), None)
        kind = (holder.get("type") or "") if holder is not None else None
        inherited = tuple(self._inherited(holder, kind)) if holder is not None and kind is not None else ()
        places = (place for one in (element, *inherited) if (place := _place(one)) is not None)
        left, top = group or next(places, (0, 0))
        return _Shape(element, top, left, order, kind, inherited)

    def _inherited(self, holder: Element, kind: str) -> Iterator[Element]:
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

    def _plain(self, element: Element) -> str:
        return " ".join(" ".join(self._text(p) for p in element.iter(A + "p")).split())

    def _read(self, shape: _Shape) -> Iterator[Draft]:
        element = shape.element
        if element.tag == P + "graphicFrame":
            yield from self._frame(element)
        elif element.tag == P + "pic":
            alt = next((text for one in element.iter() if local(one.tag) == "cNvPr" and (text := described(one))), "")
            yield Draft("paragraph", f"![{alt}]" if alt else "")
        elif shape.kind in MARGINS:
            if shape.kind != "sldNum":
                yield Draft("paragraph", self._plain(element), "header" if shape.kind == "hdr" else "footer")
        elif (body := element.find(P + "txBody")) is not None:
            yield from self._paragraphs(body, shape)

    def _frame(self, element: Element) -> Iterator[Draft]:
        for one in element.iter(A + "tbl", C + "chart", DGM + "relIds"):
            if one.tag == A + "tbl":
                yield Draft("table", cells=tuple(self._cells(one)))
                continue
            link = self._links.get(one.get(R + "id") or one.get(R + "dm") or "")
            root = self._package.part(link.target) if link is not None and not link.outside else None
            if root is not None:
                yield from chart(root) if one.tag == C + "chart" else diagram(root)

    def _cells(self, table: Element) -> Iterator[Cell]:
        about = table.find(A + "tblPr")
        headed = about is not None and about.get("firstRow") in ("1", "true")
        rows = list(table.iterchildren(A + "tr"))
        for at, row in enumerate(rows):
            for col, cell in enumerate(row.iterchildren(A + "tc")):
                covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
                if not covered and col < COLUMNS:
                    height = max(1, min(number(cell.get("rowSpan")) or 1, len(rows) - at))
                    width = max(1, min(number(cell.get("gridSpan")) or 1, COLUMNS - col))
                    text = flat([Draft("paragraph", self._text(p)) for p in cell.iter(A + "p")])
                    yield Cell(at, col, text, height, width, header=headed and at == 0 and len(rows) > 1)

    def _paragraphs(self, body: Element, shape: _Shape) -> Iterator[Draft]:
        counts: dict[int, int] = {}
        for paragraph in body.iterchildren(A + "p"):
            text = self._text(paragraph).strip()
            if not text:
                continue
            about = paragraph.find(A + "pPr")
            level = min(max(number(about.get("lvl") if about is not None else None) or 0, 0), DEEPEST - 1)
            bullet = self._bullet(about, body, shape, level)
            for deeper in [one for one in counts if one > level or (one == level and bullet != "buAutoNum")]:
                del counts[deeper]
            if bullet == "buAutoNum":
                auto = _auto(about, body, level)
                counts[level] = counts[level] + 1 if level in counts else number(auto.get("startAt") or "1") or 1
                yield Draft("list", f"{_counted(counts[level], auto.get('type') or '')} {text}", level=level + 1)
            elif bullet is None or bullet == "buNone":
                yield Draft("paragraph", text)
            else:
                yield Draft("list", f"- {text}", level=level + 1)

    def _bullet(self, about: Element | None, body: Element, shape: _Shape, level: int) -> str | None:
        """Which kind of bullet a paragraph has, looked up from itself to the master."""
        name = f"{A}lvl{level + 1}pPr"
        styles = [about]
        for one in (body, *(inherited.find(P + "txBody") for inherited in shape.inherited)):
            style = one.find(A + "lstStyle") if one is not None else None
            styles.append(style.find(name) if style is not None else None)
        if shape.kind is not None and self._above:
            which = "bodyStyle" if shape.kind in BODIES else "otherStyle"
            styles.append(self._above[-1].find(f"{P}txStyles/{P}{which}/{name}"))
        for style in styles:
            for child in style if style is not None else ():
                if child.tag in (A + "buNone", A + "buChar", A + "buAutoNum", A + "buBlip"):
                    return local(child.tag)
        return None

    def _text(self, paragraph: Element) -> str:
        """The words of a paragraph; line breaks stay."""
        out: list[str] = []
        waiting = list(reversed(paragraph))
        while waiting:
            child = waiting.pop()
            if child.tag == MC + "AlternateContent":
                choice = chosen(child)
                waiting.extend(reversed(choice if choice is not None else ()))
            elif child.tag in (A + "r", A + "fld"):
                text = (child.findtext(A + "t") or "").replace("\xad", "").replace("\v", "\n")
                click = child.find(f"{A}rPr/{A}hlinkClick")
                link = self._links.get(click.get(R + "id") or "") if click is not None else None
                out.append(linked(text, link.target) if link is not None and link.outside else text)
            elif child.tag == A + "br":
                out.append("\n")
            elif child.tag == M + "oMath":
                out.append(f" ${latex(child)}$ ")
            elif child.tag == M + "oMathPara" or local(child.tag) == "m":
                waiting.extend(reversed(child))
        return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(out).split("\n"))))

    def _notes(self) -> Iterator[Draft]:
        root = self._package.part(self._package.kind(self._part, "notesSlide"))
        first = True
        for shape in root.iter(P + "sp") if root is not None else ():
            holder = next(shape.iter(P + "ph"), None)
            if holder is None or holder.get("type") != "body":
                continue
            for paragraph in shape.iter(A + "p"):
                if text := self._text(paragraph):
                    yield Draft("paragraph", f"Notes: {text}" if first else text)
                    first = False


def _place(element: Element) -> tuple[int, int] | None:
    """Where a shape begins: left, top."""
    for name in (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm"):
        form = element.find(name)
        offset = form.find(A + "off") if form is not None else None
        if offset is not None:
            return number(offset.get("x")) or 0, number(offset.get("y")) or 0
    return None


def _auto(about: Element | None, body: Element, level: int) -> Element:
    places = (about, body.find(f"{A}lstStyle/{A}lvl{level + 1}pPr"))
    found = (place.find(A + "buAutoNum") for place in places if place is not None)
    return next((one for one in found if one is not None), body)


def _counted(n: int, shape: str) -> str:
    """A count as `arabicPeriod`, `alphaLcParenR` … write it."""
    name = next((ours for theirs, ours in SHAPES.items() if shape.startswith(theirs)), "decimal")
    text = numeral(n, name)
    if shape.endswith("ParenBoth"):
        return f"({text})"
    return f"{text})" if shape.endswith("ParenR") else text if shape.endswith("Plain") else f"{text}."
