"""OpenDocument texts: headings, paragraphs, lists, tables and notes of the body."""

from collections.abc import Iterator
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Archive, Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.media_types import ODT
from ragstone.extraction.odt_lists import MANY, ListNumbers, read_number
from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps
from ragstone.extraction.record.builder import BlockDraft, flatten_blocks, write_record
from ragstone.extraction.record.confidentiality import KEY, is_confidentiality
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.tables import RawCell, place_cells

CONTENT = "content.xml"
META = "meta.xml"
HIDDEN = frozenset(
    ("tracked-changes", "annotation", "annotation-end", "forms", "sequence-decls", "note-citation", "ruby-text")
)
SHAPES = frozenset(("frame", "custom-shape", "rect", "ellipse", "circle", "line", "connector", "measure")) | frozenset(
    ("polyline", "polygon", "regular-polygon", "path", "caption", "g")
)
CONTAINERS = SHAPES | {"text", "section", "index-body", "table-of-content", "list-header", "text-box", "span", "a"}
ROW_GROUPS = frozenset(("table-header-rows", "table-rows", "table-row-group"))
STYLES = "styles.xml"
DEEPEST = 200


def parse_odt(data: bytes, *, path: str) -> Extraction:
    """The body of a document in order. Notes stand behind their paragraph; deleted and hidden text is left out.

    Raises `Refused`: broken, encrypted, too_large, empty.
    """
    archive = open_archive(data, path)
    root = archive.read_xml(CONTENT)
    body = next((element for element in root.iter() if element_name(element) == "body"), None)
    failed: list[FailedStep] = []
    numbers = attempt_step("lists were not numbered", lambda: _read_numbers(archive, root), failed) or ListNumbers()
    record, blocks = write_record(read_body(body, numbers) if body is not None else ())
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    meta = attempt_meta(archive, failed)
    title = meta.pop("title", None) or next((block.text for block in blocks if block.type == "heading"), None)
    return Extraction(record, blocks, ODT, title, meta, tuple(warn_failed_steps(failed)))


def open_archive(data: bytes, path: str) -> Archive:
    """The parts of an OpenDocument file. Raises `Refused`: broken, encrypted, too_large."""
    archive = Archive(data, path=path)
    if b"manifest:encryption-data" in (archive.read("META-INF/manifest.xml") if _has_manifest(archive) else b""):
        raise Refused("encrypted", f"{path} is protected by a password; save it without one")
    return archive


def _has_manifest(archive: Archive) -> bool:
    return "META-INF/manifest.xml" in archive.names


def _read_numbers(archive: Archive, root: Element) -> ListNumbers:
    """How the document numbers its lists and headings; its own styles win over the common ones."""
    numbers = ListNumbers()
    for part in (archive.read_xml(STYLES) if STYLES in archive.names else None, root):
        if part is not None:
            numbers.add_styles(part)
    return numbers


def read_body(parent: Element, numbers: ListNumbers, depth: int = 0) -> Iterator[BlockDraft]:
    """The blocks of an element in order."""
    for child in parent:
        name = element_name(child)
        if name in HIDDEN or depth > DEEPEST:
            continue
        if name == "h":
            yield _draft_heading(child, numbers.next_heading(child, max(1, read_number(child, "outline-level"))))
            yield from _read_shapes(child, numbers, depth)
        elif name == "p":
            yield BlockDraft("paragraph", read_text(child))
            yield from _read_shapes(child, numbers, depth)
        elif name == "list":
            yield from _read_list(child, numbers, depth, level=1)
        elif name == "table":
            yield _read_table(child, numbers, depth)
        elif name in CONTAINERS:
            yield from read_body(child, numbers, depth + 1)


def _draft_heading(heading: Element, number: str) -> BlockDraft:
    level = min(6, max(1, read_number(heading, "outline-level")))
    text = read_text(heading)
    return BlockDraft("heading", f"{number} {text}".strip() if text else "", level=level)


