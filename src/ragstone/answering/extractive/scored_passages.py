"""Passages with what speaks for them, and their orders: best first, and for reading."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.word_matching import WordMatch


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with what speaks for it: its score, the share of the question's mass that it covers, its kind,
    its cosine with the question where that is known, and that of its chunk, which stands for it until then; how it
    matches the question's single words, where a model compared them."""

    passage: Passage
    score: float
    covered: frozenset[str]
    coverage: float
    typed: bool
    similar: float | None = None
    chunk_cosine: float | None = None
    match: WordMatch | None = None


def place_of_passage(passage: Passage) -> tuple[int, int]:
    """The rank of its hit and its number there."""
    return passage.hit, passage.index


def passage_order(scored: ScoredPassage) -> tuple[float, int, int]:
    """The best score first, then the order of the hits and of their text."""
    return (-scored.score, scored.passage.hit, scored.passage.start)


def drop_overlapping(wide: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Without passages that touch one taken before."""
    out: list[ScoredPassage] = []
    for one in wide:
        a = one.passage
        if not any(a.hit == b.passage.hit and a.start < b.passage.end and b.passage.start < a.end for b in out):
            out.append(one)
    return out


def sort_for_reading(taken: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The best passage, then the others by document, the document of the first one first, and by place."""
    first: dict[str, int] = {}
    for one in taken:
        first.setdefault(one.passage.chunk.document.id, len(first))
    best = min(taken, key=passage_order, default=None)

    def place(one: ScoredPassage) -> tuple[bool, int, int, int]:
        chunk = one.passage.chunk
        return one is not best, first[chunk.document.id], chunk.ordinal, one.passage.start

    return sorted(taken, key=place)
