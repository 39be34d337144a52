"""Sparse vectors as stores keep them: by chunk, and by term as postings in segments; and the scores made of postings.

A weight is kept as a whole number of millionths, as encoders round it, so that a score is the same from either form
and on every store: products are added in the order of the terms. All arrays are little-endian: numbers of chunks
int64, terms and weights uint32.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.ports import SparseVector
from ragstone.stores import bm25

NUMBER, TERM, WEIGHT = np.dtype("<i8"), np.dtype("<u4"), np.dtype("<u4")
UNIT = 1_000_000  # of a weight
CHECKSUM_BYTES = 4
# Chunks of a whole segment: a question reads a row for each of its terms and segments, and to change one document a
# segment is written anew.
WHOLE_SEGMENT = 2_048
DEAD_SHARE = 8  # an eighth of a segment may be of replaced chunks: an edited line costs what changed
MAX_SMALL = 8  # segments below half of that which are left beside each other

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


class SparsePostings(NamedTuple):
    """The chunks of one segment that have a term, as they are kept, ascending."""

    term: int
    numbers: bytes
    weights: bytes

    def keep_numbers(self, known: Collection[int]) -> "SparsePostings":
        """Those of chunks that are known."""
        keep = np.isin(np.frombuffer(self.numbers, NUMBER), list(known))
        numbers, weights = np.frombuffer(self.numbers, NUMBER)[keep], np.frombuffer(self.weights, WEIGHT)[keep]
        return SparsePostings(self.term, numbers.tobytes(), weights.tobytes())


def is_sound(data: bytes, number: int) -> bool:
    """Whether a packed vector is as it was written."""
    try:
        unpack_vector(data, number=number)
    except Corrupt:
        return False
    return True


def pack_vector(vector: SparseVector, *, number: int) -> bytes:
    """A vector as it is kept with its chunk: terms, weights, a checksum. Raises `StoreError` for a term or a weight
    that does not fit.

    >>> unpack_vector(pack_vector(SparseVector((3, 9), (0.25, 1.5)), number=7), number=7)
    SparseVector(terms=(3, 9), weights=(0.25, 1.5))
    """
    terms = np.array(vector.terms, dtype=np.float64)
    weights = np.round(np.array(vector.weights, dtype=np.float64) * UNIT)
    most = np.iinfo(WEIGHT).max
    if not all((values >= 0).all() and (values <= most).all() for values in (terms, weights)):
        raise StoreError(f"a sparse vector has a term or a weight that cannot be kept: weights go up to {most / UNIT}")
    data = terms.astype(TERM).tobytes() + weights.astype(WEIGHT).tobytes()
    return data + _checksum(number, data)


def unpack_vector(data: bytes, *, number: int) -> SparseVector:
    """The vector that `pack_vector` packed; raises `Corrupt` for one that was changed."""
    values, told = data[:-CHECKSUM_BYTES], data[-CHECKSUM_BYTES:]
    if told != _checksum(number, values) or len(values) % (TERM.itemsize + WEIGHT.itemsize):
        raise Corrupt("a sparse vector does not match its checksum; run: ragstone doctor --repair")
    half = len(values) // 2
    terms, weights = np.frombuffer(values[:half], TERM), np.frombuffer(values[half:], WEIGHT)
    return SparseVector(tuple(terms.tolist()), tuple((weights / UNIT).tolist()))


def _checksum(number: int, data: bytes) -> bytes:
    return int(google_crc32c.value(number.to_bytes(8, "little") + data)).to_bytes(CHECKSUM_BYTES, "little")


def build_postings(vectors: Mapping[int, bytes]) -> list[SparsePostings]:
    """The postings of packed vectors by the numbers of their chunks: a segment, its terms ascending."""
    numbers = sorted(vectors)
    parts = [vectors[number][:-CHECKSUM_BYTES] for number in numbers]
    counts = [len(part) // (TERM.itemsize + WEIGHT.itemsize) for part in parts]
    halves = [len(part) // 2 for part in parts]
    terms = np.frombuffer(b"".join(part[:half] for part, half in zip(parts, halves, strict=True)), TERM)
    weights = np.frombuffer(b"".join(part[half:] for part, half in zip(parts, halves, strict=True)), WEIGHT)
    order = np.argsort(terms, kind="stable")
    held, sorted_terms = np.repeat(np.array(numbers, dtype=NUMBER), counts)[order], terms[order]
    sorted_weights = weights[order]
    found, starts = np.unique(sorted_terms, return_index=True)
    ends = [*starts.tolist(), len(sorted_terms)][1:]
    return [
        SparsePostings(term, held[start:end].tobytes(), sorted_weights[start:end].tobytes())
        for term, start, end in zip(found.tolist(), starts.tolist(), ends, strict=True)
    ]


def sign_postings(postings: SparsePostings, segment: int) -> int:
    """The checksum of postings, bound to their term and segment."""
    head = f"{postings.term}\0{segment}\0{len(postings.numbers)}\0".encode()
    return int(google_crc32c.value(head + postings.numbers + postings.weights))


def check_postings(postings: SparsePostings, segment: int, checksum: int) -> SparsePostings:
    """The postings; raises `Corrupt` where they do not match their checksum."""
    if sign_postings(postings, segment) != checksum:
        raise Corrupt("the index of sparse vectors does not match its checksum; run: ragstone doctor --repair")
    return postings


def weigh_postings(postings: SparsePostings, query: Mapping[int, float]) -> tuple[Numbers, Scores]:
    """The numbers of chunks and what the term adds to their scores; `query` are the question's weights by term."""
    weights = np.frombuffer(postings.weights, WEIGHT) / UNIT
    return np.frombuffer(postings.numbers, NUMBER), query[postings.term] * weights


