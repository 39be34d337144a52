"""Sections at `##`, then paragraphs, then sentences, in characters, with overlap."""

import re
from dataclasses import dataclass

from ragstone.chunking.greedy import count_characters, fill_drafts, finish_pieces, split_large_units, split_paragraphs
from ragstone.chunking.outline import Passage, list_passages
from ragstone.core.errors import UsageError
from ragstone.core.ports import Tokenizer
from ragstone.core.types import Extraction, Piece

SENTENCE = re.compile(r"(?<![.?!])[.?!]++[\"'”’)\]]{0,4}(?=\s)")
LEVEL = 2


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """Sizes in characters. The overlap counts towards the size and gives way where there is no room."""

    size: int = 500
    overlap: int = 50

    def __post_init__(self) -> None:
        if not (self.size > 0 and 0 <= self.overlap < self.size):
            raise UsageError(f"needs size > 0 and 0 <= overlap < size; got size={self.size}, overlap={self.overlap}")


class MarkdownChunker:
    """A piece is paragraphs of one `##` section; a longer paragraph is split after `.`, `?` or `!`.

    A paragraph or sentence that is over the size without such an end stays whole, with a note. The
    heading path is the section's title.
    """

    def __init__(self, sections: MarkdownOptions, tokenizer: Tokenizer) -> None:
        self._sections = sections
        self._tokenizer = tokenizer

    @property
    def recipe(self) -> str:
        s = self._sections
        return f"markdown/3(size={s.size},overlap={s.overlap},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order; a paragraph without a sentence end may be over the size, with a note."""
        record, size = extraction.record, self._sections.size
        body = list_passages(extraction)
        titles = _section_titles(body)
        units = split_paragraphs(record, body, opens=_opens_section)
        units = split_large_units(record, units, SENTENCE, over=size, measure=count_characters)
        drafts = fill_drafts(record, units, size=size, overlap=self._sections.overlap, measure=count_characters)
        return finish_pieces(
            record, drafts, self._tokenizer, title=lambda first: titles[first.start], note=self._note_oversize
        )

    def _note_oversize(self, piece: Piece) -> str:
        n, size = len(piece.text), self._sections.size
        return f"kept whole: {n} characters without a sentence end are over the size of {size}" if n > size else ""


def _opens_section(passage: Passage) -> bool:
    return passage.opens and passage.block.level == LEVEL


def _section_titles(body: list[Passage]) -> dict[int, tuple[str, ...]]:
    """The title of the section that each passage stands in, by where it starts."""
    titles: dict[int, tuple[str, ...]] = {}
    title: tuple[str, ...] = ()
    for passage in body:
        title = passage.path[-1:] if _opens_section(passage) else title
        titles[passage.start] = title
    return titles
