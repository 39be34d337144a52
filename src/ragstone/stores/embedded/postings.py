"""Which chunks hold a term, and how often: arrays sorted by term."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TERM_COUNT = np.dtype([("term", "<u4"), ("count", "<u2")])

Int32s = NDArray[np.int32]
TermIds = NDArray[np.uint32]
TermCounts = NDArray[np.uint16]


def encode_term_counts(frequencies: Mapping[int, int]) -> bytes:
    """Term ids with their counts as one blob, by id."""
    return np.array(sorted(frequencies.items()), dtype=TERM_COUNT).tobytes()


@dataclass(frozen=True, slots=True)
class ChunkTermCounts:
    """The terms of chunks one after the other: `sizes` says how many each has."""

    sizes: NDArray[np.int32]
    terms: TermIds
    counts: TermCounts

    @staticmethod
    def from_blobs(blobs: Sequence[bytes]) -> "ChunkTermCounts":
        """From a blob of each chunk."""
        flat = np.frombuffer(b"".join(blobs), dtype=TERM_COUNT)
        sizes = np.array([len(blob) // TERM_COUNT.itemsize for blob in blobs], dtype=np.int32)
        return ChunkTermCounts(sizes, flat["term"].astype(np.uint32), flat["count"].astype(np.uint16))


@dataclass(frozen=True, slots=True)
class Postings:
    """`terms` are distinct and sorted; those of terms[i] stand at starts[i]:starts[i + 1] of `at` and `counts`."""

    terms: TermIds
    starts: NDArray[np.int64]
    at: Int32s
    counts: TermCounts

    @staticmethod
    def from_arrays(terms: TermIds, at: Int32s, counts: TermCounts) -> "Postings":
        """From parallel arrays in any order."""
        order = np.argsort(terms, kind="stable")
        return Postings._from_sorted(terms[order], at[order], counts[order])

    @staticmethod
    def _from_sorted(terms: TermIds, at: Int32s, counts: TermCounts) -> "Postings":
        """From parallel arrays that are sorted by term."""
        first = np.flatnonzero(np.append(True, terms[1:] != terms[:-1])) if len(terms) else np.zeros(0, dtype=np.int64)
        return Postings(terms[first], np.append(first, len(terms)).astype(np.int64), at, counts)

    @staticmethod
    def from_counts(parts: Sequence[ChunkTermCounts], places: Int32s) -> "Postings":
        """From the terms of chunks, the first of which is at position places[0], the second at places[1], …"""
        sizes = np.concatenate([part.sizes for part in parts])
        terms, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("terms", "counts"))
        return Postings.from_arrays(terms, np.repeat(places, sizes), counts)

    @staticmethod
    def from_blobs(blobs: Sequence[bytes]) -> "Postings":
        """From the blobs of the chunks at positions 0, 1, …"""
        return Postings.from_counts([ChunkTermCounts.from_blobs(blobs)], np.arange(len(blobs), dtype=np.int32))

    def find_term(self, term: int) -> tuple[Int32s, TermCounts]:
        """The positions that hold a term, and how often each does."""
        i = int(np.searchsorted(self.terms, np.uint32(term)))  # an int would have all terms copied to compare
        if i == len(self.terms) or self.terms[i] != term:
            return self.at[:0], self.counts[:0]
        stretch = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return self.at[stretch], self.counts[stretch]

    def flatten(self) -> tuple[TermIds, Int32s, TermCounts]:
        """The parallel arrays, sorted by term."""
        return np.repeat(self.terms, np.diff(self.starts)), self.at, self.counts

    def concatenate(self, other: "Postings") -> "Postings":
        """Both as one."""
        if not (len(self.at) and len(other.at)):
            return self if len(self.at) else other
        (a, b, c), (d, e, f) = self.flatten(), other.flatten()
        return Postings.from_arrays(np.concatenate([a, d]), np.concatenate([b, e]), np.concatenate([c, f]))

    def move_positions(self, places: Int32s) -> "Postings":
        """With position i now at places[i], in the order of before; those at -1 are left out."""
        terms, at, counts = self.flatten()
        new = places[at]
        stays = new >= 0
        return Postings._from_sorted(terms[stays], new[stays], counts[stays])