def _read_list(
    parent: Element, numbers: ListNumbers, depth: int, *, level: int, outer: str = ""
) -> Iterator[BlockDraft]:
    """The items with their numbers; what an item says below its first paragraph are paragraphs."""
    style = numbers.begin_list(parent, outer)
    for item in parent:
        if element_name(item) not in ("list-item", "list-header") or depth > DEEPEST:
            continue
        first = next(iter(item), None)
        number = ""
        if element_name(item) == "list-item" and first is not None and element_name(first) in ("p", "h"):
            number = numbers.next_number(style, level, read_number(item, "start-value"))
        for child in item:
            if element_name(child) == "h":
                yield _draft_heading(child, number)
            elif element_name(child) == "p" and (text := read_text(child)):
                goes_on = child is not first and first is not None and element_name(first) in ("p", "h")
                mark = "" if goes_on else f"{number or '-'} "
                yield BlockDraft("paragraph" if goes_on else "list", f"{mark}{text}", level=0 if goes_on else level)
            elif element_name(child) == "list":
                yield from _read_list(child, numbers, depth + 1, level=level + 1, outer=style)
            elif element_name(child) == "table":
                yield _read_table(child, numbers, depth)
            if element_name(child) in ("p", "h"):
                yield from _read_shapes(child, numbers, depth)
                number = ""


def _read_table(table: Element, numbers: ListNumbers, depth: int) -> BlockDraft:
    rows: list[list[RawCell]] = []
    for row in _find_rows(table):
        above = row.getparent()
        header = above is not None and element_name(above) == "table-header-rows"
        cells: list[RawCell] = []
        for cell in row:
            if element_name(cell) == "table-cell":
                text = flatten_blocks(list(read_body(cell, numbers, depth + 1)))
                rowspan, colspan = (read_number(cell, f"number-{kind}-spanned") or 1 for kind in ("rows", "columns"))
                raw = RawCell(text, rowspan, colspan, header)
                cells += [raw] * (read_number(cell, "number-columns-repeated") or 1)
        rows.append(cells[:MANY])
    cells_of_grid = place_cells(rows)
    marked = any(cell.header for cell in cells_of_grid)
    return BlockDraft("table", cells=cells_of_grid if marked else mark_header_rows(cells_of_grid, named=False))


def _find_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, not those of tables in its cells."""
    for child in table:
        if element_name(child) == "table-row":
            yield child
        elif element_name(child) in ROW_GROUPS:
            yield from _find_rows(child)


def _read_shapes(paragraph: Element, numbers: ListNumbers, depth: int) -> Iterator[BlockDraft]:
    """The notes of a paragraph, and the texts of frames and shapes that hang on it."""
    for child in paragraph:
        if element_name(child) in SHAPES or element_name(child) == "note-body":
            yield from read_body(child, numbers, depth + 1)
        elif element_name(child) not in HIDDEN and depth <= DEEPEST:
            yield from _read_shapes(child, numbers, depth + 1)


def read_text(element: Element) -> str:
    """The words of a paragraph without its notes, with the spaces, tabs and breaks that it stands for."""
    return " ".join("".join(_collect_text(element)).split())


def _collect_text(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = element_name(child)
        if name == "s":
            yield " " * max(1, read_number(child, "c"))
        elif name in ("tab", "line-break"):
            yield " "
        elif name not in HIDDEN and name != "note" and name not in SHAPES:
            yield from _collect_text(child)
        yield child.tail or ""


def attempt_meta(archive: Archive, failed: list[FailedStep]) -> dict[str, Any]:
    """As `collect_meta`; of a file whose properties cannot be read nothing, and none but the few may see it."""
    found = attempt_step("the file's properties were not read", lambda: _collect_known(archive), failed)
    return {KEY: RESTRICTED} if found is None else found


def _collect_known(archive: Archive) -> dict[str, Any]:
    try:
        return collect_meta(archive)
    except Refused as refused:
        raise ValueError(refused.reason) from refused


def collect_meta(archive: Archive) -> dict[str, Any]:
    """The properties of a document by their keys in its metadata."""
    meta: dict[str, Any] = {}
    if META in archive.names:
        for element in archive.read_xml(META).iter():
            name, text = element_name(element), (element.text or "").strip()
            key = {"creator": "author", "initial-creator": "author", "keyword": "keywords"}.get(name, name)
            if name == "user-defined":
                key = next((str(value) for at, value in element.attrib.items() if str(at).endswith("}name")), "")
                key = KEY if is_confidentiality(key) else ""
            if text and key in ("title", "description", "author", "date", "language", "keywords", KEY):
                meta.setdefault(key, text)
    return meta
