"""Drawings of draw.io (diagrams.net): a section for each page, the labels of its shapes, and what arrows lead to."""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from ragstone.core.errors import Refused
from ragstone.core.plural import format_count
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element, parse_xml
from ragstone.extraction.chats.formats import strip_tags
from ragstone.extraction.media_types import DRAWING
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.dates import iso_date

MOST_BYTES = 64_000_000  # of all packed pages, unpacked
ROW = 10.0  # units: shapes whose tops are closer stand beside one another
DEEPEST = 20  # shapes in shapes
FURTHEST = 1e6
LONGEST = 80  # characters of a label by which an arrow names a shape
# Attributes of a shape that no reader sees.
OF_PROGRAM = frozenset("label id link placeholders placeholder".split())


@dataclass(slots=True, eq=False)
class _Shape:
    """A shape or arrow with what it shows, the one that it stands in, and what stands in it."""

    text: str
    within: str
    element: Element
    hidden: bool = False
    inner: "list[_Shape]" = field(default_factory=list)


def parse_drawio(data: bytes, *, path: str) -> Extraction:
    """The pages in order; the spans of a block carry its page. Shapes on hidden layers are left out with a warning.

    Raises `Refused`: broken, too_large, empty.
    """
    root = parse_xml(data, path=path, name="the drawing")
    drafts: list[BlockDraft] = []
    left, hidden = MOST_BYTES, 0
    pages = [root] if root.tag == "mxGraphModel" else list(root.iterchildren("diagram"))
    for number, page in enumerate(pages, 1):
        model, size = _open_page(page, left, path)
        left -= size
        shapes = _read_shapes(model)
        hidden += sum(shape.hidden and bool(shape.text) and _is_of_shape(shape) for shape in shapes.values())
        read = list(_draft_page(shapes))
        name = " ".join((page.get("name") or f"Page {number}").split())
        made = [BlockDraft("heading", name, level=2), *read] if read else []
        drafts += (replace(draft, page=number) for draft in made)
    record, blocks = write_record(drafts)
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    warnings = (f"{format_count(hidden, 'shape')} on hidden layers left out",) if hidden else ()
    date = iso_date(root.get("modified") or "")
    return Extraction(record, blocks, DRAWING, None, {"date": date} if date else {}, warnings)


def _open_page(page: Element, most: int, path: str) -> tuple[Element, int]:
    """The model of a page, and the bytes that it was unpacked to where it was packed."""
    if page.tag == "mxGraphModel":
        return page, 0
    model = next(page.iterchildren("mxGraphModel"), None)
    packed = (page.text or "").strip()
    if model is not None or not packed:
        return model if model is not None else page, 0
    try:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        text = unpacker.decompress(base64.b64decode(packed), most + 1)
    except (ValueError, zlib.error) as error:
        raise Refused("broken", f"{path}: a page of the drawing cannot be unpacked ({error}); save it again") from error
    if len(text) > most:
        raise Refused("too_large", f"{path} unpacks to more than the {MOST_BYTES:,} bytes allowed; split the drawing")
    plain = unquote(text.decode(errors="replace")).encode(errors="replace")
    return parse_xml(plain, path=path, name="a page of the drawing"), len(text)


def _read_shapes(model: Element) -> dict[str, _Shape]:
    """The shapes, layers and arrows of a page by their ids, in order."""
    shapes: dict[str, _Shape] = {}
    for cell in model.iter("mxCell"):
        about = cell.getparent()
        owner = about if about is not None and about.tag in ("object", "UserObject") else cell
        name = owner.get("id") or ""
        name = name if name and name not in shapes else f"{name}#{len(shapes)}"
        label = strip_tags(owner.get("label" if owner is not cell else "value") or "")
        said = [label] if owner is cell else [label, *_list_properties(owner)]
        text = "\n".join(filter(None, said))
        shapes[name] = _Shape(text, cell.get("parent") or "", cell, hidden=cell.get("visible") == "0")
    for name, shape in shapes.items():  # those above come first in the file
        above = shapes.get(shape.within)
        if above is not None and shape.within != name:
            shape.hidden = shape.hidden or above.hidden
            above.inner.append(shape)
    return shapes


def _list_properties(owner: Element) -> Iterator[str]:
    """What a shape says when it is pointed at."""
    for name in map(str, owner.keys()):
        if name not in OF_PROGRAM and (text := strip_tags(owner.get(name) or "")):
            yield text if name == "tooltip" else f"{name}: {text}"


def _draft_page(shapes: Mapping[str, _Shape]) -> Iterator[BlockDraft]:
    """Shapes from the top left on, those in another below it; then the arrows."""
    arrows = [shape for shape in shapes.values() if shape.element.get("edge") == "1" and not shape.hidden]
    outer = [
        shape
        for shape in shapes.values()
        if shape.element.get("vertex") == "1" and not _is_of_shape(shapes.get(shape.within))
    ]
    yield from _draft_shapes(outer, 0)
    for arrow in arrows:
        ends = [_name(shapes.get(arrow.element.get(key) or "")) for key in ("source", "target")]
        said = " ".join(" ".join((arrow.text, *(one.text for one in arrow.inner if not one.hidden))).split())
        if all(ends):
            yield BlockDraft("list", f"- {ends[0]} → {ends[1]}{f': {said}' if said else ''}", level=1)
        elif said:
            yield BlockDraft("list", f"- {said}", level=1)


def _draft_shapes(shapes: Sequence[_Shape], depth: int) -> Iterator[BlockDraft]:
    for shape in sorted(shapes, key=_place):
        if shape.hidden:
            continue
        inner = [one for one in shape.inner if one.element.get("vertex") == "1"]
        is_head = bool(shape.text) and "\n" not in shape.text and any(_has_text(one, depth) for one in inner)
        yield BlockDraft("heading" if is_head else "paragraph", shape.text, level=min(6, 3 + depth) if is_head else 0)
        if depth < DEEPEST:
            yield from _draft_shapes(inner, depth + is_head)


def _has_text(shape: _Shape, depth: int) -> bool:
    return bool(shape.text) or (depth < DEEPEST and any(_has_text(one, depth + 1) for one in shape.inner))


def _is_of_shape(shape: _Shape | None) -> bool:
    """Whether this is a shape or an arrow, which shows what stands in it; not a layer."""
    return shape is not None and (shape.element.get("vertex") == "1" or shape.element.get("edge") == "1")


def _name(shape: _Shape | None) -> str:
    """What a shape is called: its first line, else that of a shape in it."""
    if shape is None or shape.hidden:
        return ""
    text = shape.text or next((one.text for one in shape.inner if one.text), "")
    return text.partition("\n")[0][:LONGEST]


def _place(shape: _Shape) -> tuple[int, float]:
    geometry = next(shape.element.iterchildren("mxGeometry"), None)
    return (round(_read_length(geometry, "y") / ROW), _read_length(geometry, "x"))


def _read_length(geometry: Element | None, name: str) -> float:
    try:
        length = float((geometry.get(name) or "0")[:40]) if geometry is not None else 0.0
    except ValueError:
        return 0.0
    return length if abs(length) < FURTHEST else 0.0
