"""Which chunks hold a term, and how often: arrays sorted by term."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PAIR = np.dtype([("term", "<u4"), ("count", "<u2")])

Ints = NDArray[np.int32]
Terms = NDArray[np.uint32]
Counts = NDArray[np.uint16]


def pairs(frequencies: Mapping[int, int]) -> bytes:
    """Term ids with their counts as one blob, by id."""
    return np.array(sorted(frequencies.items()), dtype=PAIR).tobytes()


@dataclass(frozen=True, slots=True)
class Postings:
    """`terms` are distinct and sorted; those of terms[i] stand at starts[i]:starts[i + 1] of `at` and `counts`."""

    terms: Terms
    starts: NDArray[np.int64]
    at: Ints
    counts: Counts

    @staticmethod
    def sorted_from(terms: Terms, at: Ints, counts: Counts) -> "Postings":
        """From parallel arrays in any order."""
        order = np.argsort(terms, kind="stable")
        distinct, first = np.unique(terms[order], return_index=True)
        starts = np.append(first, len(terms)).astype(np.int64)
        return Postings(distinct, starts, at[order], counts[order])

    @staticmethod
    def from_blobs(blobs: Sequence[bytes], *, first: int = 0) -> "Postings":
        """From the blobs of the chunks at positions first, first + 1, …"""
        flat = np.frombuffer(b"".join(blobs), dtype=PAIR)
        sizes = [len(blob) // PAIR.itemsize for blob in blobs]
        at = np.repeat(np.arange(first, first + len(blobs), dtype=np.int32), sizes)
        return Postings.sorted_from(flat["term"].astype(np.uint32), at, flat["count"].astype(np.uint16))

    def of(self, term: int) -> tuple[Ints, Counts]:
        """The positions that hold a term, and how often each does."""
        i = int(np.searchsorted(self.terms, term))
        if i == len(self.terms) or self.terms[i] != term:
            return self.at[:0], self.counts[:0]
        stretch = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return self.at[stretch], self.counts[stretch]

    def flat(self) -> tuple[Terms, Ints, Counts]:
        """The parallel arrays, sorted by term."""
        return np.repeat(self.terms, np.diff(self.starts)), self.at, self.counts

    def joined(self, other: "Postings") -> "Postings":
        """Both as one."""
        (a, b, c), (d, e, f) = self.flat(), other.flat()
        return Postings.sorted_from(np.concatenate([a, d]), np.concatenate([b, e]), np.concatenate([c, f]))

    def moved(self, places: Ints) -> "Postings":
        """With position i now at places[i]; those at -1 are left out."""
        terms, at, counts = self.flat()
        new = places[at]
        stays = new >= 0
        return Postings.sorted_from(terms[stays], new[stays], counts[stays])
