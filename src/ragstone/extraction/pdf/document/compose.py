"""From the pieces of all pages to one text of record: what PDFs and pictures of pages have in common."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from ragstone.core.page_layout import Layout
from ragstone.core.types import Block
from ragstone.extraction.optional_steps import FailedStep, attempt_step
from ragstone.extraction.pdf.document.captions import tie_captions
from ragstone.extraction.pdf.document.continuations import join_pieces
from ragstone.extraction.pdf.document.levels import mark_headings, mark_list_levels
from ragstone.extraction.pdf.document.page_furniture import (
    mark_contents,
    mark_counting_lines,
    mark_furniture,
    mark_running_titles,
)
from ragstone.extraction.pdf.document.record_writer import RecordWriter
from ragstone.extraction.pdf.page import Page

HYPHENATED = re.compile(r"\w+(?:-\w+)+")


@dataclass(frozen=True, slots=True)
class ComposedDocument:
    """The record, its blocks, where their characters stand, and the title that the first heading gives."""

    record: str
    blocks: tuple[Block, ...]
    layout: Layout
    title: str | None
    failed: tuple[FailedStep, ...] = ()


def compose_document(pages: Sequence[Page]) -> ComposedDocument:
    """Furniture, headings, lists and contents are told apart over all pages, then everything is written in order."""
    failed: list[FailedStep] = []
    for mark_pages in (mark_furniture, mark_counting_lines, mark_running_titles):
        attempt_step("page headers and footers were not told apart", partial(mark_pages, pages), failed)
    pieces = attempt_step("text over several pages was not joined", lambda: join_pieces(pages), failed)
    if pieces is None:
        pieces = [piece for page in pages for piece in page.pieces]
    attempt_step("captions were not tied to what they name", partial(tie_captions, pieces, pages), failed)
    for what, mark in (
        ("headings were not looked for", mark_headings),
        ("levels of lists were not told apart", mark_list_levels),
        ("tables of contents were not looked for", mark_contents),
    ):
        attempt_step(what, partial(mark, pieces), failed)
    writer = RecordWriter(_find_hyphenated(pages))
    for piece in pieces:
        if piece.lines or piece.table:
            writer.write_piece(piece)
    record = writer.record()
    blocks = tuple(writer.blocks(record))
    return ComposedDocument(record, blocks, writer.packing.build(), _find_title(blocks), tuple(failed))


def _find_hyphenated(pages: Sequence[Page]) -> frozenset[str]:
    """Words that stand with a hyphen inside a line: such a hyphen at a line's end is the word's own."""
    texts = (line.text for page in pages for piece in page.pieces for line in piece.lines if "-" in line.text[:-1])
    return frozenset(match.lower() for text in texts for match in HYPHENATED.findall(text))


def _find_title(blocks: Sequence[Block]) -> str | None:
    heads = (block for block in islice(blocks, 40) if block.type == "heading" and block.role == "body")
    first = next(heads, None)
    return first.text if first and first.level == 1 else None
