"""Chunking along the document's structure: sections, paragraphs, items, rows, and sentences where needed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ragstone.chunking.compose import LineNumbers, common_path, dominant_kind, merge_spans
from ragstone.chunking.leftovers import drop_leftovers
from ragstone.chunking.outline import list_passages
from ragstone.chunking.overlap import find_sentence_tail
from ragstone.chunking.partition import Atom, partition_atoms
from ragstone.chunking.split import AFTER_PARAGRAPH, DENSEST, GLUE, ITEM_CUT, LEAD, NESTED, Part, fit_parts
from ragstone.chunking.table import Grid
from ragstone.chunking.tokens import is_additive
from ragstone.core.errors import UsageError
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Block, Extraction, Piece, Span, join_slices
from ragstone.core.work_limit import check_work

# A piece that runs on into the next section pays this: two sections become one when each is below a
# quarter of the wanted size or so (two of size s cost 2(1 - s)² apart and (1 - 2s)² together).
SIBLING = 0.85
# Neighbours below this share of the target are one atom: a lone word is no place to begin or end.
GRAIN = 1 / 16


@dataclass(frozen=True, slots=True)
class StructureOptions:
    """Sizes in tokens. Wanted and longest are lowered to what the embedder reads, less the prefix."""

    tokens: int = 450  # 350-500 is the range that held up
    cap: int = 800  # a table row may break it, with a note
    overlap: int = 0
    prefix: int = 48  # path and heading, embedded above the text

    def __post_init__(self) -> None:
        if not (0 < self.tokens <= self.cap and 0 <= self.overlap < self.tokens and self.prefix >= 0):
            raise UsageError(
                f"chunking needs 0 < tokens <= cap, 0 <= overlap < tokens and prefix >= 0; got tokens={self.tokens}, "
                f"cap={self.cap}, overlap={self.overlap}, prefix={self.prefix}"
            )


class StructureChunker:
    """The default. A piece is whole sections, else whole paragraphs, items or rows, else whole sentences.

    Code stays whole up to the cap. A table is split between rows only, and each further group of rows carries the
    header. `reads` is what the embedder reads (None: no limit); the prefix never takes more than half of it.
    """

    def __init__(self, cutting: StructureOptions, tokenizer: Tokenizer, *, reads: int | None = None) -> None:
        room = cutting.cap if reads is None else min(cutting.cap, max(reads - cutting.prefix, (reads + 1) // 2))
        self._options = cutting
        self._tokenizer = tokenizer
        self._reads = reads
        self._overlap = min(cutting.overlap, room // 2)
        self.cap = max(1, room)
        self.target = max(1, min(cutting.tokens, room) - self._overlap)
        self._additive = is_additive(tokenizer)

    @property
    def recipe(self) -> str:
        c = self._options
        sizes = f"tokens={c.tokens},cap={c.cap},overlap={c.overlap},prefix={c.prefix},reads={self._reads}"
        return f"structure/5({sizes},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order; only a table row, with a note, is over the cap."""
        record = extraction.record
        own = self.cap - self._overlap
        parts = fit_parts(
            record, list_passages(extraction), cap=own, list_cap=self.target // 2, count=self._tokenizer.count
        )
        headers = self._repeatable_headers(parts)
        return drop_leftovers(self._make_pieces(record, self._group_parts(record, parts, headers), headers))

    def _group_parts(self, record: str, parts: Sequence[Part], headers: dict[str, int], /) -> list[Sequence[Part]]:
        """The parts of each piece."""
        own = self.cap - self._overlap
        bundles = _bundle_starts(parts, self.target * GRAIN, own)
        atoms = [_make_atom(record, parts, start, end, headers) for start, end in pairwise([*bundles, len(parts)])]
        starts = [bundles[i] for i in partition_atoms(atoms, target=self.target, cap=own)]
        return [parts[start:end] for start, end in pairwise([*starts, len(parts)])]

    def _repeatable_headers(self, parts: Sequence[Part]) -> dict[str, int]:
        """Tokens of the table headers that are short enough to repeat: at most half of the cap."""
        texts = list(dict.fromkeys(text for part in parts for text in _header_texts(part)))
        short = [text for text in texts if len(text) <= DENSEST * self.cap]
        return {text: n for text, n in zip(short, self._tokenizer.count(short), strict=True) if n <= self.cap // 2}

    def _make_pieces(self, record: str, groups: Sequence[Sequence[Part]], headers: dict[str, int]) -> list[Piece]:
        lines = LineNumbers(record)
        out: list[Piece] = []
        for group in groups:
            check_work()
            places = merge_spans(record, lines, [(part.start, part.end, part.where) for part in group])
            lead = self._overlap_spans(record, out[-1].spans[-1], group[0]) if out else ()
            whole = (
                merge_spans(record, lines, [(s.char_start, s.char_end, s) for s in (*lead, *places)])
                if lead
                else places
            )
            out.append(
                Piece(
                    ordinal=len(out),
                    text=join_slices(record, whole),
                    spans=whole,
                    heading_path=common_path([part.passage for part in group]),
                    kind=dominant_kind([(part.passage, part.weight) for part in group]),
                    tokens=-1 if lead else self._sum_tokens(group),
                    overlap=sum(s.char_end - s.char_start for s in lead),
                    header=_header_to_repeat(group[0], headers),
                    note=_header_note(group[0], headers),
                    table=_table_cells(record, group),
                )
            )
        return self._count_missing(out)

    def _overlap_spans(self, record: str, before: Span, first: Part) -> tuple[Span, ...]:
        """The overlap: whole sentences from the end of the piece before, never over a heading or into a table."""
        if not self._overlap or first.passage.opens or first.table:
            return ()
        start = find_sentence_tail(record, before, self._overlap, self._tokenizer.count)
        return (replace(before, char_start=start),) if start < before.char_end else ()

    def _sum_tokens(self, group: Sequence[Part]) -> int:
        """The tokens of the parts, or -1 where the whole must be counted to know."""
        known = self._additive and all(part.tokens >= 0 for part in group)
        apart = known and all(a.end < b.start for a, b in pairwise(group))
        return sum(part.tokens for part in group) if apart else -1

    def _count_missing(self, pieces: list[Piece]) -> list[Piece]:
        unknown = [piece for piece in pieces if piece.tokens < 0]
        counts = iter(self._tokenizer.count([piece.text for piece in unknown]))
        return [self._note_oversize(replace(p, tokens=next(counts)) if p.tokens < 0 else p) for p in pieces]

    def _note_oversize(self, piece: Piece) -> Piece:
        if piece.tokens <= self.cap:
            return piece
        over = f"kept whole: {piece.tokens} tokens are over the cap of {self.cap}"
        return replace(piece, note=f"{piece.note}; {over}" if piece.note else over)


def _header_texts(first: Part) -> tuple[str, ...]:
    """What a piece that begins with this row may show above it, the fullest first: the table's caption and header."""
    if first.table is None or first.row is None:
        return ()
    caption = first.table.caption
    above = () if first.row.header else (first.row.above, first.table.header)
    texts = (text for part in (*above, "") for text in ((f"{caption}\n{part}".strip(), part) if caption else (part,)))
    return tuple(dict.fromkeys(filter(None, texts)))


def _header_to_repeat(first: Part, headers: dict[str, int]) -> str:
    return next((text for text in _header_texts(first) if text in headers), "")


def _header_note(first: Part, headers: dict[str, int]) -> str:
    leads = _header_texts(first)
    if not leads or first.table is None or _header_to_repeat(first, headers) not in ("", first.table.caption):
        return ""
    wanted = first.table.header and first.row is not None and not first.row.header
    return "the table's header is too long to repeat" if wanted else ""


def _table_cells(record: str, group: Sequence[Part]) -> tuple[tuple[str, ...], ...]:
    """The cells of the piece's tables, each with its header; an empty row between two tables."""
    out: list[tuple[str, ...]] = []
    table: Grid | None = None
    for part in group:
        if part.table is None or part.row is None:
            continue
        if part.table is not table:
            out += [()] if out else []
            out += [] if part.row.header else part.table.header_rows(record)
            table = part.table
        out.append(part.table.row_texts(record, part.row))
    return tuple(out)


def _bundle_starts(parts: Sequence[Part], grain: float, cap: float) -> list[int]:
    """Where bundles of tiny neighbours of the same section begin; a whole block that fits is one by itself."""
    starts: list[int] = []
    size = 0.0
    held = _list_whole_blocks(parts, cap)
    for i, part in enumerate(parts):
        size += part.weight
        before = parts[i - 1].passage if i else None
        if before is not None and (id(before.block) in held or id(part.passage.block) in held):
            opens = before.block is not part.passage.block
        else:
            opens = before is None or size > grain or part.passage.opens or part.passage.path != before.path
        if opens:
            starts.append(i)
            size = part.weight
    return starts


def _list_whole_blocks(parts: Sequence[Part], cap: float) -> set[int]:
    """The blocks, by `id`, whose parts belong together and fit."""
    sizes: dict[int, float] = {}
    for part in parts:
        if part.passage.block.whole:
            sizes[id(part.passage.block)] = sizes.get(id(part.passage.block), 0.0) + part.weight
    return {block for block, size in sizes.items() if size <= cap}


def _make_atom(record: str, parts: Sequence[Part], start: int, end: int, headers: dict[str, int]) -> Atom:
    first, before = parts[start], parts[start - 1] if start else None
    opens = first.passage.opens and first.start == first.passage.start
    return Atom(
        size=sum(parts[i].weight for i in range(start, end)),
        cut=_start_cost(record, before, first),
        join=SIBLING if opens and before and before.passage.block.type != "heading" else 0.0,
        depth=len(first.passage.path),
        opens=opens,
        repeat=headers.get(_header_to_repeat(first, headers), 0),
    )


def _is_caption_of(caption: Block, table: Block) -> bool:
    """Whether the one is the caption of the other, which may have several."""
    return caption.caption_of == "table" and table.type == "table" and caption.text in table.caption


def _start_cost(record: str, before: Part | None, part: Part) -> float:
    """What it costs to begin a piece with this part."""
    block = part.passage.block
    if before is None or block is before.passage.block or (block.type == "heading" and not part.passage.opens):
        return part.cut
    above = before.passage.block
    if _is_caption_of(above, block) or _is_caption_of(block, above):
        return GLUE
    if above.type == "heading":
        return GLUE / 4 if part.passage.opens else GLUE
    if part.passage.opens:
        return 0.0
    lead = LEAD if record[before.end - 1] == ":" else 0.0
    if block.type == above.type == "list":
        return lead + (NESTED if block.level > 1 else ITEM_CUT)
    return lead + (AFTER_PARAGRAPH if block.type != "paragraph" and above.type == "paragraph" else 0.0)