def weights_by_term(query: SparseVector) -> dict[int, float]:
    """The weights of a question by term, terms ascending: the order in which every store adds."""
    return dict(sorted(zip(query.terms, query.weights, strict=True)))


def score_postings(rows: Iterable[SparsePostings], query: SparseVector) -> tuple[Numbers, Scores]:
    """The numbers of all chunks with a term of the question, ascending, and their scores, not rounded; `rows` come by
    term.

    >>> rows = build_postings({4: pack_vector(SparseVector((1, 2), (0.5, 1.0)), number=4)})
    >>> [found.tolist() for found in score_postings(rows, SparseVector((2, 8), (3.0, 1.0)))]
    [[4], [3.0]]
    """
    weights = weights_by_term(query)
    shares = [weigh_postings(row, weights) for row in rows if row.term in weights]
    if not shares:
        return np.empty(0, np.int64), np.empty(0)
    numbers = np.unique(np.concatenate([found for found, _ in shares]))
    scores = np.zeros(len(numbers))
    for found, added in shares:
        scores[np.searchsorted(numbers, found)] += added
    return numbers, scores


def score_vectors(vectors: Mapping[int, bytes], query: SparseVector) -> dict[int, float]:
    """The rounded score of each packed vector by the number of its chunk: digit for digit that of the postings. Raises
    `Corrupt` for one that was changed."""
    for number, data in vectors.items():
        unpack_vector(data, number=number)
    numbers, scores = score_postings(build_postings(vectors), query)
    rounded = np.round(scores, bm25.DECIMALS).tolist()
    return dict.fromkeys(vectors, 0.0) | dict(zip(numbers.tolist(), rounded, strict=True))


def choose_rewritten(segments: Mapping[int, tuple[int, int]], *, erased: bool = False) -> list[list[int]]:
    """The segments to write anew, in groups that each become one: those that lost a share of their chunks, or, where
    documents were `erased`, any of them; and small ones once they are many. `segments` have, by number, the chunks that
    they were written with and those still there.
    """
    torn = {n for n, (written, there) in segments.items() if written - there > (0 if erased else written // DEAD_SHARE)}
    small = {number for number, (_, there) in segments.items() if there < WHOLE_SEGMENT // 2}
    chosen = sorted(torn | small if len(small) > MAX_SMALL else torn)
    groups: list[list[int]] = []
    room = 0
    for number in chosen:
        there = segments[number][1]
        if not groups or there > room:
            groups.append([])
            room = WHOLE_SEGMENT
        groups[-1].append(number)
        room -= there
    return groups
