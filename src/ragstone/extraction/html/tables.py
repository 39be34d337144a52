"""Tables in the tree of a page: those of data by rows and cells, those that lay out the page told apart."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from ragstone.extraction.html.cell_text import flat_text
from ragstone.extraction.html.tree import HEADING, HEADINGS, SECTION, TABLE, Node
from ragstone.extraction.record.tables import RawCell

GROUPS = frozenset(("thead", "tbody", "tfoot"))
AROUND = frozenset(("form", "center", "font", "div", "span", "fieldset"))  # may wrongly stand around rows
WIDE = 500  # characters in a cell of a table without any header
WIDEST = 4000  # characters in a cell of any table
LABEL = 200  # characters of a header
SPAN = 65534  # rows: the HTML standard's own limit
BOLD = frozenset(("b", "strong"))
SCOPES = frozenset(("col", "row", "colgroup", "rowgroup"))
FEW = 64  # cells from above that are kept in mind: more are no table that anybody reads


@dataclass(slots=True)
class _Rows:
    """The rows of a table, by the group that they stand in, and what stands outside of rows."""

    groups: list[tuple[str, list[list[Node]]]] = field(default_factory=list)
    loose: list[Node | str] = field(default_factory=list)

    def iterate_rows(self) -> Iterator[tuple[str, list[Node]]]:
        for tag, rows in self.groups:
            for row in rows:
                yield tag, row


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table of data: its rows, and the elements and texts that stand between them by mistake."""

    rows: list[list[RawCell]]
    loose: list[Node | str]


def read_data_table(table: Node, *, plain: bool = False) -> DataTable | None:
    """The rows of a table of data; None for one that only lays out the page. `plain`: links without addresses."""
    found = _collect_rows(table)
    if not any(row for _, row in found.iterate_rows()) or _is_layout(table, found):
        return None
    rows: list[list[RawCell]] = []
    for tag, group in found.groups:
        raws = [[_read_cell(cell, head=tag == "thead", plain=plain) for cell in row] for row in group]
        rows += _merge_flat_rows([[_clip_span(raw, len(raws) - n) for raw in row] for n, row in enumerate(raws)])
    if not any(raw.header for row in rows for raw in row) and _has_bold_head([row for _, row in found.iterate_rows()]):
        rows[0] = [replace(raw, header=True) for raw in rows[0]]
    return DataTable(rows, found.loose)


def read_caption(table: Node) -> str:
    """The text of the table's caption."""
    return " ".join(flat_text(child) for child in table.children if isinstance(child, Node) and child.tag == "caption")


def _collect_rows(table: Node) -> _Rows:
    """The rows in the order in which they are shown: head, body, foot."""
    found = _Rows()
    bare: list[Node] = []  # cells outside of rows: a row of their own
    waiting: list[tuple[Node | str, str]] = [(child, "") for child in reversed(table.children)]
    while waiting:
        child, group = waiting.pop()
        tag = child.tag if isinstance(child, Node) else ""
        if _is_cell(child):
            if not bare:
                _open_row(found, group, bare)
            bare.append(child)
            continue
        if isinstance(child, str):
            found.loose += [child] if child.strip() else []
            continue
        bare = []
        if tag == "tr":
            _open_row(found, group, [one for one in child.children if _is_cell(one)])
            found.loose += [
                one for one in child.children if not _is_cell(one) and (isinstance(one, Node) or one.strip())
            ]
        elif tag in GROUPS:
            found.groups.append((tag, []))
            waiting.extend((one, tag) for one in reversed(child.children))
        elif tag in AROUND and any(isinstance(c, Node) and (c.tag in GROUPS or c.tag == "tr") for c in child.children):
            waiting.extend((one, group) for one in reversed(child.children))
        elif tag not in ("caption", "colgroup", "col"):
            found.loose += [child] if child.text else []
    return _order_groups(found)


def _is_cell(child: Node | str) -> TypeGuard[Node]:
    return isinstance(child, Node) and child.tag in ("td", "th")


def _order_groups(found: _Rows) -> _Rows:
    """The first head at the top and the first foot at the end, wherever they are written."""
    tags = [tag for tag, _ in found.groups]
    if "thead" in tags:
        found.groups.insert(0, found.groups.pop(tags.index("thead")))
    tags = [tag for tag, _ in found.groups]
    if "tfoot" in tags:
        found.groups.append(found.groups.pop(tags.index("tfoot")))
    return found


def _open_row(found: _Rows, group: str, row: list[Node]) -> None:
    if not found.groups or found.groups[-1][0] != group:
        found.groups.append((group, []))
    found.groups[-1][1].append(row)


