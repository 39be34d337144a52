"""A table's cells in their grid: spans resolved, headers marked, and what is only layout taken apart again."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ragstone.core.types import Cell, Role
from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value, parse_number
from ragstone.extraction.record.builder import BlockDraft, flatten_blocks
from ragstone.extraction.record.header_rows import mark_header_rows
from ragstone.extraction.record.tables import COLUMNS

WIDEST = 4000  # characters: a longer cell in one row or one column, or beside headings, is a frame around text
FIRST_ROW = 0x20  # of the bits in `tblLook`


@dataclass(slots=True)
class _Slot:
    """A cell while its table is being read: its place, what it covers, the blocks in it."""

    row: int
    col: int
    colspan: int
    rowspan: int = 1
    drafts: list[BlockDraft] = field(default_factory=list)


class TableGrid:
    """Rows and cells are opened in order; the content of a cell goes to the list that `cell` gives."""

    def __init__(self, table: Element, role: Role) -> None:
        properties = table.find(W + "tblPr")
        self._role = role
        self._caption = " ".join((child_value(properties, W + "tblCaption") or "").split())
        self._looks_headed = _has_first_row_style(properties)
        self._headed: list[bool] = []
        self._slots: list[_Slot] = []
        self._reaching: dict[int, _Slot] = {}  # by column: a cell that may go on in the next row
        self._next: dict[int, _Slot] = {}
        self._row = -1
        self._col = 0

    def open_row(self, row: Element) -> bool:
        """Open a row; False for one that was deleted."""
        properties = row.find(W + "trPr")
        if properties is not None and properties.find(W + "del") is not None:
            return False
        self._row += 1
        self._reaching, self._next = self._next, {}
        before = parse_number(child_value(properties, W + "gridBefore")) or 0
        self._col = max(0, min(before, COLUMNS - 1))
        self._headed.append(bool(child_switch(properties, W + "tblHeader")))
        return True

    def open_cell(self, cell: Element) -> list[BlockDraft] | None:
        """Open a cell; None for one that was deleted, or that stands outside of rows."""
        properties = cell.find(W + "tcPr")
        if self._row < 0 or (properties is not None and properties.find(W + "cellDel") is not None):
            return None
        if self._col >= COLUMNS and self._slots:
            return self._slots[-1].drafts
        span = parse_number(child_value(properties, W + "gridSpan")) or 1
        width = max(1, min(span, COLUMNS - self._col))
        col, self._col = self._col, min(self._col + width, COLUMNS)
        if _continues_merge(properties, "hMerge") and self._slots and self._slots[-1].row == self._row:
            self._slots[-1].colspan += width
            return self._slots[-1].drafts
        merge = properties.find(W + "vMerge") if properties is not None else None
        above = self._reaching.get(col)
        if above is not None and above.colspan == width and _continues_merge(properties, "vMerge"):
            above.rowspan += 1
            self._next[col] = above
            return above.drafts
        slot = _Slot(self._row, col, width)
        self._slots.append(slot)
        if merge is not None:
            self._next[col] = slot
        return slot.drafts

    def read_drafts(self) -> Iterator[BlockDraft]:
        """The table as one block; the blocks in its cells one after another where it only lays out a page."""
        if self._is_layout():
            for slot in self._slots:
                yield from slot.drafts
            return
        if self._caption:
            yield BlockDraft("paragraph", self._caption, self._role, caption=True)
        cells = tuple(Cell(s.row, s.col, flatten_blocks(s.drafts), s.rowspan, s.colspan) for s in self._slots)
        marked = next((i for i, headed in enumerate(self._headed) if not headed), len(self._headed))
        if marked:
            last = marked if marked <= self._row else 1
            cells = tuple(replace(cell, header=True) if cell.row < last else cell for cell in cells)
        else:
            cells = mark_header_rows(cells, named=self._looks_headed and sum(s.row == 0 for s in self._slots) > 1)
        yield BlockDraft("table", role=self._role, cells=cells)

    def _is_layout(self) -> bool:
        """A frame around text, a column of texts, a page in columns: no table of data."""
        full = [slot.drafts for slot in self._slots if slot.drafts]
        if len(full) < 2:
            return True
        if any(len(drafts) > 1 and any(d.type == "heading" for d in drafts) for drafts in full):
            return True
        nested = any(d.type == "table" for drafts in full for d in drafts)
        long = any(sum(len(d.text) for d in drafts) > WIDEST for drafts in full)
        narrow = all(slot.col == 0 for slot in self._slots) or self._row == 0
        headed = any(d.type == "heading" for drafts in full for d in drafts)
        return (narrow and (long or nested or any(len(drafts) > 1 for drafts in full))) or (long and headed)


def _has_first_row_style(properties: Element | None) -> bool:
    look = properties.find(W + "tblLook") if properties is not None else None
    if look is None:
        return False
    if (said := look.get(W + "firstRow")) is not None:
        return said in ("1", "true", "on")
    try:
        return bool(int(look.get(W + "val") or "0", 16) & FIRST_ROW)
    except ValueError:
        return False


def _continues_merge(properties: Element | None, name: str) -> bool:
    merge = properties.find(W + name) if properties is not None else None
    return merge is not None and merge.get(W + "val") != "restart"
