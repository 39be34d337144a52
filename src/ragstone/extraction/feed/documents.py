"""Documents written as XML: DocBook, JATS, TEI, FictionBook, DITA, Mallard. Elements are told apart by name alone."""

from collections.abc import Iterator
from dataclasses import replace

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.document_elements import (
    BLOCKS,
    BREAKS,
    CAPTIONED,
    CELLS,
    CITATIONS,
    CODE,
    DEEPEST,
    FORMAL,
    ITEMS,
    LINES,
    LISTS,
    MALLARD,
    PARAGRAPHS,
    ROOTS,
    ROWS,
    SECTIONS,
    SHARE,
    SILENT,
    TABLES,
    TITLES,
    UNSAID,
    WITHIN,
    count_letters,
    find_label,
    find_marks,
    is_code,
    is_silent,
    is_term,
    name_links,
)
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.record.builder import BlockDraft, flatten_blocks
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.tables import RawCell, place_cells


def is_document(root: Element) -> bool:
    """Whether an XML file is a document: by its root's name, and as most of what it says is in paragraphs and alike;
    data say it in attributes too, which a document's reader does not show."""
    if (element_name(root) not in ROOTS and root.tag != MALLARD + "page") or count_letters(root):
        return False
    whole, told = _count_told(root)
    return whole > 0 and told >= SHARE * whole


def read_document(root: Element) -> Iterator[BlockDraft]:
    """The blocks of a document in order; a page of Mallard has its summary above its title."""
    if root.tag == MALLARD + "page" and (title := root.find(MALLARD + "title")) is not None:
        root.insert(0, title)
    name_links(root)
    front = root.find("{*}front")
    if front is None:
        yield from _read_children(root, 1, 0)
        return
    for part in root:  # of an article, whose sections stand below its title
        yield from _read_element(part, 1, 1 if part is front else 2, 0)


def _count_told(root: Element) -> tuple[int, int]:
    """The letters of a document and of the attributes of its sections (those of words and tables are about looks), and
    those of them in paragraphs, items, cells and code."""
    whole, told, waiting = 0, 0, [(root, False, False)]
    while waiting:
        element, inside, looks = waiting.pop()
        name = element_name(element)
        if not is_silent(element):
            count, looks = count_letters(element), looks or inside or name in TABLES
            whole += count + (0 if looks else _count_values(element))
            inside = inside or name in PARAGRAPHS or name in CODE or name in ITEMS or name in CELLS or name in TITLES
            told += count * inside
            waiting += ((child, inside, looks) for child in element)
    return whole, told


def _count_values(element: Element) -> int:
    if str(element.tag).startswith(MALLARD):  # whose attributes lead to other pages
        return 0
    return sum(len(value) for name, value in element.items() if name not in UNSAID and not str(name).startswith("{"))


def _read_children(parent: Element, level: int, depth: int) -> Iterator[BlockDraft]:
    inner = level + any(element_name(one) in TITLES or _has_title(one) for one in parent)
    for child in parent:
        yield from _read_element(child, level, inner, depth)


def _read_element(element: Element, level: int, inner: int, depth: int) -> Iterator[BlockDraft]:
    """One element; its title has this `level`, those in its sections the `inner` one."""
    name = element_name(element)
    if is_silent(element) or depth > DEEPEST:
        return
    if name in TITLES or name == "caption":
        yield _draft_title(element, level)
    elif name in LISTS:
        if name in SECTIONS:
            yield from (_draft_title(one, inner) for one in element if element_name(one) in TITLES)
        yield from _read_list(element, 1, depth + 1)
    elif is_code(element):
        yield BlockDraft("code", "".join(map(str, element.itertext())).strip("\n"), language=element.get("language"))
    elif name in TABLES and any(element_name(one) in ROWS for one in element.iter()):
        yield from _read_table(element, inner, depth + 1)
    elif name in PARAGRAPHS | CITATIONS or count_letters(element) or not _holds_blocks(element):
        yield BlockDraft("paragraph", _read_line(element))
        yield from _read_within(element, inner, depth + 1)
    else:
        yield from _read_children(element, level if name.endswith("info") else inner, depth + 1)


def _draft_title(title: Element, level: int) -> BlockDraft:
    """A heading; of a figure, an example or a note a line of its own, as no section begins there."""
    above = title.getparent()
    kind = element_name(above) if above is not None else ""
    if element_name(title) == "caption":
        parts = [_read_title(title)] if count_letters(title) else [_read_title(one) for one in title]
        text = " ".join(part if part[-1] in ".:?!" else f"{part}." for part in parts if part)
        return BlockDraft("paragraph", text, caption=True)
    if kind in FORMAL:
        return BlockDraft("paragraph", _read_title(title), caption=kind in CAPTIONED)
    return BlockDraft("heading", _read_title(title), level=min(6, level))


def _read_within(element: Element, level: int, depth: int) -> Iterator[BlockDraft]:
    """The lists, code and notes in a paragraph."""
    for child in _find_blocks(element):
        yield from _read_element(child, level, level, depth)


