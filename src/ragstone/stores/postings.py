"""Postings as they come from the server, and the BM25 that is made of them: digit for digit the embedded store's.

A row has a term's postings of one segment as three parallel packed arrays, little-endian: numbers of chunks (int32),
counts (uint16), lengths (int32). Numbers of chunks that are no longer active stand in `postings_dead`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ragstone.stores import bm25

NUMBER, COUNT, LENGTH = np.dtype("<i4"), np.dtype("<u2"), np.dtype("<i4")
MAX_SPREAD = 8  # numbers that one posting may span before sorting them beats one array over all

Ints = NDArray[np.int32]
Counts = NDArray[np.uint16]
Scores = NDArray[np.float64]

# The dead numbers come along as rows without a term.
FETCH = """
SELECT term, numbers, counts, lengths FROM postings
WHERE collection_id = %(collection)s AND tenant_id = %(tenant)s AND term = ANY(%(terms)s)
UNION ALL
SELECT NULL, numbers, NULL, NULL FROM postings_dead
WHERE collection_id = %(collection)s AND tenant_id = %(tenant)s
"""
Row = tuple[str | None, bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Postings:
    """The live postings of one term: which chunks hold it, how often, and how many terms each has."""

    numbers: Ints
    counts: Counts
    lengths: Ints


NO_POSTINGS = Postings(np.empty(0, NUMBER), np.empty(0, COUNT), np.empty(0, LENGTH))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every chunk that holds a term of the query: numbers ascending, unrounded scores. Of the terms their inverse
    document frequencies `idf`, and their `weights`: those times what a term's repeats in the query count."""

    numbers: Ints
    scores: Scores
    weights: Mapping[str, float] = field(default_factory=dict)
    idf: Mapping[str, float] = field(default_factory=dict)
    rounded: Scores = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounded", np.round(self.scores, bm25.DECIMALS))

    def best_positions(self, count: int) -> NDArray[np.intp]:
        """Positions of the `count` best and of all that tie with the last of them."""
        if count >= len(self.rounded):
            return np.arange(len(self.rounded))
        least = np.partition(self.rounded, len(self.rounded) - count)[len(self.rounded) - count]
        return np.flatnonzero(self.rounded >= least)

    def keep_numbers(self, numbers: Ints) -> "Ranking":
        """Only the chunks with these numbers."""
        keep = np.isin(self.numbers, numbers)
        return replace(self, numbers=self.numbers[keep], scores=self.scores[keep])

    def scores_of(self, numbers: Sequence[int]) -> list[float]:
        """The rounded scores of chunks; 0 for one that holds no term."""
        asked = np.asarray(numbers, dtype=np.int64)
        if not len(self.numbers):
            return [0.0] * len(asked)
        at = np.minimum(np.searchsorted(self.numbers, asked), len(self.numbers) - 1)
        found: list[float] = np.where(self.numbers[at] == asked, self.rounded[at], 0.0).tolist()
        return found


def collect_live_postings(rows: Iterable[Row]) -> dict[str, Postings]:
    """The postings of each term from the rows of `FETCH`, the dead left out."""
    parts: dict[str, list[Row]] = {}
    dead = []
    for row in rows:
        if row[0] is None:
            dead.append(np.frombuffer(row[1], NUMBER))
        else:
            parts.setdefault(row[0], []).append(row)
    gone = np.concatenate(dead) if dead else None
    return {term: _drop_dead(_join_rows(found), gone) for term, found in parts.items()}


def _join_rows(rows: Sequence[Row]) -> Postings:
    numbers, counts, lengths = (b"".join(column) for column in list(zip(*rows, strict=True))[1:])
    return Postings(np.frombuffer(numbers, NUMBER), np.frombuffer(counts, COUNT), np.frombuffer(lengths, LENGTH))


def _drop_dead(postings: Postings, gone: Ints | None) -> Postings:
    if gone is None:
        return postings
    keep = ~np.isin(postings.numbers, gone)
    return Postings(postings.numbers[keep], postings.counts[keep], postings.lengths[keep])


def rank_postings(terms: Mapping[str, float], found: Mapping[str, Postings], *, chunks: int, words: int) -> Ranking:
    """BM25 of every chunk with a term of `bm25.query_terms`; `chunks` and `words` count the collection's active ones.

    Terms add up in the order of the query, as in every store: a sum's last digit depends on it.
    """
    postings = [found.get(term, NO_POSTINGS) for term in terms]
    idf = {term: bm25.idf(len(one.numbers), chunks) for term, one in zip(terms, postings, strict=True)}
    weights = {term: idf[term] * repeats for term, repeats in terms.items()}
    average = max(words / chunks if chunks else 0.0, 1e-9)
    numbers, places = _locate_numbers([one.numbers for one in postings])
    scores = np.zeros(len(numbers))
    for at, one, weight in zip(places, postings, weights.values(), strict=True):
        scores[at] += bm25.term_weights(one.counts, bm25.length_norms(one.lengths, average), weight=weight)
    held = scores > 0
    return Ranking(numbers[held], scores[held], weights, idf)


def _locate_numbers(numbers: Sequence[Ints]) -> tuple[Ints, list[NDArray[np.intp]]]:
    """All numbers in order, and where each array's own stand among them. Where they lie close together, unused
    numbers come along: cheaper than sorting, and their score stays 0."""
    together = np.concatenate(numbers) if numbers else np.empty(0, NUMBER)
    if not len(together):
        return together, [np.empty(0, np.intp) for _ in numbers]
    first, last = int(together.min()), int(together.max())
    if last - first < MAX_SPREAD * len(together):
        return np.arange(first, last + 1, dtype=NUMBER), [one.astype(np.intp) - first for one in numbers]
    every = np.unique(together)
    return every, [np.searchsorted(every, one) for one in numbers]
