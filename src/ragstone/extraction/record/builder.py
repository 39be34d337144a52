"""Blocks as they are found, and the text of record that is written of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ragstone.core.types import Block, BlockType, CaptionTarget, Cell, Extraction, Role
from ragstone.extraction.record.caption_and_list_markers import caption_kind
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.table_of_contents import mark_toc_blocks
from ragstone.extraction.record.tables import format_pipe_table, format_rows

DEEPEST = 20  # lists are not indented further
# In a heading's own text, which names its section elsewhere: the marks of notes, and where links lead.
LINK = re.compile(r"\[\^\w{1,12}\]|\[([^\[\]]{0,400})\]\([^()\s]{0,2000}\)")


@dataclass(frozen=True, slots=True)
class BlockDraft:
    """A block before it has a place. `text` of a list item begins with its mark; a cell's text is one line.

    `made` marks what the document does not say itself, as the number of a slide without a title.
    """

    type: BlockType
    text: str = ""
    role: Role = "body"
    level: int = 0
    cells: tuple[Cell, ...] = ()
    language: str | None = None
    caption: bool = False
    page: int | None = None
    made: bool = False


def write_record(drafts: Iterable[BlockDraft]) -> tuple[str, tuple[Block, ...]]:
    """The text of record and its blocks: `## ` headings, indented items, fenced code, `|` rows, blank lines between."""
    writer = _RecordWriter()
    for draft in drafts:
        writer.put(draft)
    record = "".join(writer.parts)
    return record, tuple(mark_toc_blocks(writer.blocks(LineIndex(record)), record))


def adopt_blocks(extraction: Extraction, *, page: int | None = None) -> Iterator[BlockDraft]:
    """The blocks of another format's extraction, to be written into a record of ours."""
    for block in extraction.blocks:
        cells = tuple(replace(cell, char_start=None, char_end=None) for cell in block.cells)
        caption = block.caption_of is not None
        yield BlockDraft(block.type, block.text, block.role, block.level, cells, block.language, caption, page)


def flatten_blocks(drafts: Sequence[BlockDraft]) -> str:
    """Blocks as one line, for a cell; of a table in it the cells are parted by commas, the rows by semicolons."""
    return " ".join(filter(None, (_flatten_block(draft) for draft in drafts)))


def _flatten_block(draft: BlockDraft) -> str:
    if draft.type != "table":
        return " ".join(draft.text.split())
    rows: dict[int, list[str]] = {}
    for cell in draft.cells:
        if cell.text:
            rows.setdefault(cell.row, []).append(cell.text)
    return "; ".join(", ".join(row) for row in rows.values())


class _RecordWriter:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._length = 0
        self._written: list[tuple[BlockDraft, list[tuple[int, int, int | None]], tuple[Cell, ...]]] = []

    def put(self, draft: BlockDraft) -> None:
        if not any(cell.text for cell in draft.cells) if draft.type == "table" else not draft.text.strip():
            return
        tight = draft.type == "list" and bool(self._written) and self._written[-1][0].type == "list"
        if self._length:
            self._append("\n" if tight else "\n\n")
        if draft.type == "table":
            table = format_pipe_table(draft.cells, at=self._length)
            self._append(table.text)
            ranges: list[tuple[int, int, int | None]] = [(start, end, row + 1) for start, end, row in table.rows]
            self._written.append((replace(draft, text=format_rows(table.cells)), ranges, tuple(table.cells)))
            return
        start = self._length
        self._append(_format_draft(draft))
        if draft.type == "heading":
            draft = replace(draft, text=_clean_heading(draft.text))
        self._written.append((draft, [(start, self._length, None)], ()))

    def blocks(self, lines: LineIndex) -> Iterator[Block]:
        after = [draft for draft, _, _ in self._written[1:]]
        caption = ""
        for (draft, ranges, cells), below in zip_longest(self._written, after):
            spans = tuple(
                lines.span(start, end, page=draft.page, rows=(row, row) if row is not None else None)
                for start, end, row in ranges
            )
            block = Block(draft.type, draft.text, spans, draft.role, draft.level, cells, draft.language)
            # `order` sets a table's caption right before it.
            own, caption = caption, draft.text if draft.caption and below and below.type == "table" else ""
            of = _caption_target(draft, named=bool(caption)) if draft.caption else None
            yield replace(block, caption=own if draft.type == "table" else "", caption_of=of)

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)


def _caption_target(draft: BlockDraft, *, named: bool) -> CaptionTarget | None:
    """What a caption is of: the table below it, else a figure where it says so."""
    return "table" if named else "figure" if caption_kind(draft.text) == "figure" else None


def _clean_heading(heading: str) -> str:
    """A heading without the marks of notes and without where its links lead."""
    return LINK.sub(r"\1", heading).strip() or heading


def _format_draft(draft: BlockDraft) -> str:
    if draft.type == "heading":
        return "#" * draft.level + " " + draft.text
    if draft.type == "list":
        indent = "  " * min(draft.level - 1, DEEPEST)
        return indent + draft.text.replace("\n", f"\n{indent}  ")
    if draft.type == "code":
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", draft.text)), default=0))
        return f"{fence}{draft.language or ''}\n{draft.text}\n{fence}"
    return draft.text