def _holds_blocks(element: Element) -> bool:
    return any(element_name(one) in BLOCKS for one in element.iterdescendants())


def _has_title(element: Element) -> bool:
    """Whether an element tells about its section, its title too."""
    name = element_name(element)
    return name.endswith("info") and any(element_name(one) in TITLES for one in element)


def _find_blocks(element: Element) -> Iterator[Element]:
    """The outermost blocks in a paragraph."""
    for child in element:
        if element_name(child) in WITHIN:
            yield child
        elif element_name(child) not in SILENT:
            yield from _find_blocks(child)


def _read_line(element: Element) -> str:
    """The words of an element without those of the blocks in it, on one line."""
    parts: list[str] = []
    waiting: list[Element | str] = [element]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
        elif one is element or element_name(one) not in WITHIN | SILENT:
            parts.append(" " if element_name(one) in BREAKS else one.text or "")
            parting = "" if element_name(one) in LINES or count_letters(one) else " "  # parts of a name or an address
            for child in reversed(one):
                waiting += [child.tail or parting, child]
    return " ".join("".join(parts).split())


def _read_title(element: Element) -> str:
    """The words of a title or term, in paragraphs and notes too."""
    return " ".join(filter(None, (_read_line(element), *map(_read_title, _find_blocks(element)))))


def _read_list(parent: Element, level: int, depth: int) -> Iterator[BlockDraft]:
    """Each item with its term, which may stand in front of it; what an item holds beside its first words stands below
    it. What stands between items is read too."""
    term, marks = "", find_marks(parent)
    for item in parent:
        name = element_name(item)
        if is_term(item):
            term = " ".join(filter(None, (term, _read_title(item))))
        elif depth <= DEEPEST and name in LISTS:
            yield from _read_list(item, level + 1, depth + 1)
        elif depth <= DEEPEST and name in ITEMS:
            yield from _read_entry(item, term, level, depth, next(marks))
            term = ""
        elif name in TITLES and element_name(parent) in SECTIONS:
            continue
        elif name in TITLES:
            yield BlockDraft("paragraph", _read_line(item))
        else:
            yield from _read_element(item, 6, 6, depth + 1)
    yield BlockDraft("paragraph", term)


def _read_entry(item: Element, term: str, level: int, depth: int, mark: str) -> Iterator[BlockDraft]:
    """One item of a list behind its mark and its term."""
    line = _is_line(item)
    label = find_label(item)
    terms = [
        _read_title(one) for one in item if is_term(one) and not line and not (label and element_name(one) == "label")
    ]
    drafts = [one for one in _read_item(item, depth + 1, line=line) if one.text or one.cells]
    first = drafts.pop(0).text if drafts and drafts[0].type == "paragraph" else ""
    words = ": ".join(filter(None, (" ".join(filter(None, (term, *terms))), first)))
    yield BlockDraft("list", f"{label or mark} {words}", level=level)
    for draft in drafts:
        nested = draft.type == "list"
        yield BlockDraft("list", draft.text, level=draft.level + level) if nested else draft


def _is_line(item: Element) -> bool:
    """Whether the words of an item stand in no paragraph of their own."""
    if element_name(item) in CITATIONS or count_letters(item):
        return True
    named = any(map(is_term, item))
    return not named and not _holds_blocks(item)


def _read_item(item: Element, depth: int, *, line: bool) -> Iterator[BlockDraft]:
    if line:
        yield BlockDraft("paragraph", _read_line(item))
        yield from _read_within(item, 6, depth)
        return
    for child in item:
        if not is_term(child):
            yield from _read_element(child, 6, 6, depth)


def _read_table(table: Element, level: int, depth: int) -> Iterator[BlockDraft]:
    for child in table:
        if element_name(child) in TITLES | {"caption"}:
            yield replace(_draft_title(child, level), type="paragraph", level=0, caption=True)
    rows: list[list[RawCell]] = []
    for row in table.iter():
        if element_name(row) not in ROWS:
            continue
        above = row.getparent()
        head = element_name(row) == "sthead" or (above is not None and element_name(above) == "thead")
        cells = []
        for cell in row:
            if element_name(cell) in CELLS:
                drafts = [BlockDraft("paragraph", _read_line(cell)), *_read_within(cell, level, depth)]
                spans = (_read_span(cell, "rowspan", "morerows"), _read_span(cell, "colspan", "colspan"))
                text = flatten_blocks([one for one in drafts if one.text or one.cells])
                cells.append(RawCell(text, *spans, head or element_name(cell) == "th"))
        rows.append(cells)
    grid = place_cells(rows)
    yield BlockDraft("table", cells=grid if any(cell.header for cell in grid) else mark_header_rows(grid, named=False))


def _read_span(cell: Element, name: str, more: str) -> int:
    """How many rows or columns a cell covers."""
    said, beside = cell.get(name) or "", cell.get(more) or ""
    if said.isdecimal():
        return max(1, min(int(said), 1000))
    return 1 + min(int(beside), 1000) if beside.isdecimal() else 1
