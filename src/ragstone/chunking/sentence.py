"""A piece for each sentence, that is found by itself and shown with those around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ragstone.chunking.outline import trim_range
from ragstone.chunking.split import Part
from ragstone.chunking.structure import StructureChunker, StructureOptions
from ragstone.core.errors import UsageError
from ragstone.core.ports import Tokenizer
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Extraction, Piece

UNSPLIT_KINDS = (
    "code",
    "table",
)  # kinds of blocks without sentences: code stays whole up to the cap, a table's row is one


@dataclass(frozen=True, slots=True)
class SentenceWindowOptions:
    """Sentences before and after that are shown with one; a longer sentence than `cap` tokens is split, and `prefix`
    of what the embedder reads are left for path and heading, as `structure` does."""

    window: int = 3
    cap: int = 800
    prefix: int = 48

    def __post_init__(self) -> None:
        if not (self.window >= 0 and self.cap > 0 and self.prefix >= 0):
            raise UsageError(
                f"sentence-window needs window >= 0, cap > 0 and prefix >= 0; got window={self.window}, "
                f"cap={self.cap}, prefix={self.prefix}"
            )


class SentenceWindowChunker(StructureChunker):
    """A piece is one sentence, list item, table row or block of code, with the headings right above it. Its `window`
    is the text to show: the sentence with those around it."""

    def __init__(self, around: SentenceWindowOptions, tokenizer: Tokenizer, *, reads: int | None = None) -> None:
        cutting = StructureOptions(tokens=around.cap, cap=around.cap, prefix=around.prefix)
        super().__init__(cutting, tokenizer, reads=reads)
        self._around = around

    @property
    def recipe(self) -> str:
        a = self._around
        sizes = f"window={a.window},cap={a.cap},prefix={a.prefix},reads={self._reads}"
        return f"sentence-window/3({sizes},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order, each with the ordinals of the first and the last piece of its window."""
        pieces = super().cut(extraction)
        far, last = self._around.window, len(pieces) - 1
        return [replace(p, window=(max(0, p.ordinal - far), min(last, p.ordinal + far))) for p in pieces]

    def _group_parts(self, record: str, parts: Sequence[Part], _headers: dict[str, int], /) -> list[Sequence[Part]]:
        groups: list[Sequence[Part]] = []
        above: list[Part] = []
        for part in chain.from_iterable(_split_part(record, each) for each in parts):
            if above and not _fits_below(above, part, self.cap):
                groups.append(above)
                above = []
            if part.passage.block.type == "heading":
                above = [*above, part]
            else:
                groups.append([*above, part])
                above = []
        return [*groups, above] if above else groups


def _split_part(record: str, part: Part) -> Iterator[Part]:
    if part.passage.block.type in UNSPLIT_KINDS:
        yield part
        return
    for a, b in split_sentences(record[part.start : part.end]):
        start, end = trim_range(record, part.start + a, part.start + b)
        yield part._replace(start=start, end=end, tokens=-1)


def _fits_below(above: Sequence[Part], part: Part, cap: int) -> bool:
    """Whether headings and what stands below them are one piece: a table's row has a header of its own, and stands by
    itself."""
    return part.table is None and sum(one.weight for one in (*above, part)) <= cap
