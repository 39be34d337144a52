"""The passages in a prompt: neighbours joined, in the order that models read best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ragstone.answering.verification.spans import spans_at
from ragstone.core.types import Chunk, Hit
from ragstone.retrieval.windows import shown_range

T = TypeVar("T")
GAP = 200  # characters between two chunks that are none of either: blank lines, a page's footer and header


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """A passage of a context: chunks of one document that follow each other, no text of them twice."""

    chunks: tuple[Chunk, ...]

    @property
    def first(self) -> Chunk:
        return self.chunks[0]

    @property
    def is_flagged(self) -> bool:
        """Whether a part of it tries to give orders."""
        return any(chunk.flags for chunk in self.chunks)


def arrange_passages(hits: Sequence[Hit], *, join: bool = True) -> list[ContextPassage]:
    """The hits, best first, as passages: the best at the beginning, the second-best at the end.

    With `join` those that touch in their document stand as one, at the rank of the best of them.
    """
    return order_ends_first([ContextPassage(chunks) for chunks in _group_chunks(hits, join=join)])


def _group_chunks(hits: Sequence[Hit], *, join: bool) -> list[tuple[Chunk, ...]]:
    ranks = {hit.chunk.id: rank for rank, hit in enumerate(hits)}
    groups: list[list[Chunk]] = []
    for chunk in sorted((hit.chunk for hit in hits), key=lambda chunk: (chunk.document.id, shown_range(chunk))):
        if join and groups and _is_adjacent(groups[-1][-1], chunk):
            groups[-1].append(_drop_overlap(chunk))
        else:
            groups.append([chunk])
    return [tuple(group) for group in sorted(groups, key=lambda group: min(ranks[chunk.id] for chunk in group))]


def _is_adjacent(one: Chunk, other: Chunk) -> bool:
    """Whether a chunk goes on where another one ends: not so where the budget cut that short."""
    follows = one.document.id == other.document.id and shown_range(one)[1] + 1 == shown_range(other)[0]
    return follows and other.spans[0].char_start - one.spans[-1].char_end <= GAP


def _drop_overlap(chunk: Chunk) -> Chunk:
    """A chunk without what the one before it holds too; its table header stands there already."""
    cut = chunk.overlap
    text = chunk.text[cut:]
    return replace(chunk, text=text, spans=spans_at(chunk, cut, len(chunk.text)), header="", overlap=0)


def order_ends_first(ranked: Sequence[T]) -> list[T]:
    """Best first, second-best last, the weakest in the middle, where models read least
    ("Lost in the Middle", Liu et al. 2023).

    >>> order_ends_first([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return [*ranked[::2], *ranked[1::2][::-1]]
