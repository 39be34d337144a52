"""Lightweight markup to blocks whose spans are slices of the very file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Block, Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.markup.asciidoc import read_asciidoc
from ragstone.extraction.markup.lines import Line, MarkupPiece, split_lines
from ragstone.extraction.markup.org import read_org
from ragstone.extraction.markup.rst import read_rst
from ragstone.extraction.markup.tex import read_tex
from ragstone.extraction.markup.tex_accents import show_accents
from ragstone.extraction.markup.written_lines import build_table, write_tables
from ragstone.extraction.media_types import ASCIIDOC, ORG, RST, TEX
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.record.table_of_contents import mark_toc_blocks

READERS: Mapping[str, Callable[[Sequence[Line]], Iterator[MarkupPiece]]] = MappingProxyType(
    {RST: read_rst, ASCIIDOC: read_asciidoc, ORG: read_org, TEX: read_tex}
)


@dataclass(frozen=True, slots=True)
class Markup:
    """reStructuredText, AsciiDoc, Org or TeX. The text of record is the decoded file, line by line; headings,
    paragraphs, items of lists, tables and code are blocks, comments and directives that show no text are none. Tables
    stand in the text of record as rows between bars (in TeX those alone on their lines), and letters with accents in
    TeX as they are read."""

    media_type: str
    recipe: str = "markup-9"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, and empty for a file without text."""
        record, warnings = decode_text(data, path=path)
        if self.media_type == TEX:
            record = show_accents(record)
        text = unify_newlines(record)
        lines = split_lines(text)
        pieces = list(READERS[self.media_type](lines))
        if any(piece.rows for piece in pieces):
            record = text = "\n".join(write_tables(lines, pieces))
            before, lines = lines, split_lines(text)
            pieces = [_move(piece, lines[piece.first].start - before[piece.first].start) for piece in pieces]
        blocks = tuple(mark_toc_blocks(_build_blocks(text, lines, pieces), record))
        if not blocks:
            raise Refused("empty", f"{path} holds no text")
        title = next((block.text for block in blocks if block.type == "heading"), None)
        return close_if_marked(Extraction(record, blocks, self.media_type, title, {}, warnings), record)


def _move(piece: MarkupPiece, by: int) -> MarkupPiece:
    """A piece whose own lines are as they were, behind others that are shorter or longer by so many characters."""
    if piece.place:
        return piece._replace(place=(piece.place[0] + by, piece.place[1] + by))
    cells = tuple(
        replace(cell, char_start=(cell.char_start or 0) + by, char_end=(cell.char_end or 0) + by)
        for cell in piece.cells
    )
    return piece._replace(cells=cells) if cells else piece


def _build_blocks(text: str, lines: Sequence[Line], pieces: Sequence[MarkupPiece]) -> Iterator[Block]:
    index = LineIndex(text)
    for piece in pieces:
        if piece.cells or piece.rows:
            yield build_table(piece, lines, index) if piece.rows else _build_table(piece, index)
            continue
        start = lines[piece.first].start + (lines[piece.first].indent if piece.type != "code" else 0)
        end = lines[piece.behind - 1].end
        start, end = piece.place or (start, end)
        shown = text[start:end] if piece.text is None else piece.text
        if shown.strip():
            yield Block(
                piece.type,
                shown,
                (index.span(start, end),),
                level=piece.level,
                language=piece.language,
                caption_of="table" if piece.is_caption else None,
            )


def _build_table(piece: MarkupPiece, index: LineIndex) -> Block:
    """A table of TeX with a span for each row, from its first cell to its last."""
    rows = [list(row) for _, row in groupby(piece.cells, key=lambda cell: cell.row)]
    spans = tuple(index.span(row[0].char_start or 0, row[-1].char_end or 0) for row in rows)
    shown = "\n".join(f"| {' | '.join(cell.text for cell in row)} |" for row in rows)
    return Block("table", shown, spans, cells=piece.cells)
