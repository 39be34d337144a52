"""A piece for each sentence, that is found by itself and shown with those around it."""

from bisect import bisect_right
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
        return f"sentence-window/6({sizes},tokenizer={self._tokenizer.name})"

    def cut(self, extraction: Extraction) -> list[Piece]:
        """The pieces in order, each with the ordinals of the first and the last piece of its window."""
        pieces = super().cut(extraction)
        far, last = self._around.window, len(pieces) - 1
        return [replace(p, window=(max(0, p.ordinal - far), min(last, p.ordinal + far))) for p in pieces]

    def _group_parts(self, record: str, parts: Sequence[Part], _headers: dict[str, int], /) -> list[Sequence[Part]]:
        groups: list[Sequence[Part]] = []
        above: list[Part] = []
        sentences = _Sentences(record)
        for part in chain.from_iterable(_split_part(record, each) for each in parts):
            if groups and not above and self._goes_on(groups[-1], part, sentences):
                groups[-1] = [*groups[-1], part]
                continue
            if above and not _fits_below(above, part, self.cap):
                groups.append(above)
                above = []
            if part.passage.block.type == "heading":
                above = [*above, part]
            else:
                groups.append([*above, part])
                above = []
        return [*groups, above] if above else groups

    def _goes_on(self, group: Sequence[Part], part: Part, sentences: "_Sentences") -> bool:
        """Whether a part is more of a sentence that is too long for a piece, or of a whole block, and fits below what
        there is of it."""
        last = group[-1]
        is_whole = part.passage.block.whole and part.passage.block is last.passage.block
        if not is_whole and (part.passage is not last.passage or part.passage.block.type in UNSPLIT_KINDS):
            return False
        fits = sum(one.weight for one in (*group, part)) <= self.cap
        return fits and (is_whole or sentences.find(part) == sentences.find(last))


class _Sentences:
    """The sentences of the passages of a record."""

    def __init__(self, record: str) -> None:
        self._record = record
        self._starts: dict[tuple[int, int], list[int]] = {}

    def find(self, part: Part) -> int:
        """Where the sentence of a part begins."""
        start, end = part.passage.start, part.passage.end
        if (start, end) not in self._starts:
            found = split_sentences(self._record[start:end])
            self._starts[start, end] = [start + a for a, _ in found] or [start]
        starts = self._starts[start, end]
        return starts[max(0, bisect_right(starts, part.start) - 1)]


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
