"""The contract of every chunker, as tests to inherit, and a small way to make documents for it."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from ragstone.core.ports import Chunker
from ragstone.core.types import Block, BlockType, Extraction, Piece, Role, Span, join_slices

PARAGRAPH = re.compile(r"\n[ \t]*\n")
RULE = re.compile(r"^[ \t|:+=-]+$", re.MULTILINE)
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
SHAPES: tuple[tuple[BlockType, re.Pattern[str]], ...] = (
    ("heading", re.compile(r"#{1,6} ")),
    ("code", re.compile(r"```")),
    ("table", re.compile(r"\|")),
    ("list", re.compile(r"(?:[-*+]|\d+[.)]) ")),
)

SAMPLE = """# Garden tools

Every tool here was used for a year. Some broke! Which ones?

<!-- a note to the printer -->

## Spades

A spade cuts. A fork lifts. Both want a long handle, and both want cleaning after work.

- ash handle
- steel blade

| name | price |
|---|---|
| digging spade | 40 |
| border spade | 35 |

## Care

```
wash(tool)

oil(tool)
```

Store them dry \N{EM DASH} frost does no harm, wet does.
"""


def outline_document(text: str, *, role: Role = "body") -> Extraction:
    """A document of headings, paragraphs, lists, tables and fenced code; `<!--` paragraphs are left out.

    Far simpler than Markdown: what stands between blank lines is one block, but headings and fences.
    """
    blocks = [_make_block(text, start, end, role) for start, end in _split_stretches(text)]
    return Extraction(text, tuple(block for block in blocks if not block.text.startswith("<!--")), "text/markdown")


def _split_stretches(text: str) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    at = 0
    for fence in [*FENCE.finditer(text), None]:
        stop = fence.start() if fence else len(text)
        edges = [at, *(edge for m in PARAGRAPH.finditer(text, at, stop) for edge in m.span()), stop]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            line = text.find("\n", start, end)
            if text.startswith("#", start) and line > 0:
                out += [(start, line), (line, end)]
            else:
                out.append((start, end))
        if fence:
            out.append(fence.span())
            at = fence.end()
    return [
        (a + len(text[a:b]) - len(text[a:b].lstrip()), a + len(text[a:b].rstrip())) for a, b in out if text[a:b].strip()
    ]


def _make_block(text: str, start: int, end: int, role: Role) -> Block:
    own = text[start:end]
    kind: BlockType = next((name for name, shape in SHAPES if shape.match(own)), "paragraph")
    span = Span(start, end, text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1)
    level = len(own) - len(own.lstrip("#")) if kind == "heading" else 0
    return Block(kind, own.strip("# ") if kind == "heading" else own, (span,), role=role, level=level)


def find_uncovered(extraction: Extraction, pieces: list[Piece]) -> str:
    """Where the pieces first miss a body character, hold it twice or out of order; "" when they never do.

    White space does not count, nor do the lines of rules in a table.
    """
    body = [i for block in extraction.blocks if block.role == "body" for i in _solid_offsets(extraction.record, block)]
    held = [i for piece in pieces for i in own_character_offsets(extraction, piece)]
    known = set(body)
    held = [i for i in held if i in known]
    if held == body:
        return ""
    wrong = next((i for i, (a, b) in enumerate(zip(body, held, strict=False)) if a != b), min(len(body), len(held)))
    return f"character {body[wrong] if wrong < len(body) else held[wrong]}"


def own_character_offsets(extraction: Extraction, piece: Piece) -> list[int]:
    """Where the characters of a piece stand in the record, without its overlap and white space."""
    places = [
        i
        for n, span in enumerate(piece.spans)
        for i in ([-1] if n else []) + list(range(span.char_start, span.char_end))
    ]
    return [i for i in places[piece.overlap :] if i >= 0 and not extraction.record[i].isspace()]


def _solid_offsets(record: str, block: Block) -> list[int]:
    rules = [
        (s.char_start + m.start(), s.char_start + m.end()) for s in block.spans for m in _find_rules(record, block, s)
    ]
    ruled = {i for start, end in rules for i in range(start, end)}
    places = [i for span in block.spans for i in range(span.char_start, span.char_end)]
    return [i for i in places if not record[i].isspace() and i not in ruled]


def _find_rules(record: str, block: Block, span: Span) -> Iterator[re.Match[str]]:
    return RULE.finditer(record[span.char_start : span.char_end]) if block.type == "table" else iter(())


class ChunkerContract:
    """Inherit, and give a fixture `chunker`; override `over` with what its cap means."""

    documents: tuple[str, ...] = (
        SAMPLE,
        SAMPLE * 5,
        "One sentence after the other. " * 400,
        "no sentence end at all " * 400,
        "x" * 5000,
        "水" * 3000 + "。" + "火" * 3000,
        "# Only a heading",
        "\n\n".join(f"word{i}" for i in range(500)),
        "| a | b |\n|---|---|\n" + "\n".join(f"| row {i} | {i * i} |" for i in range(300)),
    )

    def is_over_cap(self, piece: Piece) -> bool:
        """Whether a piece is larger than the chunker's cap."""
        pytest.fail(f"say when {piece.ordinal} is over the cap")

    @pytest.fixture(params=range(len(documents)))
    def extraction(self, request: pytest.FixtureRequest) -> Extraction:
        return outline_document(self.documents[request.param])

    def test_every_body_character_comes_once_and_in_order(self, chunker: Chunker, extraction: Extraction) -> None:
        assert find_uncovered(extraction, chunker.cut(extraction)) == ""

    def test_a_text_is_its_slices_of_the_record(self, chunker: Chunker, extraction: Extraction) -> None:
        pieces = chunker.cut(extraction)
        assert pieces
        assert all(piece.text == join_slices(extraction.record, piece.spans) for piece in pieces)

    def test_lines_are_those_of_the_record(self, chunker: Chunker, extraction: Extraction) -> None:
        for span in (span for piece in chunker.cut(extraction) for span in piece.spans):
            assert span.line_start == extraction.record.count("\n", 0, span.char_start) + 1
            assert span.line_end == extraction.record.count("\n", 0, span.char_end - 1) + 1

    def test_ordinals_count_from_0(self, chunker: Chunker, extraction: Extraction) -> None:
        pieces = chunker.cut(extraction)
        assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))

    def test_the_same_document_is_cut_the_same_way(self, chunker: Chunker, extraction: Extraction) -> None:
        assert chunker.cut(extraction) == chunker.cut(extraction)

    def test_overlap_is_what_the_piece_before_ends_with(self, chunker: Chunker, extraction: Extraction) -> None:
        pieces = chunker.cut(extraction)
        assert not pieces[0].overlap
        for before, piece in pairwise(pieces):
            assert before.text.endswith(piece.text[: piece.overlap])

    def test_the_cap_is_broken_only_with_a_note(self, chunker: Chunker, extraction: Extraction) -> None:
        assert all(piece.note for piece in chunker.cut(extraction) if self.is_over_cap(piece))

    def test_what_is_not_body_never_becomes_a_piece(self, chunker: Chunker) -> None:
        assert chunker.cut(outline_document(SAMPLE, role="nav")) == []
        assert not any("printer" in piece.text for piece in chunker.cut(outline_document(SAMPLE)))

    def test_nothing_gives_nothing(self, chunker: Chunker) -> None:
        assert chunker.cut(outline_document("")) == chunker.cut(outline_document(" \n\n ")) == []

    def test_the_recipe_names_the_tokenizer(self, chunker: Chunker) -> None:
        assert "tokenizer=" in chunker.recipe
