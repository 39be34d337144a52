"""Visio drawings: a section for each page, the texts of its shapes from the top left on."""

from collections.abc import Iterator
from dataclasses import replace

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element
from ragstone.extraction.media_types import VSDX
from ragstone.extraction.ooxml.elements import R, local_name
from ragstone.extraction.ooxml.package import Package, read_related
from ragstone.extraction.ooxml.properties import attempt_properties
from ragstone.extraction.record.builder import BlockDraft, write_record

ROW = 0.25  # inches: shapes whose middles are closer stand beside one another
FURTHEST = 1e6  # inches


def parse_vsdx(data: bytes, *, path: str) -> Extraction:
    """The pages in order; the spans of a block carry its page. Raises `Refused`: encrypted, unsupported (of before
    2013), broken, too_large, empty."""
    package = Package(data, path=path)
    part = package.find_related("", "document")
    if part is None:
        raise Refused("broken", f"{path} holds no drawing: its main part is missing; save it again")
    pages = package.find_related(part, "pages")
    listed = read_related(package, part, "pages")
    drafts: list[BlockDraft] = []
    seen: set[str] = set()  # parts: a hostile file shows one on thousands of pages
    for number, page in enumerate(listed.iterchildren("{*}Page") if listed is not None else (), 1):
        link = next((package.links(pages or "").get(one.get(R + "id") or "") for one in page.iter("{*}Rel")), None)
        if link is None or link.outside or link.target in seen:
            continue
        seen.add(link.target)
        root = package.part(link.target)
        texts = list(_read_shapes(root)) if root is not None else []
        name = " ".join((page.get("Name") or f"Page {number}").split())
        read = [BlockDraft("heading", name, level=2), *texts] if texts else []
        drafts += (replace(draft, page=number) for draft in read)
    record, blocks = write_record(drafts)
    if not blocks and package.warnings:
        raise Refused("broken", f"{path} cannot be read: {package.warnings[0]}")
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    title, meta = attempt_properties(package)
    warnings = (*package.warnings, *package.failed_steps())
    return Extraction(record, blocks, VSDX, title, meta, warnings)


def _read_shapes(root: Element) -> Iterator[BlockDraft]:
    """The texts of shapes and of the shapes in them, which stand where their group does."""
    shapes = [shape for group in root.iterchildren("{*}Shapes") for shape in group.iterchildren("{*}Shape")]
    for shape in sorted(shapes, key=_find_place):
        for text in shape.iter("{*}Text"):
            lines = ("".join(map(str, text.itertext()))).replace("\u2028", "\n").splitlines()
            yield BlockDraft("paragraph", "\n".join(filter(None, (" ".join(line.split()) for line in lines))))


def _find_place(shape: Element) -> tuple[int, float]:
    """Its row from the top and its distance from the left; a drawing counts from below."""
    cells = {cell.get("N"): cell.get("V") or "" for cell in shape if local_name(cell.tag) == "Cell"}
    return -round(_read_length(cells.get("PinY", "")) / ROW), _read_length(cells.get("PinX", ""))


def _read_length(text: str) -> float:
    try:
        length = float(text[:40])
    except ValueError:
        return 0.0
    return length if abs(length) < FURTHEST else 0.0