def _is_layout(table: Node, found: _Rows) -> bool:
    """Whether a table is none of data: a frame around text, a page in columns, a row of boxes."""
    rows = [row for _, row in found.iterate_rows()]
    cells = [cell for row in rows for cell in row]
    if table.get("role") in ("presentation", "none") or len(cells) < 2 or any(cell.text > WIDEST for cell in cells):
        return True
    captioned = any(isinstance(child, Node) and child.tag == "caption" and child.text for child in table.children)
    if captioned or any(_is_header(cell, head=tag == "thead") for tag, row in found.iterate_rows() for cell in row):
        return False
    if found.loose or any(cell.text > WIDE or cell.holds & SECTION for cell in cells):
        return True
    # Of some pages every cell is a box with its own heading; where tables lie in tables, most cells are filled.
    full = [[cell for cell in row if cell.text] for row in rows]
    filled = sum(map(len, full))
    boxes = sum(bool(cell.holds & HEADING) and not _is_heading(cell) for row in full for cell in row)
    nested = any(cell.holds & TABLE for cell in cells)
    deep = sum(len(row) > 1 for row in full) < 2 if nested else False
    return len(rows) < 2 or max(map(len, rows)) < 2 or deep or 2 * boxes >= max(1, filled)


def _is_header(cell: Node, *, head: bool) -> bool:
    named = cell.tag == "th" or head or cell.get("scope") in SCOPES or cell.get("role") in ("columnheader", "rowheader")
    return named and 0 < cell.text <= LABEL and not cell.holds & (TABLE | SECTION)


def _is_heading(cell: Node) -> bool:
    """Whether a cell holds a heading and nothing else."""
    inner = _only_child(cell)
    while inner is not None and inner.tag not in HEADINGS:
        inner = _only_child(inner)
    return inner is not None


def _only_child(node: Node) -> Node | None:
    """The one element with all the text of another."""
    inside = [child for child in node.children if isinstance(child, Node) or child.strip()]
    return inside[0] if len(inside) == 1 and isinstance(inside[0], Node) else None


def _has_bold_head(rows: list[list[Node]]) -> bool:
    """Whether the first row, and not the second, is all in bold: a header to the eye."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    return all(_is_bold(cell) for cell in rows[0]) and not all(_is_bold(cell) for cell in rows[1])


def _is_bold(cell: Node) -> bool:
    inner = _only_child(cell)
    while inner is not None and inner.tag not in BOLD and inner.tag not in HEADINGS:
        inner = _only_child(inner)
    return inner is not None and inner.text <= LABEL


def _read_cell(cell: Node, *, head: bool, plain: bool) -> RawCell:
    scoped = cell.get("scope").lower() in SCOPES or cell.get("role") in ("columnheader", "rowheader")
    rows, columns = _parse_span(cell.get("rowspan")), _parse_span(cell.get("colspan")) or 1
    return RawCell(flat_text(cell, plain=plain), rows, columns, head or scoped or cell.tag == "th")


def _parse_span(text: str) -> int:
    text = text.strip()
    return min(SPAN, int(text[:6])) if text.isascii() and text.isdecimal() else 1


def _clip_span(raw: RawCell, left: int) -> RawCell:
    """A cell that ends with its group: a span of 0 reaches to its end, no span over it."""
    return raw if raw.rowspan == 1 else replace(raw, rowspan=min(raw.rowspan or left, left))


def _merge_flat_rows(rows: list[list[RawCell]]) -> list[list[RawCell]]:
    """The rows without those that have no height: all their cells reach down, so they are cells of the next one."""
    out: list[list[RawCell]] = []
    lead: list[RawCell] = []
    reaching: list[tuple[int, int]] = []  # place of a cell from above that reaches on: row of `out`, number in it
    for own in rows:
        row, lead = [*lead, *own], []
        if 0 < len(row) < FEW and len(reaching) < FEW and all(raw.rowspan > 1 for raw in row):
            lead = [replace(raw, rowspan=raw.rowspan - 1) for raw in row]
            for at, n in reaching:
                if out[at][n].rowspan > len(out) - at:
                    out[at][n] = replace(out[at][n], rowspan=out[at][n].rowspan - 1)
            continue
        reaching = [(at, n) for at, n in reaching if out[at][n].rowspan > len(out) - at + 1] if reaching else []
        if len(reaching) < FEW:
            reaching += [(len(out), n) for n, raw in enumerate(row) if raw.rowspan > 1][:FEW]
        out.append(row)
    return out
